// SPDX-License-Identifier: BSD-3-Clause
// BindingStack: the process's one stack of pushed bindings, so that contexts of independent libraries nest.
// Invariant: the process is bound to the top entry's mask, or to what it started with when the stack is empty; a push or
// pop that throws has changed nothing. A pop that the kernel refuses a thread its mask is done and says so; where it is the
// main thread, the top entry's mask is what that has. Another process may break it (taskset): look_anew() makes the top
// entry's mask true again. Source: 000_e1ccbc1c9e2b7238 III.C.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/cpu_set.hpp"
#include "context/binder.hpp"

namespace comity::context {

using Owner = std::uint64_t;  // a context's identity for life; never reused in a process

enum class Until : std::uint8_t { pop, leave };  // what ends an entry: a pop, or the end of the phase that made it

// What a thread that was bound alone gets back.
struct ThreadScope {
  pid_t thread;
  std::uint64_t under;  // the number of the push that was the innermost then; 0: none
  CpuSet before;
};

class BindingStack {
 public:
  struct Popped {
    CpuSet binding;  // of the process, from here on
    Restored restored;
  };

  // What of the process is in force.
  struct State {
    CpuSet pushed;   // the innermost push, empty without one
    CpuSet binding;  // where the process may run
    // What the main thread has, perhaps a part of it: as a member of a team it has a place of its own.
    CpuSet main_thread;
  };
  // Called under the lock after each change.
  using Observer = std::function<void(const State& now)>;

  explicit BindingStack(Binder& binder, Observer changed = {}) : binder_(binder), changed_(std::move(changed)) {}

  void push(Owner owner, const CpuSet& mask, Until until = Until::pop, TeamPolicy teams = TeamPolicy::place);
  // Throws Status::order unless the innermost entry is the owner's, and no phase's.
  Popped pop(Owner owner);
  // Takes an owner's entries but the first `keep` out, wherever they stand; the binding changes only if the top was among
  // them.
  Restored remove(Owner owner, int keep = 0) noexcept;
  // The same without moving any thread: for a fork child, whose parent's threads they are.
  void forget(Owner owner) noexcept;

  [[nodiscard]] int depth(Owner owner) const;
  [[nodiscard]] CpuSet binding() const { return state().binding; }
  [[nodiscard]] State state() const;
  // As binding(), of all threads: where they may be by the kernel's word. The innermost push counts, which members of a team
  // need not fill, while the main thread has what that has given it; moved since, the kernel's word alone. `tell` hears of
  // it, and of the main thread's mask, while no push or pop can happen.
  template <typename Tell>
  [[nodiscard]] CpuSet binding_of_threads(Tell&& tell) const {
    const std::lock_guard lock(mutex_);
    ThreadMasks masks = binder_.masks_of_threads();
    if (!entries_.empty() && entries_.back().before.given == masks.main_thread) {
      masks.all |= entries_.back().mask;
      masks.is_pushed = true;
    }
    tell(masks);
    return masks.all;
  }
  // The owner's entries leave the stack and the threads stay where they are, for good: what is below takes over what was
  // pushed, what is above gives it back.
  void keep(Owner owner);
  // The calling thread alone. Its release gives it what it had before, also where that is in the hands of a push that came
  // since; where the push is gone under which it was bound, the pop has done so.
  [[nodiscard]] ThreadScope bind_caller(pid_t caller, const CpuSet& mask);
  void release_caller(const ThreadScope& scope);
  std::vector<pid_t> note_helpers();  // as the binder
  // Asks the kernel. Where another process has moved this one since the innermost push, that is the binding until the pop.
  // Whoever listens is told in any case: a pop may have told of a mask from outside that is gone again.
  void look_anew();
  // Shows the present state while no push or pop can happen.
  void inspect(const Observer& look) const;
  // Takes a step while no push or pop can happen.
  template <typename Step>
  void hold(Step&& step) const {
    const std::lock_guard lock(mutex_);
    step();
  }

 private:
  struct Entry {
    Owner owner;
    CpuSet mask;  // the binding while this entry is the innermost
    Until until;
    std::uint64_t number;  // of the push, ascending in the stack
    Saved before;
  };

  [[nodiscard]] State current() const;
  Popped take_top() noexcept;
  void ask_kernel(Popped& popped) noexcept;
  void give_back_unreached(const Saved& removed, const Saved& above) const noexcept;
  // The main thread has this mask, whoever gave it: the innermost entry's from here on.
  void adopt(const CpuSet& now);
  // `binding`: where nothing is pushed; unknown: the kernel is asked.
  void notify(std::optional<CpuSet> binding) const;

  mutable std::mutex mutex_;
  Binder& binder_;
  Observer changed_;
  std::vector<Entry> entries_;
  std::uint64_t pushes_ = 0;  // so far
};

}  // namespace comity::context
