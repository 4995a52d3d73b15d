// SPDX-License-Identifier: BSD-3-Clause
// Tasks on two harts. [ns] a task, or an index, with what it computes; [%] where one hart is slow.
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

// The same, but that each call computes something.
long fib_with(Stealing& tasks, const Grain& grain, int n) {
  if (n < 2) return n;
  long left = 0;
  Group group(tasks);
  group.run([&] { left = fib_with(tasks, grain, n - 1); });
  compute(grain.ns);
  const long right = fib_with(tasks, grain, n - 2);
  group.wait();
  return left + right;
}

double on_two_harts(const std::function<void(Stealing&)>& work) {
  Harts harts(kThreads, std::size_t{256} * 1024);
  Entered<Stealing> tasks(harts.substrate.root());
  double ns = 0.0;
  in_a_fiber(tasks, [&] { ns = time_second([&] { work(tasks); }); });
  return ns;
}

double fib_ours(const Grain& grain) {
  return on_two_harts([&grain](Stealing& tasks) {
           use(grain.ns > 0.0 ? fib_with(tasks, grain, grain.fib) : fib(tasks, grain.fib));
         }) /
         static_cast<double>(tasks_of_fib(grain.fib));
}

double one_producer(const Grain& grain) {
  return on_two_harts([&grain](Stealing& tasks) {
           Group group(tasks);
           for (int i = 0; i < grain.tasks; ++i) group.run([&grain, i] { compute_grain(grain, i); });
           group.wait();
         }) /
         grain.tasks;
}

double parallel_for_ours(const Grain& grain) {
  return on_two_harts([&grain](Stealing& tasks) {
           parallel_for(tasks, {0, grain.indices}, 0, [&grain](Range part) {
             for (auto i = part.begin; i < part.end; ++i) compute_grain(grain, i);
           });
         }) /
         static_cast<double>(grain.indices);
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

// The names of the three with that grain.
struct Names {
  std::string_view fib, one_producer, parallel_for;
};

void add_cases(std::vector<SchedCase>& cases, const Names& names, const Grain& grain) {
  cases.push_back({names.fib,
                   "ns",
                   [&grain] { return fib_ours(grain); },
                   {{"oneTBB", tbb::fib(grain)},
                    {openmp::name(), openmp::fib(grain)},
                    {"Taskflow", taskflow::fib(grain)},
                    {"Boost.Fiber", boost_fiber::fib(grain)}}});
  cases.push_back({names.one_producer,
                   "ns",
                   [&grain] { return one_producer(grain); },
                   {{"oneTBB", tbb::one_producer(grain)},
                    {openmp::name(), openmp::one_producer(grain)},
                    {"Taskflow", taskflow::one_producer(grain)},
                    {"Boost.Fiber", boost_fiber::one_producer(grain)}}});
  cases.push_back({names.parallel_for,
                   "ns",
                   [&grain] { return parallel_for_ours(grain); },
                   {{"oneTBB", tbb::parallel_for(grain)}, {"Taskflow", taskflow::parallel_for(grain)}}});
  // Of these there are figures of elsewhere of tasks that do nothing.
  const bool is_empty = grain.ns == 0.0;
  const auto add = [&cases, is_empty](std::size_t from_last, const Peer& peer, bool is_here) {
    if (is_empty || is_here) cases[cases.size() - from_last].peers.push_back(peer);
  };
  add(3, argobots_or(argobots::fib(grain), 46.0), argobots::fib(grain) != nullptr);
  add(3, qthreads_or(qthreads::fib(grain), 173.0), qthreads::fib(grain) != nullptr);
  add(2, argobots_or(argobots::one_producer(grain), 23.0), argobots::one_producer(grain) != nullptr);
  add(2, qthreads_or(qthreads::one_producer(grain), 173.0), qthreads::one_producer(grain) != nullptr);
}

}  // namespace

std::vector<SchedCase> task_cases() {
  constexpr std::array<Names, kGrains.size()> kNames{{{"fib_1us", "one_producer_1us", "parallel_for_1us"},
                                                      {"fib_10us", "one_producer_10us", "parallel_for_10us"},
                                                      {"fib_100us", "one_producer_100us", "parallel_for_100us"}}};
  std::vector<SchedCase> cases;
  add_cases(cases, {"fib", "one_producer", "parallel_for"}, kEmpty);
  for (std::size_t i = 0; i < kGrains.size(); ++i) add_cases(cases, kNames[i], kGrains[i]);
  cases.push_back({"slow_hart", "%", slow_hart, {{"equal halves", idle_with_halves}}});
  return cases;
}

}  // namespace bench
