// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/beside.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace comity::os {
namespace {

sigset_t watched_signals() {
  sigset_t all;
  sigemptyset(&all);
  for (const int number : {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&all, number);
  return all;
}

// A terminal sends them to its whole group, the program included; what a process sends (kill -INT PID) may be for us alone.
bool is_of_a_terminal(const siginfo_t& signal) {
  return (signal.si_signo == SIGINT || signal.si_signo == SIGQUIT) && signal.si_code > 0;
}

// 0: it was time to look, or a signal that is none of these came.
int next_signal(const sigset_t& signals, siginfo_t& signal, const Meanwhile& meanwhile, pid_t child) {
  constexpr int kThousand = 1000;
  if (!meanwhile.look) return std::max(0, ::sigwaitinfo(&signals, &signal));
  const auto every_ms = meanwhile.every.count();
  const timespec every{every_ms / kThousand, every_ms % kThousand * kThousand * kThousand};
  const int number = ::sigtimedwait(&signals, &signal, &every);
  if (number < 0 && errno == EAGAIN) meanwhile.look(child);
  return std::max(0, number);
}

// Passes signals on until the child has ended.
int wait_for(pid_t child, const sigset_t& signals, const Meanwhile& meanwhile) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, WNOHANG)) == 0) {
    siginfo_t signal{};
    const int number = next_signal(signals, signal, meanwhile, child);
    if (number > 0 && number != SIGCHLD && !is_of_a_terminal(signal)) ::kill(child, number);
  }
  // Who was started to ignore SIGCHLD has no status of its children left.
  if (ended < 0) throw system_error("learn how the program ended", errno);
  return status;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Used run_beside(const std::vector<std::string>& words, const std::vector<Variable>& variables,
                const Meanwhile& meanwhile) {
  const std::int64_t begin_ns = now_ns();
  const sigset_t signals = watched_signals();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw system_error("start " + words.at(0), errno);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(EXIT_FAILURE);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    become(words, variables);
  }
  Used used;
  used.status = wait_for(child, signals, meanwhile);
  used.seconds = 1e-9 * static_cast<double>(now_ns() - begin_ns);
  rusage children{};
  ::getrusage(RUSAGE_CHILDREN, &children);
  used.cpu_seconds = seconds_of(children.ru_utime) + seconds_of(children.ru_stime);
  used.largest_bytes = static_cast<std::uint64_t>(children.ru_maxrss) * 1024;
  return used;
}

void end_as(int status) {
  if (WIFEXITED(status)) std::exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);  // the program has left its own
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, WTERMSIG(status));
  ::raise(WTERMSIG(status));
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);  // and here it ends, unless we were started to ignore that signal
  std::exit(128 + WTERMSIG(status));
}

}  // namespace comity::os
