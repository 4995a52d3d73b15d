// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/app.hpp"

#include "cli/bench/measure/comparison.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/show/progress.hpp"
#include "cli/bench/subject/twomesh.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kCase = "app";
constexpr int kRanks = 2;
constexpr int kSteps = 200;       // a quarter of a second
constexpr int kFewestSteps = 20;  // where only whether it runs is asked: crowded cores take a tenth of a second for one
constexpr Goal kGoal{1.01};
constexpr double kPrecision = 0.005;

// "": without Comity. Waits are left to the MPI as they are without it: two ranks that might have more threads than there are cores
// would have cooperative ones, which `bench coop` measures.
Measurement measure(const std::string& mpi, const std::string& option, int steps) {
  std::vector<std::string> before;
  if (!option.empty()) before = {program_beside("comity").string(), "run", "--coop", "off", option, "--"};
  return run_twomesh(before, mpi, kRanks, {"--mode", "over", "--threads", "1", "--steps", std::to_string(steps)});
}

std::vector<Comparison> comparisons(const std::vector<std::string>& mpis) {
  std::vector<Comparison> rows;
  for (const std::string& mpi : mpis) {
    if (has_twomesh(mpi)) rows.emplace_back(Plan{kCase, mpi, kPrecision, kGoal});
  }
  return rows;
}

}  // namespace

std::vector<Row> app_rows(const std::string& what, const std::vector<std::string>& mpis, Nanoseconds limit) {
  const std::string reference = "without " + what;
  Progress progress(what + ", app", limit);
  const int steps = limit.count() > 0 ? kSteps : kFewestSteps;
  const auto run = [&](const std::string& mpi, const std::string& name) {
    return measure(mpi, name == kCase ? "--" + what : std::string(), steps);
  };
  const auto show = [&](const std::vector<Comparison>& rows) {
    std::size_t pairs = 0;
    for (const Comparison& row : rows) pairs += row.pairs();
    progress.show(std::to_string(pairs) + " pairs");
  };
  std::vector<Comparison> pairs = comparisons(mpis);
  measure_all(pairs, Bench{reference, run, now_ns, show}, limit);
  std::vector<Row> rows;
  rows.reserve(pairs.size());
  for (const Comparison& one : pairs) rows.push_back(one.row(reference));
  return rows;
}

}  // namespace comity::cli::bench
