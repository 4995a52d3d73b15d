// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/unix_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "os/files/abstract_socket.hpp"
#include "os/kernel.hpp"

namespace comity::os {
namespace {

constexpr std::size_t kNumbersBytes = kPassedDescriptors * sizeof(int);

// Room for a text one byte longer than expected, so that a longer message shows, and for the descriptors.
struct Message {
  explicit Message(std::size_t text_bytes) : text(text_bytes) {
    piece = {.iov_base = text.data(), .iov_len = text.size()};
    head.msg_iov = &piece;
    head.msg_iovlen = 1;
    head.msg_control = control.data();
    head.msg_controllen = control.size();
  }
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;

  std::vector<std::byte> text;
  alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(kNumbersBytes)> control{};
  iovec piece{};
  msghdr head{};
};

struct Adopted {
  PassedDescriptors files;
  std::size_t count = 0;
};

// Every descriptor of a received message gets an owner, whatever the message is worth. Allocates nothing, for they would
// stay open if that failed; a message has room for no more.
Adopted adopt_descriptors(msghdr& head) {
  Adopted adopted;
  for (cmsghdr* part = CMSG_FIRSTHDR(&head); part != nullptr; part = CMSG_NXTHDR(&head, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
      Descriptor file(number);
      if (adopted.count < adopted.files.size()) adopted.files[adopted.count++] = std::move(file);
    }
  }
  return adopted;
}

}  // namespace

DescriptorReceiver::DescriptorReceiver() : name_("comity-" + random_hex(16)), socket_(datagram_socket()) {
  bind_to(socket_, AbstractAddress(name_));
}

std::optional<PassedDescriptors> DescriptorReceiver::receive(std::span<const std::byte> text) {
  while (true) {
    Message message(text.size() + 1);
    const ssize_t got = ::recvmsg(socket_.number(), &message.head, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    Adopted adopted = adopt_descriptors(message.head);
    const bool expected = static_cast<std::size_t>(got) == text.size() && adopted.count == kPassedDescriptors &&
                          std::equal(text.begin(), text.end(), message.text.begin());
    if (expected) return std::move(adopted.files);
  }
}

void send_descriptors(const std::string& receiver, std::span<const std::byte> text, const PassedDescriptors& files) {
  const Descriptor socket = datagram_socket();
  AbstractAddress address(receiver);
  Message message(text.size());
  std::copy(text.begin(), text.end(), message.text.begin());
  message.head.msg_name = address.get();
  message.head.msg_namelen = address.bytes();
  cmsghdr* part = CMSG_FIRSTHDR(&message.head);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(kNumbersBytes);
  const std::array<int, kPassedDescriptors> numbers{files[0].number(), files[1].number()};
  std::memcpy(CMSG_DATA(part), numbers.data(), kNumbersBytes);
  if (::sendmsg(socket.number(), &message.head, MSG_NOSIGNAL) < 0) {
    throw system_error("send descriptors over an abstract Unix socket", errno);
  }
}

}  // namespace comity::os
