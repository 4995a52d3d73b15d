// SPDX-License-Identifier: BSD-3-Clause
#include "os/code/fault_message.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>

#include "base/error.hpp"

namespace comity::os {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS};
constexpr std::size_t kStackBytes = std::size_t{64} * 1024;

struct Asked {
  FaultMessage::Describe describe;
  const void* with;
  std::array<struct sigaction, kSignals.size()> before;
};
Asked asked;
std::atomic<bool> in_use{false};

const struct sigaction& before(int signal) { return asked.before[signal == kSignals[0] ? 0 : 1]; }

void say(const void* address) {
  std::array<char, 512> text;
  const std::size_t bytes = asked.describe(asked.with, address, text);
  if (bytes > 0) (void)!::write(STDERR_FILENO, text.data(), bytes);
}

void handle(int signal, siginfo_t* about, void* state) {
  if (in_use) say(about->si_addr);  // a handler after us may still lead here
  const struct sigaction& old = before(signal);
  if ((old.sa_flags & SA_SIGINFO) != 0) {
    old.sa_sigaction(signal, about, state);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  } else {
    // The touch is tried again when we return, and ends the process where it happened.
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    (void)::sigaction(signal, &standard, nullptr);
  }
}

}  // namespace

FaultMessage::FaultMessage(Describe describe, const void* with) {
  if (in_use.exchange(true)) throw Error(Status::order, "a second watch for stacks that run over; end the first one");
  asked.describe = describe;
  asked.with = with;
  struct sigaction ours {};
  ours.sa_sigaction = &handle;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) (void)::sigaction(kSignals[i], &ours, &asked.before[i]);
}

FaultMessage::~FaultMessage() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction now {};
    (void)::sigaction(kSignals[i], nullptr, &now);
    // Who came after us calls us no more than we may be called: left alone, for its way back leads through us.
    if (now.sa_sigaction == &handle) (void)::sigaction(kSignals[i], &asked.before[i], nullptr);
  }
  in_use = false;
}

SignalStack::SignalStack() {
  stack_t now{};
  if (::sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) return;
  void* memory = ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw system_error("map a stack for signal handlers", errno);
  const stack_t ours{.ss_sp = memory, .ss_flags = 0, .ss_size = kStackBytes};
  if (::sigaltstack(&ours, nullptr) != 0) {
    const int cause = errno;
    ::munmap(memory, kStackBytes);
    throw system_error("give signal handlers a stack of their own", cause);
  }
  memory_ = memory;
}

SignalStack::~SignalStack() {
  if (memory_ == nullptr) return;
  const stack_t none{.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  (void)::sigaltstack(&none, nullptr);
  ::munmap(memory_, kStackBytes);
}

}  // namespace comity::os
