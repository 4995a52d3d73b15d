// SPDX-License-Identifier: BSD-3-Clause
// Substrate: the harts of a process, the root of its schedulers, and the stacks of its fibers. Not: any policy but that of the
// root: a hart goes to the child that asks for one, spins a little while nobody does, and parks.
// Invariant: one in a process, as many harts at most as it may use CPUs; the thread that started it is the first of them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "os/threads/stack_area.hpp"
#include "sched/fibers/stack_pool.hpp"
#include "sched/harts/hart.hpp"
#include "sched/harts/hart_source.hpp"
#include "sched/harts/idle_harts.hpp"
#include "sched/harts/openmp_team.hpp"
#include "sched/scheduler.hpp"

namespace comity::sched {

struct SubstrateOptions {
  std::size_t harts = 0;  // at most; 0: as many as there are CPUs
  std::size_t stack_bytes = std::size_t{256} * 1024;
  std::optional<os::StackGuards> guards = {};  // below stacks; none: the best that the kernel has
  Nanoseconds spin{50'000};                    // of an idle hart, before it parks
  bool one_member_teams = false;               // of OpenMP, on each hart but where a task has more harts (openmp_team)
  Nanoseconds deadlock_after{250'000'000};     // with all harts parked, before it is looked whether anybody could go on
  std::function<void(const std::string& text)> on_deadlock =
      {};                  // none: the text goes to standard error, and the process aborts
  bool far_fences = true;  // false: none are made, as where the kernel has none
};

class Substrate {
 public:
  // The calling thread becomes a hart, and what it does from now on a fiber of the root. Throws Status::order where the
  // process has one already, Status::system where the kernel refuses a thread.
  Substrate(HartSource& source, const SubstrateOptions& options);
  // From the same fiber, when all schedulers have exited.
  ~Substrate();
  Substrate(const Substrate&) = delete;
  Substrate& operator=(const Substrate&) = delete;

  [[nodiscard]] Scheduler& root() noexcept { return *root_; }
  [[nodiscard]] std::size_t harts() const noexcept { return harts_.size(); }
  [[nodiscard]] Hart& hart(std::size_t number) noexcept { return *harts_[number]; }
  [[nodiscard]] StackPool& stacks() noexcept { return stacks_; }
  [[nodiscard]] const SubstrateOptions& options() const noexcept { return options_; }
  [[nodiscard]] int idle() const noexcept { return idle_.idle(); }
  [[nodiscard]] int parked() const noexcept { return idle_.parked(); }

  // Who asks for a hart next would like one of that NUMA node: of those that sleep one there is woken first.
  void wake_first_on(int node) noexcept {
    if (wake_first_.load(std::memory_order_relaxed) != node) wake_first_.store(node, std::memory_order_relaxed);
  }

  // How often it was looked, with all harts parked, whether anybody could go on.
  [[nodiscard]] std::uint64_t deadlock_looks() const noexcept {
    return deadlock_looks_.load(std::memory_order_relaxed);
  }

  // For a fiber that waits by looking again and again, and has found nothing else to do on its hart: as if that was parked.
  void look_for_deadlock(const Hart& looking) { (void)tell_deadlock(&looking); }

 private:
  friend class Hart;
  friend class Scheduler;
  class RootScheduler;

  void start_threads();
  void stop_threads() noexcept;
  void wake_for_requests() noexcept;
  // Whether all harts are parked; `looking` counts as that.
  [[nodiscard]] bool all_parked(const Hart* looking) const;
  // Whether then nobody can go on but by somebody from outside, of whom there is none.
  [[nodiscard]] bool is_stuck(const Hart* looking) const;
  [[nodiscard]] std::string find_deadlock(const Hart* looking);  // its sentence; "": there is none
  [[nodiscard]] std::string find_deadlock_if_possible(const Hart* looking) noexcept;
  bool tell_deadlock(const Hart* looking);  // once; whether there is one

  HartSource& source_;
  const SubstrateOptions options_;
  const bool has_far_fences_;  // joined before there are threads of ours: with several it takes the kernel milliseconds
  StackPool stacks_;
  std::optional<OverflowMessage> overflow_message_;
  std::vector<std::unique_ptr<Hart>> harts_;
  std::unique_ptr<Scheduler> root_;
  std::vector<std::thread> threads_;
  Fiber main_;
  Fiber* loop_stack_ = nullptr;  // of the first hart, whose own stack is the program's
  CpuSet mask_before_;
  std::optional<os::SignalStack> signal_stack_;
  std::optional<OneMemberTeams> teams_;  // of the first hart
  std::atomic<int> wake_first_{0};       // a node
  std::atomic<bool> told_deadlock_{false};
  std::atomic<std::uint64_t> deadlock_looks_{0};
  std::atomic<bool> stopping_{false};
  alignas(64) IdleHarts<> idle_;
};

}  // namespace comity::sched
