// SPDX-License-Identifier: BSD-3-Clause
// What is said before a process dies of touching memory that it must not. Not in libcomity, which installs no handler: only
// where somebody asked for threads of ours (sched).
#pragma once

#include <cstddef>
#include <span>

namespace comity::os {

// While it lives, a touch that the kernel refuses is looked at first: `describe` writes what to say of that address into the
// text and returns its length, 0 where it is no matter of ours. It runs in a signal handler. Then all goes as without us:
// the handler that was there before, or the signal itself. One at a time in a process; throws Status::order for a second.
class FaultMessage {
 public:
  using Describe = std::size_t (*)(const void* with, const void* address, std::span<char> text) noexcept;

  FaultMessage(Describe describe, const void* with);
  ~FaultMessage();
  FaultMessage(const FaultMessage&) = delete;
  FaultMessage& operator=(const FaultMessage&) = delete;
};

// The calling thread's signal handlers run on a stack of their own meanwhile: one that has run over cannot hold them. A stack
// that the thread had already for that is kept.
class SignalStack {
 public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_ = nullptr;
};

}  // namespace comity::os
