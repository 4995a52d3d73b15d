// SPDX-License-Identifier: BSD-3-Clause
// What a program gets that links libcomity_sched: the same as in basics.cpp and tasks.cpp through sched.hpp, beside the same peers. A call of
// the library lies between, which checks what it is given; the others measure what stands below it. A shared library of its own that shows
// nothing else: classes here have the names of those below, of which the linker would keep one.
#include <comity/sched.hpp>

#include "cases.hpp"
#include "common/timing.hpp"

namespace bench {
namespace {

namespace sched = comity::sched;

comity_sched_options options_of(int harts, sched::Kind kind) {
  comity_sched_options options{};
  options.harts = harts;
  options.scheduler = static_cast<std::int32_t>(kind);
  return options;
}

double fiber_switch() {
  constexpr int kSwitches = 2'000'000;
  sched::Harts harts(options_of(1, sched::Kind::round_robin));
  return harts.run([] {
    const auto yields = [] {
      for (int i = 0; i < kSwitches / 2; ++i) sched::yield();
    };
    const double start = now_ns();
    sched::Fiber first(yields);
    sched::Fiber second(yields);
    first.join();
    second.join();
    return (now_ns() - start) / kSwitches;
  });
}

void nothing(void*) {}

// As C has it: no closure on the heap.
void make_and_join() {
  comity_sched_fiber fiber;
  comity::check(comity_sched_spawn(nullptr, &nothing, nullptr, nullptr, &fiber));
  comity::check(comity_sched_join(&fiber));
}

double create_join() {
  sched::Harts harts(options_of(1, sched::Kind::round_robin));
  return harts.run([] { return time_loop(500'000, make_and_join); });
}

// By the program's first fiber, which stands above all schedulers, so that the fiber is one for any hart.
double create_join_2harts() {
  sched::Harts harts(options_of(kThreads, sched::Kind::round_robin));
  return time_loop(calls_within_budget(100'000, make_and_join), make_and_join);
}

long fib(int n) {
  if (n < 2) return n;
  long left = 0;
  sched::Group group;
  group.run([&left, n] { left = fib(n - 1); });
  const long right = fib(n - 2);
  group.wait();
  return left + right;
}

template <typename Work>
double on_two_harts(const Work& work) {
  sched::Harts harts(options_of(kThreads, sched::Kind::stealing));
  return harts.run([&work] { return time_second(work); });
}

double fib_once() {
  return on_two_harts([] { use(fib(kEmpty.fib)); }) / static_cast<double>(tasks_of_fib(kEmpty.fib));
}

double one_producer() {
  return on_two_harts([] {
           sched::Group group;
           for (int i = 0; i < kEmpty.tasks; ++i) group.run([i] { use(i); });
           group.wait();
         }) /
         kEmpty.tasks;
}

double parallel_for() {
  return on_two_harts([] {
           sched::parallel_for_parts(0, kEmpty.indices, [](std::int64_t first, std::int64_t last) {
             for (auto i = first; i < last; ++i) use(i);
           });
         }) /
         static_cast<double>(kEmpty.indices);
}

}  // namespace

// With the peers of the case that has the name without the ending.
[[gnu::visibility("default")]] std::vector<SchedCase> public_cases(const std::vector<SchedCase>& inside) {
  const auto beside = [&inside](std::string_view name) {
    for (const SchedCase& one : inside) {
      if (one.name == name) return one.peers;
    }
    return std::vector<Peer>();
  };
  return {
      {"fiber_switch_public", "ns", fiber_switch, beside("fiber_switch")},
      {"create_join_public", "ns", create_join, beside("create_join")},
      {"create_join_2harts_public", "ns", create_join_2harts, beside("create_join_2harts")},
      {"fib_public", "ns", fib_once, beside("fib")},
      {"one_producer_public", "ns", one_producer, beside("one_producer")},
      {"parallel_for_public", "ns", parallel_for, beside("parallel_for")},
  };
}

}  // namespace bench
