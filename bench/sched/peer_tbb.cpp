// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"
#include "common/timing.hpp"

#ifdef COMITY_BENCH_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace bench::tbb {

#ifdef COMITY_BENCH_TBB

namespace {

long fib_of(int n) {
  if (n < 2) return n;
  long left = 0;
  oneapi::tbb::task_group group;
  group.run([&] { left = fib_of(n - 1); });
  const long right = fib_of(n - 2);
  group.wait();
  return left + right;
}

long tasks_of_fib(int n) { return n < 2 ? 0 : 1 + tasks_of_fib(n - 1) + tasks_of_fib(n - 2); }

template <typename Work>
double on_two_threads(const Work& work) {
  oneapi::tbb::task_arena arena(kThreads);
  arena.execute(work);
  return time_loop(1, [&] { arena.execute(work); });
}

}  // namespace

Once fib() {
  return [] {
    static const auto count = static_cast<double>(tasks_of_fib(kFib));
    return on_two_threads([] { use(fib_of(kFib)); }) / count;
  };
}

Once one_producer() {
  return [] {
    return on_two_threads([] {
             oneapi::tbb::task_group group;
             for (int i = 0; i < kTasks; ++i) group.run([i] { use(i); });
             group.wait();
           }) /
           kTasks;
  };
}

Once parallel_for() {
  return [] {
    return on_two_threads([] {
             oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<long>(0, kIndices), [](const auto& part) {
               for (long i = part.begin(); i < part.end(); ++i) use(i);
             });
           }) /
           static_cast<double>(kIndices);
  };
}

#else

Once fib() { return {}; }
Once one_producer() { return {}; }
Once parallel_for() { return {}; }

#endif

}  // namespace bench::tbb
