// SPDX-License-Identifier: BSD-3-Clause
// HugePages: pages of hugetlbfs for one test, added to those that the machine has and given back behind it, also where it is killed
// (hold_huge_pages.sh). None where this user may not ask for them, or the machine has no room.
#pragma once

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace comity::memory {

class HugePages {
 public:
  explicit HugePages(int pages) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return;
    start_holder(std::to_string(pages), ends[1]);
    ::close(ends[1]);
    holder_ = ends[0];
    while (const char letter = read_letter()) {
      if (letter == '\n') break;
    }
  }
  ~HugePages() {
    if (holder_ < 0) return;
    ::shutdown(holder_, SHUT_WR);
    while (read_letter() != '\0') {  // until they are given back
    }
    ::close(holder_);
  }
  HugePages(const HugePages&) = delete;
  HugePages& operator=(const HugePages&) = delete;

 private:
  static void start_holder(const std::string& pages, int end) {
    const pid_t starter = ::fork();
    if (starter == 0) {
      ::dup2(end, STDIN_FILENO);
      ::dup2(end, STDOUT_FILENO);
      ::execlp("sh", "sh", TEST_HUGE_PAGES_HOLDER, pages.c_str(), nullptr);
      ::_exit(127);
    }
    if (starter > 0) ::waitpid(starter, nullptr, 0);
  }

  // 0: the holder has ended.
  [[nodiscard]] char read_letter() const {
    char letter = '\0';
    return ::read(holder_, &letter, 1) == 1 ? letter : '\0';
  }

  int holder_ = -1;
};

}  // namespace comity::memory
