// SPDX-License-Identifier: BSD-3-Clause
// oneTBB's pool as a test needs it: with enough workers, which an observer puts on a core each.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <atomic>
#include <vector>

#include "context/pool.hpp"

namespace comity::testing {

// oneTBB tells when a thread comes into the arena, which is when it takes its place.
class Places final : public tbb::task_scheduler_observer {
 public:
  Places(tbb::task_arena& arena, const Context& context) : task_scheduler_observer(arena), context_(context) {
    observe(true);
  }
  ~Places() override { observe(false); }
  void on_scheduler_entry(bool) override { place(context_, tbb::this_task_arena::current_thread_index()); }

 private:
  const Context& context_;
};

// oneTBB counts the CPUs of the process when it starts, and has no workers where the launcher bound the rank to one.
inline tbb::global_control allow(int members) {
  return {tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(members)};
}

// The CPUs of the members of the arena that came to the region. The first ones wait for the others, once a region.
inline std::vector<int> run_region(tbb::task_arena& arena, int members) {
  constexpr int kPatience_turns = 100'000;  // some hundred microseconds, in which the others may come
  std::vector<int> cpus(static_cast<std::size_t>(members), -1);
  std::atomic<int> come{0};
  std::atomic<bool> all_waited_for{false};
  arena.execute([&] {
    tbb::parallel_for(0, 8 * members, [&](int) {
      int& cpu = cpus[static_cast<std::size_t>(tbb::this_task_arena::current_thread_index())];
      if (cpu == -1) ++come;
      cpu = sched_getcpu();
      const auto waits = [&] { return come.load(std::memory_order_relaxed) < members && !all_waited_for; };
      for (int turn = 0; turn < kPatience_turns && waits(); ++turn) continue;
      all_waited_for = true;
    });
  });
  std::erase(cpus, -1);
  return cpus;
}

// Workers start one another in the background. False: the process did not come to `threads` threads.
inline bool start_workers(tbb::task_arena& arena, int members, std::size_t threads) {
  for (int region = 0; region < 20'000 && threads_of_this_process().size() < threads; ++region) {
    (void)run_region(arena, members);
  }
  return threads_of_this_process().size() >= threads;
}

}  // namespace comity::testing
