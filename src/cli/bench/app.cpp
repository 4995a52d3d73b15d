// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/app.hpp"

#include <array>

#include "cli/bench/measure/comparison.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/show/progress.hpp"
#include "cli/bench/subject/twomesh.hpp"

namespace comity::cli::bench {
namespace {

struct App {
  const char* name;
  const char* mode;
  int threads;
};

// Messages of ranks with a thread each; and a rank that takes both cores while the other rests.
constexpr std::array kApps{App{"app", "over", 1}, App{"app_hybrid", "comity", 2}};
constexpr int kRanks = 2;
constexpr int kSteps = 200;      // a quarter of a second
constexpr int kFewestSteps = 5;  // where only whether it runs is asked: crowded cores take a quarter of a second each
constexpr Goal kGoal{1.01};
constexpr double kPrecision = 0.005;

// "": without Comity. Waits are left to the MPI as they are without it: two ranks that might have more threads than there are cores
// would have cooperative ones, which `bench coop` measures.
Measurement measure(const App& app, const std::string& mpi, const std::string& option, int steps) {
  std::vector<std::string> before;
  if (!option.empty()) before = {program_beside("comity").string(), "run", "--coop", "off", option, "--"};
  return run_twomesh(before, mpi, kRanks,
                     {"--mode", app.mode, "--threads", std::to_string(app.threads), "--steps", std::to_string(steps)});
}

std::vector<Comparison> comparisons(const App& app, const std::vector<std::string>& mpis) {
  std::vector<Comparison> rows;
  for (const std::string& mpi : mpis) {
    if (has_twomesh(mpi)) rows.emplace_back(Plan{app.name, mpi, kPrecision, kGoal});
  }
  return rows;
}

// Each has a reference of its own, in pairs with it.
std::vector<Comparison> pairs_of(const App& app, const std::string& what, const std::string& reference,
                                 const std::vector<std::string>& mpis, Nanoseconds limit) {
  Progress progress(what + ", " + app.name, limit);
  const int steps = limit.count() > 0 ? kSteps : kFewestSteps;
  const auto run = [&](const std::string& mpi, const std::string& name) {
    return measure(app, mpi, name == reference ? std::string() : "--" + what, steps);
  };
  const auto show = [&](const std::vector<Comparison>& rows) {
    std::size_t pairs = 0;
    for (const Comparison& row : rows) pairs += row.pairs();
    progress.show(std::to_string(pairs) + " pairs");
  };
  std::vector<Comparison> pairs = comparisons(app, mpis);
  measure_all(pairs, Bench{reference, run, now_ns, show}, limit);
  return pairs;
}

}  // namespace

std::vector<Row> app_rows(const std::string& what, const std::vector<std::string>& mpis, Nanoseconds limit) {
  const std::string reference = "without " + what;
  std::vector<Row> rows;
  for (const App& app : kApps) {
    for (const Comparison& one : pairs_of(app, what, reference, mpis, limit / std::ssize(kApps)))
      rows.push_back(one.row(reference));
  }
  return rows;
}

}  // namespace comity::cli::bench
