// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/measure/trials.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "cli/bench/show/progress.hpp"

namespace comity::cli::bench {
namespace {

void require_same_work(const Found& of_case, const Found& reference) {
  if (of_case.work == reference.work) return;
  throw Error(Status::internal, "compare " + (of_case.cases.empty() ? "a case" : of_case.cases.front().name) +
                                    " with its reference: it left the checksum " + of_case.work + ", the reference " +
                                    reference.work + ": they did not do the same work");
}

double reference_value(const FoundCase& of_case, const std::vector<Found>& references) {
  double least = of_case.reference_value.value_or(0.0);
  for (const Found& reference : references) {
    const FoundCase* const same = reference.named(of_case.name);
    if (same == nullptr) throw Error(Status::internal, "the reference of " + of_case.name + " told nothing of it");
    least = least == 0.0 ? same->value : std::min(least, same->value);
  }
  return least;
}

Round run_round(const Trial& trial, std::size_t number, bool in_time) {
  std::vector<const Launch*> order;
  for (const Launch& launch : trial.launches) {
    if (launch.role != Role::beside || (in_time && number < launch.rounds)) order.push_back(&launch);
  }
  if (number % 2 == 1) std::reverse(order.begin(), order.end());
  Round round;
  for (const Launch* const launch : order) {
    Found found = launch->run();
    if (launch->role == Role::of_case)
      round.of_case = std::move(found);
    else if (launch->role == Role::reference)
      round.references.push_back(std::move(found));
    else
      round.beside.emplace_back(launch->key, std::move(found));
  }
  return round;
}

}  // namespace

void add_round(std::vector<Samples>& cases, const Round& round) {
  for (const Found& reference : round.references) require_same_work(round.of_case, reference);
  for (const FoundCase& one : round.of_case.cases) {
    Samples& samples = samples_of(cases, one);
    samples.add(one.value, reference_value(one, round.references));
    for (const auto& [key, value] : one.extra) samples.add_extra(key, value);
    if (round.of_case.nodes > 1) samples.add_extra("nodes", round.of_case.nodes);
    for (const auto& [key, found] : round.beside) {
      if (const FoundCase* const same = found.named(one.name); same != nullptr) samples.add_extra(key, same->value);
    }
  }
}

void measure_trials(std::string_view bench, std::vector<Trial>& trials, Nanoseconds limit) {
  const std::int64_t end_ns = deadline_after(limit);
  Progress progress(bench, limit);
  std::vector<std::int64_t> longest_ns(trials.size(), 0);
  for (std::size_t number = 0; number < kMostRounds; ++number) {
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const std::int64_t start_ns = now_ns();
      if (number > 0 && start_ns + longest_ns[i] > end_ns) continue;
      add_round(trials[i].cases, run_round(trials[i], number, start_ns < end_ns));
      longest_ns[i] = std::max(longest_ns[i], now_ns() - start_ns);
      progress.show("round " + std::to_string(number + 1) + " of at most " + std::to_string(kMostRounds) + ", " +
                    std::to_string(i + 1) + " of " + std::to_string(trials.size()) + " trials");
    }
  }
}

}  // namespace comity::cli::bench
