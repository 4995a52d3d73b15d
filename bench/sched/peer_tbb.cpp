// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"
#include "common/timing.hpp"
#include "pinned.hpp"

#ifdef COMITY_BENCH_TBB
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
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

long fib_with(const Grain& grain, int n) {
  if (n < 2) return n;
  long left = 0;
  oneapi::tbb::task_group group;
  group.run([&] { left = fib_with(grain, n - 1); });
  compute(grain.ns);
  const long right = fib_with(grain, n - 2);
  group.wait();
  return left + right;
}

// Pins who comes to an arena by the place that he has there.
class Pinning : public oneapi::tbb::task_scheduler_observer {
 public:
  explicit Pinning(oneapi::tbb::task_arena& arena) : task_scheduler_observer(arena) { observe(true); }
  ~Pinning() override { observe(false); }
  void on_scheduler_entry(bool) override { pinned_.pin(oneapi::tbb::this_task_arena::current_thread_index()); }

 private:
  Pinned pinned_;
};

template <typename Work>
double on_two_threads(const Work& work) {
  (void)oneapi::tbb::info::default_concurrency();  // it counts the CPUs of who asks first: not of one that is pinned
  oneapi::tbb::task_arena arena(kThreads);
  const Pinning pinning(arena);
  return time_second([&] { arena.execute(work); });
}

}  // namespace

Once fib(const Grain& grain) {
  return [&grain] {
    return on_two_threads([&grain] { use(grain.ns > 0.0 ? fib_with(grain, grain.fib) : fib_of(grain.fib)); }) /
           static_cast<double>(tasks_of_fib(grain.fib));
  };
}

Once one_producer(const Grain& grain) {
  return [&grain] {
    return on_two_threads([&grain] {
             oneapi::tbb::task_group group;
             for (int i = 0; i < grain.tasks; ++i) group.run([&grain, i] { compute_grain(grain, i); });
             group.wait();
           }) /
           grain.tasks;
  };
}

Once parallel_for(const Grain& grain) {
  return [&grain] {
    return on_two_threads([&grain] {
             oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<long>(0, grain.indices), [&grain](const auto& part) {
               for (long i = part.begin(); i < part.end(); ++i) compute_grain(grain, i);
             });
           }) /
           static_cast<double>(grain.indices);
  };
}

#else

Once fib(const Grain&) { return {}; }
Once one_producer(const Grain&) { return {}; }
Once parallel_for(const Grain&) { return {}; }

#endif

}  // namespace bench::tbb
