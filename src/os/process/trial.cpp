// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/trial.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "base/error.hpp"

namespace comity::os {
namespace {

[[noreturn]] void try_it(const std::function<void()>& act, std::chrono::seconds limit) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) (void)::dup2(nowhere, output);
  const rlimit no_core{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  ::alarm(static_cast<unsigned>(limit.count()));
  try {
    act();
  } catch (const std::exception&) {
    ::_exit(0);
  }
  ::_exit(0);
}

}  // namespace

std::string why_it_ends(const std::function<void()>& act, std::chrono::seconds limit) {
  const pid_t child = ::fork();
  if (child < 0) throw system_error("fork a child", errno);
  if (child == 0) try_it(act, limit);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw system_error("wait for a child", errno);
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
    return "it had not ended after " + std::to_string(limit.count()) + " s";
  }
  if (WIFSIGNALED(status)) return std::string("it was ended by a signal, ") + ::strsignal(WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : "it left with exit code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace comity::os
