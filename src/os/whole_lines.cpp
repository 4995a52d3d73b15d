// SPDX-License-Identifier: BSD-3-Clause
#include "os/whole_lines.hpp"

#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace comity::os {
namespace {

constexpr int kMostWaits = 30'000;  // of a millisecond

void wait_until_read(int file) {
  int unread = 0;
  for (int wait = 0; wait < kMostWaits && ::ioctl(file, FIONREAD, &unread) == 0 && unread > 0; ++wait) {
    ::poll(nullptr, 0, 1);
  }
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = ::write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return true;
}

}  // namespace

bool write_whole_lines(int file, const std::string& text) {
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = rest.size();
    if (end > PIPE_BUF) end = rest.rfind('\n', PIPE_BUF - 1) + 1;
    if (end == 0) end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    wait_until_read(file);
    if (!write_all(file, rest.substr(0, end))) return false;
    rest.remove_prefix(end);
  }
  return true;
}

}  // namespace comity::os
