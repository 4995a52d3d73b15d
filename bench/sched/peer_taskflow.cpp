// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>

#include "cases.hpp"
#include "common/timing.hpp"
#include "pinned.hpp"

#ifdef COMITY_BENCH_TASKFLOW
#include <taskflow/algorithm/for_each.hpp>
#include <taskflow/taskflow.hpp>
#endif

namespace bench::taskflow {

#ifdef COMITY_BENCH_TASKFLOW

namespace {

constexpr int kSmallerFib = 22;

// A task for each half, as its own example has it: one that goes on in place cannot wait for the other alone.
long fib_of(const Grain& grain, int n, tf::Subflow& here) {
  if (n < 2) return n;
  long left = 0;
  long right = 0;
  here.emplace([&](tf::Subflow& below) { left = fib_of(grain, n - 1, below); });
  here.emplace([&](tf::Subflow& below) { right = fib_of(grain, n - 2, below); });
  if (grain.ns > 0.0) compute(grain.ns);
  here.join();
  return left + right;
}

// Its workers, on a CPU each.
class Workers {
 public:
  Workers() {
    std::atomic<int> come{0};
    for (int member = 0; member < kThreads; ++member) {
      executor_.silent_async([&] {
        pinned_.pin(come++);
        while (come < kThreads) {
        }
      });
    }
    executor_.wait_for_all();
  }
  tf::Executor& executor() { return executor_; }

 private:
  Pinned pinned_;
  tf::Executor executor_{static_cast<std::size_t>(kThreads)};
};

double time_flow(tf::Taskflow& flow) {
  Workers workers;
  return time_second([&] { workers.executor().run(flow).wait(); });
}

}  // namespace

Once fib(const Grain& grain) {
  return [&grain] {
    const int n = std::min(grain.fib, kSmallerFib);
    tf::Taskflow flow;
    flow.emplace([&grain, n](tf::Subflow& here) { use(fib_of(grain, n, here)); });
    return time_flow(flow) / (2.0 * static_cast<double>(tasks_of_fib(n)));
  };
}

Once one_producer(const Grain& grain) {
  return [&grain] {
    Workers workers;
    const auto all = [&] {
      for (int i = 0; i < grain.tasks; ++i) workers.executor().silent_async([&grain, i] { compute_grain(grain, i); });
      workers.executor().wait_for_all();
    };
    return time_second(all) / grain.tasks;
  };
}

// Its parts are of one index each unless they are told, so each of its own takes as many as one of oneTBB's.
Once parallel_for(const Grain& grain) {
  return [&grain] {
    constexpr long kParts = 256;
    const long step = std::max(grain.indices / kParts, 1L);
    tf::Taskflow flow;
    flow.for_each_index(0L, grain.indices, step, [&grain, step](long first) {
      for (long i = first; i < std::min(first + step, grain.indices); ++i) compute_grain(grain, i);
    });
    return time_flow(flow) / static_cast<double>(grain.indices);
  };
}

#else

Once fib(const Grain&) { return {}; }
Once one_producer(const Grain&) { return {}; }
Once parallel_for(const Grain&) { return {}; }

#endif

}  // namespace bench::taskflow
