// SPDX-License-Identifier: BSD-3-Clause
// Unix datagram sockets of the abstract name space: names are no files, so nothing is left behind. Not: what is sent (unix_socket,
// wake_socket).
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string_view>

#include "os/files/descriptor.hpp"

namespace comity::os {

class AbstractAddress {
 public:
  explicit AbstractAddress(std::string_view name);  // of any bytes; what does not fit is left out

  [[nodiscard]] sockaddr* get() { return reinterpret_cast<sockaddr*>(&place_); }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&place_); }
  [[nodiscard]] socklen_t bytes() const { return bytes_; }

 private:
  sockaddr_un place_{};
  socklen_t bytes_ = 0;
};

// Throws Status::system.
[[nodiscard]] Descriptor datagram_socket();
void bind_to(const Descriptor& socket, const AbstractAddress& address);

}  // namespace comity::os
