// SPDX-License-Identifier: BSD-3-Clause
// Tasks on two harts. [ns] a task, or an index; [%] where one hart is slow.
#include <algorithm>
#include <array>
#include <functional>

#include "cases.hpp"
#include "common/timing.hpp"
#include "harts.hpp"
#include "os/cpus/affinity.hpp"
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

// The CPU that the program is on is twice as fast as the others, so they say.
class OneFastCpu : public OwnCpus {
 public:
  [[nodiscard]] int speed_of(std::size_t cpu) const noexcept override { return cpu == fast_ ? 2 : 1; }

 private:
  const std::size_t fast_ = static_cast<std::size_t>(comity::os::current_cpu());
};

// [%] of the time in which the hart runs no task that is so longest; those on the slow hart are twice the work.
double slow_hart() {
  constexpr int kPieces = 3000;
  constexpr double kPiece_ns = 20e3;
  OneFastCpu cpus;
  Substrate substrate(cpus, {.harts = kThreads});
  Entered<Stealing> tasks(substrate.root());
  std::array<double, kThreads> busy_ns{};
  double all_ns = 0.0;
  compute(kPiece_ns);  // calibrates
  in_a_fiber(tasks, [&] {
    const double start = now_ns();
    Group group(tasks);
    for (int i = 0; i < kPieces; ++i) {
      group.run([&busy_ns] {
        const Hart& hart = *Hart::current();
        const double begun = now_ns();
        compute(hart.speed() == 2 ? kPiece_ns : 2 * kPiece_ns);
        busy_ns[hart.number()] += now_ns() - begun;
      });
    }
    group.wait();
    all_ns = now_ns() - start;
  });
  const auto harts = static_cast<std::ptrdiff_t>(substrate.harts());
  return 100.0 * (1.0 - *std::min_element(busy_ns.begin(), busy_ns.begin() + harts) / all_ns);
}

// With half of the tasks each the fast one is done after half of the time.
double idle_with_halves() { return 50.0; }

}  // namespace

std::vector<SchedCase> task_cases() {
  return {
      {"fib", "ns", fib_ours, {{"oneTBB", tbb::fib()}, {openmp::name(), openmp::fib(), openmp::kNap_s}}},
      {"one_producer",
       "ns",
       one_producer,
       {{"oneTBB", tbb::one_producer()}, {openmp::name(), openmp::one_producer(), openmp::kNap_s}}},
      {"parallel_for", "ns", parallel_for_ours, {{"oneTBB", tbb::parallel_for()}}},
      {"slow_hart", "%", slow_hart, {{"equal halves", idle_with_halves}}},
  };
}

}  // namespace bench
