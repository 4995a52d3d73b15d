// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/quo.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/bench/measure/launch.hpp"
#include "cli/bench/measure/places.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "quo";
constexpr int kFullNode = 192;  // ranks of the case state_node, on 2 packages x 12 dies x 8 cores x 2 PUs
constexpr const char* kFullMachine = "HWLOC_SYNTHETIC=package:2 numa:1 l3:12 l2:8 core:1 pu:2";
constexpr std::array<std::string_view, 2> kGrowths{"state", "state_cold"};
constexpr int kPool = 2;  // threads of a rank's OpenMP pool, in the program
constexpr const char* kNote =
    "Loops of 100 calls, the median of each launch; a launch takes a pair of the case and its reference. "
    "undecided: the goal's bound lies inside the 95 % interval, or there are fewer than six launches. Ranks beyond the "
    "cores share them: there only what each does for itself has its own speed. state_node is judged on processes "
    "without an "
    "MPI: what an MPI keeps a rank is not in it.";

enum class Where : std::uint8_t { everywhere, own_core };

struct GoalRow {
  std::string_view name;
  std::string_view mpi;  // "" for all
  int ranks;             // 0 for all
  Where where;
  Goal goal;
};

constexpr double kDearer_ns = 20;  // than the original: what a call of ours may be
constexpr double kMicrosecond_ns = 1e3, kMillisecond_ns = 1e6;

constexpr std::array kGoals{
    GoalRow{"push_pop", "", 0, Where::everywhere, {2.0}},
    GoalRow{"push_pop_unbound", "", 0, Where::everywhere, {2.0}},
    GoalRow{"push_pop_wide", "", 0, Where::everywhere, {2.0}},
    GoalRow{"query_counts", "", 0, Where::everywhere, {0.2 * kMicrosecond_ns, Goal::On::value}},
    GoalRow{"distribute", "", 0, Where::everywhere, {0.2 * kMicrosecond_ns, Goal::On::value}},
    GoalRow{"query_bound", "", 0, Where::everywhere, {3.0}},
    GoalRow{"query_peers_calls", "", 0, Where::everywhere, {1.0}},
    GoalRow{"create_first", "mpich", 8, Where::everywhere, {1.1}},
    GoalRow{"create_free", "", 2, Where::everywhere, {3 * kMillisecond_ns, Goal::On::value}},
    GoalRow{"create_free", "mpich", 8, Where::everywhere, {20 * kMillisecond_ns, Goal::On::value}},
    GoalRow{"barrier", "", 0, Where::own_core, {1.5}},
    GoalRow{"wake", "", 0, Where::everywhere, {1.2}},
    GoalRow{"state", "", 0, Where::everywhere, {32.0, Goal::On::value}},
    GoalRow{"state_cold", "", 0, Where::everywhere, {32.0, Goal::On::value}},
    GoalRow{"state_node", "", 0, Where::everywhere, {8192.0, Goal::On::value}},
};

bool asked_for(const Options& options, int ranks) {
  return std::find(options.ranks.begin(), options.ranks.end(), ranks) != options.ranks.end();
}

// One an MPI and number of ranks, with a job of one rank where others are held against it, and the full node, which needs no
// MPI: any of the programs can play it.
std::vector<Place> places_of(const Options& options, const std::vector<std::string>& arguments) {
  std::vector<Place> places;
  for (const std::string& mpi : options.mpis) {
    if (!asked_for(options, 1)) places.push_back({mpi, 1, launch_words(kName, mpi, 1, arguments)});
    for (const int ranks : options.ranks) places.push_back({mpi, ranks, launch_words(kName, mpi, ranks, arguments)});
  }
  const std::string& any = options.mpis.front();
  std::vector<std::string> words = launch_words(kName, any, 1, {"--full-node", std::to_string(kFullNode)});
  words.insert(words.begin(), {"env", kFullMachine});
  places.push_back({any, kFullNode, std::move(words), false});
  return places;
}

bool is_growth(const std::string& name) { return std::find(kGrowths.begin(), kGrowths.end(), name) != kGrowths.end(); }

// Of a job of one rank; null where that was not measured.
const Samples* growth_alone(const std::vector<Place>& places, const std::string& mpi, const std::string& name) {
  for (const Place& place : places) {
    if (!place.needs_mpi || place.mpi != mpi || place.ranks != 1) continue;
    for (const Samples& one : place.cases) {
      if (one.name() == name) return &one;
    }
  }
  return nullptr;
}

}  // namespace

Row quo_row(const Place& place, const Samples& one, const std::vector<Place>& places, int cores) {
  const std::optional<Goal> goal = quo_goal(one.name(), place.mpi, place.ranks, cores);
  const Samples* const alone = is_growth(one.name()) ? growth_alone(places, place.mpi, one.name()) : nullptr;
  if (!place.needs_mpi) return one.row("none", place.ranks, 1, goal);
  if (alone == nullptr || place.ranks == 1) return one.row(place.mpi, place.ranks, kPool, goal);
  return one.beyond_the_first(*alone, place.mpi, place.ranks, kPool, goal);
}

std::optional<Goal> quo_goal(const std::string& name, const std::string& mpi, int ranks, int cores) {
  if (is_growth(name) && ranks < 2) return std::nullopt;  // the first rank reads the topology for all
  for (const GoalRow& row : kGoals) {
    const bool here = row.name == name && (row.mpi.empty() || row.mpi == mpi) && (row.ranks == 0 || row.ranks == ranks);
    if (here && (row.where == Where::everywhere || (ranks > 1 && ranks <= cores))) return row.goal;
  }
  return std::nullopt;
}

std::optional<Row> row_beside_original(const Place& place, const Samples& one) {
  const std::string name = one.name() + std::string(kBesideOriginal);
  std::optional<Samples> both = one.of_extras(name, "libquo_ns", "original_ns", "the original's");
  if (!both) both = one.of_extras(name, "", "original_ns", "the original's");
  if (!both) return std::nullopt;
  return both->row(place.mpi, place.ranks, kPool, Goal{kDearer_ns, Goal::On::difference});
}

std::string compare_with_original(const std::vector<Row>& rows) {
  std::size_t compared = 0;
  std::string dearer;
  std::string open;
  for (const Row& row : rows) {
    if (!row.name.ends_with(kBesideOriginal)) continue;
    ++compared;
    std::string& list = row.verdict == Verdict::missed ? dearer : open;
    if (row.verdict == Verdict::met) continue;
    const std::string call = row.name.substr(0, row.name.size() - kBesideOriginal.size());
    list += (list.empty() ? "" : ", ") + call + " (" + row.mpi + ", " + std::to_string(row.ranks) + " ranks) by " +
            std::to_string(std::lround(row.value - row.reference_value)) + " ns";
  }
  return "Of " + std::to_string(compared) +
         " calls compared, dearer than the original's by more than 20 ns: " + (dearer.empty() ? "none" : dearer) +
         (open.empty() ? "" : "; undecided: " + open) + ".";
}

Report quo(const Options& options) {
  Report report{kName, this_host(), {}, {}, kNote};
  std::vector<std::string> arguments;
  const auto measure_too = [&](const std::string& name, const std::string& path) {
    if (path.empty()) return;
    arguments.push_back(name + "=" + path);
    report.columns.push_back({name, name + "_ns", "ns"});
  };
  measure_too("libquo", options.libquo);
  measure_too("original", options.original);
  std::vector<Place> places = places_of(options, arguments);
  measure_places(kName, places, options.time_limit);
  for (const Place& place : places) {
    if (place.needs_mpi && !asked_for(options, place.ranks)) continue;
    for (const Samples& one : place.cases) report.rows.push_back(quo_row(place, one, places, report.host.cores));
    for (const Samples& one : place.cases) {
      if (std::optional<Row> row = row_beside_original(place, one)) report.rows.push_back(std::move(*row));
    }
  }
  if (!options.original.empty()) report.note += " " + compare_with_original(report.rows);
  return report;
}

}  // namespace comity::cli::bench
