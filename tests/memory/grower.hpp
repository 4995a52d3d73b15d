// SPDX-License-Identifier: BSD-3-Clause
// The program of programs/grower.c, driven step by step from a test.
#pragma once

#include <sched.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

#include "os/proc.hpp"

namespace comity::memory {

class Grower {
 public:
  explicit Grower(const char* program) {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    if (::pipe2(to.data(), 0) != 0 || ::pipe2(from.data(), 0) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(to[0], 0);
      ::dup2(from[1], 1);
      for (const int file : {to[0], to[1], from[0], from[1]}) ::close(file);
      ::execl(program, program, nullptr);
      ::_exit(127);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = ::fdopen(to[1], "w");
    from_ = ::fdopen(from[0], "r");
    ready_ = answer() == "ready";
  }
  ~Grower() {
    end();
    std::fclose(from_);
  }
  Grower(const Grower&) = delete;
  Grower& operator=(const Grower&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] pid_t process() const { return process_; }

  // "done", or why not.
  std::string step(const std::string& name, unsigned mib) {
    std::fprintf(to_, "%s %u\n", name.c_str(), mib);
    std::fflush(to_);
    return answer();
  }

  void end() {
    if (to_ == nullptr) return;
    std::fclose(to_);
    to_ = nullptr;
    ::waitpid(process_, nullptr, 0);
  }

 private:
  std::string answer() {
    std::array<char, 200> line{};
    if (std::fgets(line.data(), line.size(), from_) == nullptr) return "it has ended";
    const std::string text = line.data();
    wait_until_it_sleeps();
    return text.substr(0, text.find('\n'));
  }

  // Behind its answer it runs code for the first time, which becomes resident; then it waits for the next line.
  void wait_until_it_sleeps() const {
    for (;;) {
      const auto stat = os::read_text("/proc/" + std::to_string(process_) + "/stat");
      if (!stat || stat->find(") S ") != std::string::npos || stat->find(") Z ") != std::string::npos) return;
      ::sched_yield();
    }
  }

  pid_t process_ = -1;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
  bool ready_ = false;
};

}  // namespace comity::memory
