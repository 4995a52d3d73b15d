// SPDX-License-Identifier: BSD-3-Clause
#include "common/system_calls.hpp"

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace bench {
namespace {

constexpr int kUnknown = -1;

// One way from one process to another.
class Pipe {
 public:
  Pipe() {
    if (::pipe(ends_.data()) != 0) throw std::runtime_error("a pipe is refused");
  }
  ~Pipe() {
    ::close(ends_[0]);
    if (gives_) ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void give(int number) const { (void)!::write(ends_[1], &number, sizeof(number)); }
  // Nothing is given here any more: who takes learns of the other's end.
  void only_take() {
    ::close(ends_[1]);
    gives_ = false;
  }
  [[nodiscard]] int take() const {
    int number = kUnknown;
    return ::read(ends_[0], &number, sizeof(number)) == sizeof(number) ? number : kUnknown;
  }

 private:
  std::array<int, 2> ends_{};
  bool gives_ = true;
};

void mark() { (void)::syscall(SYS_getppid); }

constexpr std::int64_t kNoCall = -1, kNotTold = -2;

// The system call that a stopped thread is about to make; kNoCall where it stopped on its way out of one, or else; kNotTold by
// a kernel that does not tell (before Linux 5.3).
std::int64_t entered(pid_t thread, int status) {
  if (!WIFSTOPPED(status) || WSTOPSIG(status) != (SIGTRAP | 0x80)) return kNoCall;
  __ptrace_syscall_info info{};
  const auto size = reinterpret_cast<void*>(sizeof(info));
  if (::ptrace(PTRACE_GET_SYSCALL_INFO, thread, size, &info) < 0) return kNotTold;
  return info.op == PTRACE_SYSCALL_INFO_ENTRY ? static_cast<std::int64_t>(info.entry.nr) : kNoCall;
}

// From the first mark to the second.
int count_between_marks(pid_t thread) {
  int marks = 0;
  int calls = 0;
  for (int status = 0; ::waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status);) {
    const std::int64_t call = entered(thread, status);
    if (call == kNotTold) return kUnknown;
    if (call == SYS_getppid && ++marks == 2) return calls;
    if (call != SYS_getppid && call != kNoCall && marks == 1) ++calls;
    // A signal that it is stopped by is its own; stops of the tracing are not.
    const int signal = WSTOPSIG(status);
    const bool of_tracing = signal == (SIGTRAP | 0x80) || (status >> 16) != 0;
    if (::ptrace(PTRACE_SYSCALL, thread, nullptr, of_tracing ? 0 : signal) != 0) break;
  }
  return kUnknown;
}

[[noreturn]] void trace(pid_t thread, const Pipe& begin, const Pipe& attached, const Pipe& count) {
  (void)begin.take();
  const bool seized = ::ptrace(PTRACE_SEIZE, thread, nullptr, PTRACE_O_TRACESYSGOOD) == 0 &&
                      ::ptrace(PTRACE_INTERRUPT, thread, nullptr, nullptr) == 0;
  attached.give(seized ? 0 : kUnknown);
  count.give(seized ? count_between_marks(thread) : kUnknown);
  ::_exit(0);  // the kernel lets go of the thread
}

}  // namespace

std::optional<int> count_system_calls(const std::function<void()>& step) {
  const Pipe begin;
  Pipe attached, count;
  const auto thread = static_cast<pid_t>(::syscall(SYS_gettid));
  const pid_t tracer = ::fork();
  if (tracer < 0) return std::nullopt;
  if (tracer == 0) trace(thread, begin, attached, count);
  attached.only_take();
  count.only_take();
  ::prctl(PR_SET_PTRACER, tracer);  // unknown to kernels that need it not
  begin.give(0);
  int calls = kUnknown;
  if (attached.take() != kUnknown) {
    mark();
    step();
    mark();
    calls = count.take();
  }
  ::waitpid(tracer, nullptr, 0);
  return calls == kUnknown ? std::nullopt : std::optional(calls);
}

}  // namespace bench
