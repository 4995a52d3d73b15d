// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/random.hpp"

#include <numeric>
#include <string>

#include "base/clock.hpp"
#include "cli/bench/place_row.hpp"

namespace comity::cli::bench {
namespace {

std::vector<std::size_t> all_jobs() {
  std::vector<std::size_t> numbers(kRandomJobs);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace

Row random_row(const std::vector<Partitioner>& peers, const Options& options, Progress& progress) {
  constexpr std::size_t kFewest = 5;
  const std::int64_t end_ns = now_ns() + options.time_limit.count();
  const std::vector<std::size_t> numbers = options.jobs.empty() ? all_jobs() : options.jobs;
  RandomScore found;
  for (const std::size_t number : numbers) {
    if (found.jobs >= kFewest && now_ns() >= end_ns) break;
    progress.show("random jobs, " + std::to_string(found.jobs) + " of " + std::to_string(numbers.size()));
    score(random_job(number), peers, found);
  }
  return random_row(found);
}

Row random_row(const RandomScore& found) {
  Row row = row_named("random", kMostJobRanks, "jobs");
  row.value = static_cast<double>(found.lost);
  row.count = found.jobs;
  row.reference = "all of them";
  row.reference_value = static_cast<double>(found.jobs);
  row.ci95 = Interval{row.value, row.value};
  judge(row, {0, Goal::On::value});
  row.verdict = verdict_on(found);
  row.lost = found.lost_jobs;
  row.extra = {{"of_best_launcher", found.gain / static_cast<double>(found.jobs)},
               {"beaten_by_launcher", static_cast<double>(found.beaten)}};
  for (const auto& [name, peer] : found.peers) {
    row.extra.emplace_back(name, static_cast<double>(peer.better));
    row.extra.emplace_back(name + "_jobs", static_cast<double>(peer.jobs));
    row.extra.emplace_back(name + "_runs", static_cast<double>(peer.runs));
    row.extra.emplace_back(name + "_s", peer.seconds);
    row.extra.emplace_back(name + "_ours_s", peer.ours_seconds);
  }
  return row;
}

}  // namespace comity::cli::bench
