// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/wake_socket.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>

#include <cerrno>
#include <cinttypes>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "os/files/abstract_socket.hpp"

namespace comity::os {
namespace {

AbstractAddress address_of(const WakeName& name) {
  std::array<char, 64> text;  // it stands in a line of /proc/net/unix
  const int count =
      std::snprintf(text.data(), text.size(), "comity-wake-%016" PRIx64 "-%016" PRIx64, name.of, name.number);
  return AbstractAddress({text.data(), static_cast<std::size_t>(count)});
}

// The kernel drops whatever is not the key, before it comes into the queue.
void take_only(const Descriptor& socket, const WakeKey& key) {
  std::array<std::uint32_t, sizeof(WakeKey) / sizeof(std::uint32_t)> words;
  std::memcpy(words.data(), &key, sizeof key);
  std::array<sock_filter, 2 + 2 * words.size() + 2> program;
  const auto drop = static_cast<std::uint8_t>(program.size() - 1);
  std::uint8_t at = 0;
  const auto put = [&](sock_filter step) { program[at++] = step; };
  const auto put_equal = [&](std::uint32_t wanted) {
    put(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, 0, static_cast<std::uint8_t>(drop - at - 1)));
  };
  put(BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0));
  put_equal(sizeof key);
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    put(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, i * static_cast<std::uint32_t>(sizeof(std::uint32_t))));
    put_equal(::ntohl(words[i]));  // a load turns what it reads from network order
  }
  put(BPF_STMT(BPF_RET | BPF_K, sizeof key));
  put(BPF_STMT(BPF_RET | BPF_K, 0));
  const sock_fprog filter{.len = static_cast<std::uint16_t>(program.size()), .filter = program.data()};
  if (::setsockopt(socket.number(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0) {
    throw system_error("filter what comes through a Unix socket", errno);
  }
}

}  // namespace

WakeSocket::WakeSocket(const WakeName& name, const WakeKey& key) : socket_(datagram_socket()) {
  take_only(socket_, key);
  bind_to(socket_, address_of(name));
}

void WakeSocket::drain() noexcept {
  std::byte any;
  while (::recv(socket_.number(), &any, sizeof any, MSG_DONTWAIT | MSG_TRUNC) >= 0 || errno == EINTR) {
  }
}

Waker::Waker() : socket_(datagram_socket()) {}

bool Waker::reaches(const WakeName& name) {
  const Descriptor socket = datagram_socket();
  const AbstractAddress address = address_of(name);
  return ::connect(socket.number(), address.get(), address.bytes()) == 0;
}

// A full queue is one that wakes already.
void Waker::wake(const WakeName& name, const WakeKey& key) const noexcept {
  const AbstractAddress address = address_of(name);
  (void)::sendto(socket_.number(), &key, sizeof key, MSG_DONTWAIT | MSG_NOSIGNAL, address.get(), address.bytes());
}

}  // namespace comity::os
