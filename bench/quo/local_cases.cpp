// SPDX-License-Identifier: BSD-3-Clause
#include <omp.h>
#include <sched.h>

#include <optional>

#include "common/system_calls.hpp"
#include "quo/cases.hpp"
#include "quo/threads.hpp"

namespace bench::quo {
namespace {

using comity::Context;
using comity::Resource;

void ask_the_kernel() {
  cpu_set_t mask;
  use(sched_getaffinity(0, sizeof(mask), &mask));
}

// The threads of an OpenMP pool of two that a push moves.
template <typename Push>
std::vector<Moved> moved_by(Push&& push, Context& context) {
#pragma omp parallel num_threads(2)
  use(omp_get_thread_num());
  const std::vector<ThreadMask> before = masks_of_all_threads();
  push();
  std::vector<Moved> moved = moved_threads(before, masks_of_all_threads());
  context.pop();
  return moved;
}

Outcome outcome_of_push(const char* name, const char* reference, const std::vector<Moved>& moved) {
  Outcome outcome{name, "ns", reference, {}, {}};
  outcome.extra.emplace_back("threads_moved", static_cast<double>(moved.size()));
  return outcome;
}

template <typename Push>
Outcome measure_push(const char* name, Context& context, Push&& push) {
  const std::vector<Moved> moved = moved_by(push, context);
  Outcome outcome = outcome_of_push(name, "two sched_setaffinity a thread that moves", moved);
  if (moved.empty()) return outcome;  // one core: there is nowhere to go
  alternate(
      outcome, kBatches, kLoop,
      [&] {
        push();
        context.pop();
      },
      [&] { move_there_and_back(moved); });
  return outcome;
}

template <typename Push>
Halves measure_push_and_pop(const char* push_name, const char* pop_name, Context& context, Push&& push) {
  const std::vector<Moved> moved = moved_by(push, context);
  Halves halves{outcome_of_push(push_name, "a sched_setaffinity a thread that moves", moved),
                outcome_of_push(pop_name, "a sched_setaffinity a thread that moved", moved)};
  if (moved.empty()) return halves;
  const auto pop = [&] { context.pop(); };
  const int calls = calls_within_budget(kLoop, [&] {
    push();
    pop();
  });
  repeat_within_budget(kBatches, [&] {
    const HalfTimes reference = time_halves(
        calls, [&] { move_there(moved); }, [&] { move_back(moved); });
    halves.add(time_halves(calls, push, pop), reference);
  });
  return halves;
}

// Takes the spread's push away for the time of a measurement: then nothing has bound the rank.
template <typename Measure>
auto while_unbound(Context& context, int own_core, Measure&& measure) {
  context.pop();
  auto found = measure();
  context.push(Resource::core, own_core);
  return found;
}

// So many questions in one `ask`; the value is that of one.
template <typename Ask>
Outcome ask_in_turn(const char* name, int questions, Ask&& ask) {
  Outcome outcome{name, "ns", "sched_getaffinity", {}, {}};
  alternate(outcome, kBatches, kLoop / questions, ask, [&] {
    for (int i = 0; i < questions; ++i) ask_the_kernel();
  });
  for (double& value : outcome.values) value /= questions;
  for (double& value : outcome.references) value /= questions;
  return outcome;
}

void ask_for_peers(const Context& context) { use(context.peers_in(Resource::core, 0, comity::View::live).size()); }

std::optional<int> calls_to_ask_for_peers(const Context& context) {
  return count_system_calls([&] { ask_for_peers(context); });
}

Outcome ask_whether_bound(const Context& context) {
  Outcome outcome{"query_bound", "ns", "sched_getaffinity", {}, {}};
  alternate(
      outcome, kBatches, kLoop, [&] { use(context.is_bound()); }, ask_the_kernel);
  return outcome;
}

}  // namespace

// To another core: every thread of the pool has to go.
Outcome push_pop(Context& context) {
  const int other = context.count(Resource::core) - 1;
  return measure_push("push_pop", context, [&] { context.push(Resource::core, other); });
}

// The same from a rank that no push and no launcher has bound: its pop moves nothing, the threads only may go anywhere.
Outcome push_pop_unbound(Context& context) {
  const int other = context.count(Resource::core) - 1;
  return while_unbound(context, 0, [&] {
    return measure_push("push_pop_unbound", context, [&] { context.push(Resource::core, other); });
  });
}

// The two halves of that, each by itself.
Halves push_and_pop_unbound(Context& context) {
  const int other = context.count(Resource::core) - 1;
  return while_unbound(context, 0, [&] {
    return measure_push_and_pop("push_unbound", "pop_unbound", context, [&] { context.push(Resource::core, other); });
  });
}

// To the whole machine: each member gets a core of its own, and the first stays where it is.
Outcome push_pop_wide(Context& context) {
  return measure_push("push_pop_wide", context, [&] { context.push(Resource::machine, 0); });
}

// The same push, to the machine that encloses the binding wherever that is.
Outcome push_pop_nearest(Context& context) {
  return measure_push("push_pop_nearest", context, [&] { context.push_nearest(Resource::machine); });
}

// Four counts; the value is that of one.
Outcome query_counts(const Context& context) {
  return ask_in_turn("query_counts", 4, [&] {
    use(context.count(Resource::core));
    use(context.count(Resource::pu));
    use(context.count(Resource::numa));
    use(context.count(Resource::package));
  });
}

Outcome query_counts_in(const Context& context) {
  return ask_in_turn("query_counts_in", 2, [&] {
    use(context.count_within(Resource::core, Resource::machine, 0));
    use(context.count_within(Resource::pu, Resource::core, 0));
  });
}

Outcome query_ranks(const Context& context) {
  return ask_in_turn("query_ranks", 3, [&] {
    use(context.size());
    use(context.rank());
    use(context.node_count());
  });
}

Outcome query_version() {
  return ask_in_turn("query_version", 1, [] { use(comity_version()); });
}

Outcome query_cpuset(const Context& context) {
  return ask_in_turn("query_cpuset", 1, [&] { use(context.intersects(Resource::core, 0)); });
}

Outcome query_binding_string(const Context& context) {
  return ask_in_turn("query_binding_string", 1, [&] { use(context.binding_string().size()); });
}

// Of a rank that nothing has bound, which is the dear case: under a push the stack knows the answer (that is in `extra`).
Outcome query_bound(Context& context, int own_core) {
  const Outcome pushed = ask_whether_bound(context);
  Outcome outcome = while_unbound(context, own_core, [&] { return ask_whether_bound(context); });
  outcome.extra.emplace_back("pushed_ns", median(pushed.values));
  return outcome;
}

Outcome query_peers(const Context& context) {
  Outcome outcome{"query_peers", "ns", "a sched_getaffinity a rank", {}, {}};
  const int ranks = context.size();
  alternate(
      outcome, kBatches, kLoop, [&] { ask_for_peers(context); },
      [&] {
        for (int rank = 0; rank < ranks; ++rank) ask_the_kernel();
      });
  return outcome;
}

// How many of them one question takes: a count, the same each time.
Outcome query_peers_calls(Context& context) {
  Outcome outcome{"query_peers_calls", "system calls", "ranks asked about", {}, {}};
  const auto calls = calls_to_ask_for_peers(context);
  if (!calls) return outcome;
  outcome.values.push_back(*calls);
  outcome.references.push_back(context.size());
  context.set_binding_of(comity::BindingOf::threads);
  ask_for_peers(context);  // the first question lists the threads
  const auto calls_of_threads = calls_to_ask_for_peers(context);
  context.set_binding_of(comity::BindingOf::main_thread);
  if (calls_of_threads) outcome.extra.emplace_back("of_threads_calls", *calls_of_threads);
  return outcome;
}

// For two kinds of phases in turn; the value is that of one call.
Outcome distribute(const Context& context) {
  return ask_in_turn("distribute", 2, [&] {
    use(context.distribute(Resource::core, 1).selected_count);
    use(context.distribute(Resource::machine, 1).selected_count);
  });
}

}  // namespace bench::quo
