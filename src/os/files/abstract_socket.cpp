// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/abstract_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/error.hpp"

namespace comity::os {

// The first byte stays 0, which is what makes a name abstract.
AbstractAddress::AbstractAddress(std::string_view name) {
  place_.sun_family = AF_UNIX;
  const std::size_t length = std::min(name.size(), sizeof(place_.sun_path) - 1);
  std::memcpy(place_.sun_path + 1, name.data(), length);
  bytes_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
}

Descriptor datagram_socket() {
  Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) throw system_error("make a Unix socket", errno);
  return socket;
}

void bind_to(const Descriptor& socket, const AbstractAddress& address) {
  if (::bind(socket.number(), address.get(), address.bytes()) != 0) {
    throw system_error("bind an abstract Unix socket", errno);
  }
}

}  // namespace comity::os
