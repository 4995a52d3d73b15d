// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/idle_child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/error.hpp"

namespace comity::os {

IdleChild::IdleChild() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw system_error("make a pipe", errno);
  const Descriptor listen(ends[0]);
  hold_ = Descriptor(ends[1]);
  pid_ = ::fork();
  if (pid_ < 0) throw system_error("fork a child", errno);
  if (pid_ > 0) return;
  ::close(hold_.number());
  char byte = 0;
  while (::read(listen.number(), &byte, 1) < 0 && errno == EINTR) {
  }
  ::_exit(0);
}

IdleChild::~IdleChild() {
  hold_ = Descriptor();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace comity::os
