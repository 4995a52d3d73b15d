// SPDX-License-Identifier: BSD-3-Clause
// AsideStack: room for work of ours in a thread of the program's that may stand on a small stack, as a fiber's or a signal handler's. Where the
// thread is on the stack that the system gave it, and that has room, the work is done there: collectors of garbage, and who else looks for
// a thread's stack, find nothing unusual. Not: stacks that are left and come back to (sched).
// Invariant: one work at a time stands on it; whoever comes meanwhile stays where he is.
#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

namespace comity::os {

class AsideStack {
 public:
  // What one work may take of a stack; a signal handler of the program's that interrupts it has as much again.
  static constexpr std::size_t kRoom_bytes = std::size_t{64} << 10U;

  // Throws std::bad_alloc.
  AsideStack();
  ~AsideStack();
  AsideStack(const AsideStack&) = delete;
  AsideStack& operator=(const AsideStack&) = delete;

  // work() throws nothing, and comes back.
  template <typename Work>
  void run(Work&& work) noexcept {
    using Plain = std::remove_reference_t<Work>;
    run_plain([](void* with) { (*static_cast<Plain*>(with))(); }, const_cast<std::remove_const_t<Plain>*>(&work));
  }

 private:
  void run_plain(void (*work)(void* with), void* with) noexcept;
  void call_there(void (*work)(void* with), void* with) noexcept;

  std::byte* memory_;
  std::atomic<bool> is_taken_{false};
};

}  // namespace comity::os
