// SPDX-License-Identifier: BSD-3-Clause
#include "os/files/line_socket.hpp"

#include <sys/socket.h>

#include <cerrno>

namespace comity::os {
namespace {

constexpr std::size_t kLongestLine = 4096;

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<char> next_sign(int socket) {
  char sign = 0;
  while (true) {
    const ssize_t got = ::recv(socket, &sign, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    return got == 1 ? std::optional(sign) : std::nullopt;
  }
}

}  // namespace

std::optional<std::string> ask(int socket, std::string_view question) {
  if (!send_all(socket, question)) return std::nullopt;
  std::string answer;
  while (const auto sign = next_sign(socket)) {
    if (*sign == '\n') return answer;
    if (answer.size() == kLongestLine) return std::nullopt;
    answer += *sign;
  }
  return std::nullopt;
}

}  // namespace comity::os
