// SPDX-License-Identifier: BSD-3-Clause
// Tasks on two harts. [ns] a task, or an index.
#include <atomic>
#include <functional>

#include "cases.hpp"
#include "common/timing.hpp"
#include "harts.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/parallel.hpp"

namespace bench {
namespace {

using namespace comity::sched;

// As the peers' are written: a task for one half, the other half here.
long fib(Stealing& tasks, int n) {
  if (n < 2) return n;
  long left = 0;
  Group group(tasks);
  group.run([&] { left = fib(tasks, n - 1); });
  const long right = fib(tasks, n - 2);
  group.wait();
  return left + right;
}

long tasks_of_fib(int n) { return n < 2 ? 0 : 1 + tasks_of_fib(n - 1) + tasks_of_fib(n - 2); }

double on_two_harts(const std::function<void(Stealing&)>& work) {
  Harts harts(kThreads, 256 * 1024);
  Entered<Stealing> tasks(harts.substrate.root());
  double ns = 0.0;
  in_a_fiber(tasks, [&] {
    work(tasks);
    const double start = now_ns();
    work(tasks);
    ns = now_ns() - start;
  });
  return ns;
}

double fib_ours() {
  static const long count = tasks_of_fib(kFib);
  return on_two_harts([](Stealing& tasks) { use(fib(tasks, kFib)); }) / static_cast<double>(count);
}

double one_producer() {
  return on_two_harts([](Stealing& tasks) {
           Group group(tasks);
           for (int i = 0; i < kTasks; ++i) group.run([i] { use(i); });
           group.wait();
         }) /
         kTasks;
}

double parallel_for_ours() {
  return on_two_harts([](Stealing& tasks) {
           parallel_for(tasks, {0, kIndices}, 0, [](Range part) {
             for (auto i = part.begin; i < part.end; ++i) use(i);
           });
         }) /
         static_cast<double>(kIndices);
}

}  // namespace

std::vector<SchedCase> task_cases() {
  return {
      {"fib", "ns", fib_ours, {{"oneTBB", tbb::fib()}, {openmp::name(), openmp::fib(), openmp::kNap_s}}},
      {"one_producer",
       "ns",
       one_producer,
       {{"oneTBB", tbb::one_producer()}, {openmp::name(), openmp::one_producer(), openmp::kNap_s}}},
      {"parallel_for", "ns", parallel_for_ours, {{"oneTBB", tbb::parallel_for()}}},
  };
}

}  // namespace bench
