// SPDX-License-Identifier: BSD-3-Clause
#include "faults/interrupter.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <ctime>

namespace comity::testing {
namespace {

constexpr std::int64_t kWhile_ns = 150'000'000;  // many slices of the tests' liveness

void* number(long value) { return reinterpret_cast<void*>(value); }

bool attach(pid_t victim) {
  if (::ptrace(PTRACE_SEIZE, victim, nullptr, number(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)) != 0) return false;
  if (::ptrace(PTRACE_INTERRUPT, victim, nullptr, nullptr) != 0) return false;
  int status = 0;
  return ::waitpid(victim, &status, __WALL) == victim && WIFSTOPPED(status);
}

// Goes on to before or after the next system call, or to behind the next instruction; signals are handed on.
enum class Stop { system_call, instruction, other, ended };
Stop go_to_next_stop(pid_t victim, Grain grain, int& signal) {
  const bool by_calls = grain == Grain::system_calls;
  if (::ptrace(by_calls ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, victim, nullptr, number(signal)) != 0) return Stop::ended;
  int status = 0;
  if (::waitpid(victim, &status, __WALL) != victim || !WIFSTOPPED(status)) return Stop::ended;
  signal = 0;
  if (WSTOPSIG(status) == (SIGTRAP | 0x80)) return Stop::system_call;
  if (!by_calls && status >> 16 == 0 && WSTOPSIG(status) == SIGTRAP) return Stop::instruction;
  if (status >> 16 == 0) signal = WSTOPSIG(status);
  return Stop::other;
}

void strike(InterruptWords& words, pid_t victim, Blow blow) {
  words.struck.store(true);
  if (blow == Blow::kill) {
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, __WALL);
    return;
  }
  words.counting.store(0);
  ::ptrace(PTRACE_DETACH, victim, nullptr, number(SIGSTOP));
  const timespec pause{.tv_sec = 0, .tv_nsec = kWhile_ns};
  ::nanosleep(&pause, nullptr);
  ::kill(victim, SIGCONT);
}

void lie_in_wait(InterruptWords& words, int nth, Blow blow, Grain grain) {
  while (words.victim.load() == 0) ::sched_yield();
  const pid_t victim = words.victim.load();
  const bool attached = attach(victim);
  words.refused.store(!attached);
  words.attached.store(true);
  int signal = 0;
  const Stop counted = grain == Grain::system_calls ? Stop::system_call : Stop::instruction;
  while (attached) {
    const bool counting = words.counting.load() != 0;
    const Stop stop = go_to_next_stop(victim, counting ? grain : Grain::system_calls, signal);
    if (stop == Stop::ended) return;
    if (words.over.load()) break;
    if (stop != counted || words.counting.load() == 0) continue;
    if (words.stops.fetch_add(1) + 1 == nth) return strike(words, victim, blow);
  }
  if (attached) ::ptrace(PTRACE_DETACH, victim, nullptr, nullptr);
}

}  // namespace

Interrupter::Interrupter(InterruptWords& words, int nth, Blow blow, Grain grain) : process_(::fork()) {
  if (process_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  lie_in_wait(words, nth, blow, grain);
  ::_exit(0);
}

void Interrupter::finish() { ::waitpid(process_, nullptr, 0); }

Step::Step(InterruptWords& words) : words_(words) {
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // where the Yama module asks for it
  words_.victim.store(::getpid());
  while (!words_.attached.load()) ::sched_yield();
  words_.counting.store(1);
  ::sched_yield();  // so that a step without system calls has stops too: at its start and at its end
}

Step::~Step() {
  ::sched_yield();
  words_.counting.store(0);
  words_.over.store(true);
  ::sched_yield();  // a system call at which the interrupter sees it
}

}  // namespace comity::testing
