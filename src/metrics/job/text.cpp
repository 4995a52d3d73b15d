// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job/text.hpp"

#include <algorithm>
#include <vector>

#include "metrics/job/openmp_text.hpp"
#include "metrics/job/pieces.hpp"
#include "metrics/snapshot.hpp"

namespace comity::metrics {
namespace {

constexpr std::size_t kMostFunctions = 12;
constexpr std::size_t kMostNodes = 12;
constexpr std::size_t kMostRanks = 12;
constexpr double kGood = 0.8;  // POP's rule: what is below needs an explanation
constexpr double kWorthNaming = 0.02;
constexpr double kWorthAWait = 0.01;

double all_s(const Job& job) { return job.processors * job.wall_s; }

// Of all threads.
double in_mpi_s(const Job& job) {
  double sum_s = 0;
  for (const FunctionFigures& function : job.functions) sum_s += function.time_s;
  return sum_s;
}

double part(double of, double whole) { return whole > 0 ? of / whole : 0; }

// What processors did other than computing, as parts of all their time.
struct Losses {
  double mpi = 0;
  double asleep = 0;
  double unused = 0;  // no thread of the job ran there
};

Losses losses_of(const Job& job) {
  double mpi_s = job.mpi_s;
  for (const RankFigures& rank : job.ranks) mpi_s += rank.others_mpi_cpu_s;
  const double all = all_s(job);
  if (all <= 0) return {};
  const double left = std::max(0.0, all - job.useful_s);
  Losses losses;
  losses.mpi = std::min(mpi_s, left) / all;
  losses.asleep = std::min(job.asleep_s, left - losses.mpi * all) / all;
  losses.unused = std::max(0.0, left / all - losses.mpi - losses.asleep);
  return losses;
}

std::string where(const FunctionFigures& function) {
  return function.region == "(run)" ? "" : " in " + function.region;
}

// Other threads were in MPI for at least half as long as main threads slept.
bool waited_for_others(const Job& job) {
  double others_s = 0;
  for (const RankFigures& rank : job.ranks) others_s += rank.others_mpi_s;
  return !job.functions.empty() && others_s >= job.asleep_s / 2;
}

std::string largest_loss(const Job& job) {
  const Losses losses = losses_of(job);
  if (losses.mpi >= losses.asleep && losses.mpi >= losses.unused) {
    const std::string text = line("Most of the rest is MPI (%.0f %%)", 100 * losses.mpi);
    if (job.functions.empty()) return text + '.';
    const FunctionFigures& worst = job.functions.front();
    return text +
           line(", of which %s%s is %.0f %%: ", worst.function.c_str(), where(worst).c_str(),
                100 * losses.mpi * part(worst.time_s, in_mpi_s(job))) +
           line("its longest call took %.3g s on rank %d.", worst.longest_s, worst.longest_rank);
  }
  if (losses.asleep >= losses.unused && waited_for_others(job)) {
    const FunctionFigures& worst = job.functions.front();
    return line("Most of the rest, %.0f %%, main threads slept outside MPI while other threads were inside, ",
                100 * losses.asleep) +
           "longest in " + worst.function + where(worst) + ": they may have waited for these.";
  }
  if (losses.asleep >= losses.unused) {
    return line(
        "Most of the rest, %.0f %%, main threads slept outside MPI: they rested in Comity, waited for input or "
        "output, or had no processor.",
        100 * losses.asleep);
  }
  return line(
      "Most of the rest, %.0f %%, processors had no thread of the job: give them ranks or threads, or start fewer "
      "nodes.",
      100 * losses.unused);
}

std::string efficiencies(const Job& job) {
  const Efficiency& e = job.efficiency;
  std::string text = line("  parallel efficiency        %.2f   of all processors' time, what computed\n", e.parallel);
  if (e.load_balance) {
    text += line("    load balance             %s\n", ratio(e.load_balance).c_str());
    text += line("      inside nodes           %s\n", ratio(e.in_nodes).c_str());
    text += line("      between nodes          %.2f\n", e.between_nodes);
    text += line("    communication efficiency %s   serialisation and transfer: not told apart without a replay\n",
                 ratio(e.communication).c_str());
  } else {
    text += line("    between nodes            %.2f\n", e.between_nodes);
    text += "    load balance and communication are not told apart: ranks lent one another processors\n";
  }
  return text;
}

// What the efficiencies are made of.
std::string times(const Job& job) {
  return line("  of all ranks: useful %.3f s; main threads' computation %.3f s, in MPI %.3f s, asleep %.3f s\n",
              job.useful_s, job.computation_s, job.mpi_s, job.asleep_s);
}

std::string regions(const Job& job) {
  if (job.regions.size() < 2) return {};
  std::string text = "\n  region                       visits    time s";
  text += job.timed ? "  processors  computation s  in MPI  asleep  parallel eff.\n" : "\n";
  for (std::size_t i = 0; i < std::min(kMostRegions, job.regions.size()); ++i) {
    const RegionFigures& region = job.regions[i];
    const double sum = region.wall_sum_s > 0 ? region.wall_sum_s : 1;
    text += line("  %-27s %7s %9.3f", shortened(region.path, 27).c_str(),
                 count(static_cast<double>(region.visits)).c_str(), region.wall_s);
    if (job.timed) {
      text += line("  %10.2f  %13.3f  %4.0f %%  %4.0f %%  %13.2f", region.useful_cores, region.computation_s,
                   100 * region.mpi_s / sum, 100 * region.asleep_s / sum, region.efficiency.parallel);
    }
    text += '\n';
  }
  if (job.regions.size() > kMostRegions) text += line("  and %zu more\n", job.regions.size() - kMostRegions);
  return text;
}

double waited_s(const RegionFigures& region) { return region.mpi_s + region.asleep_s; }

// The function in which the ranks were longest.
std::string mostly_in(const Job& job, const std::string& region) {
  const auto found = std::find_if(job.functions.begin(), job.functions.end(),
                                  [&](const FunctionFigures& one) { return one.region == region && one.time_s > 0; });
  return found == job.functions.end() ? "-" : found->function;
}

std::string most_and_least(const Wait& wait) {
  return line("%8.3f %-12s %7.3f", wait.most_s, line("(rank %d)", wait.most_rank).c_str(), wait.least_s);
}

// Those in which most was waited first. Who waits in a region of a hundredth of its time is not worth a line.
std::string waits(const Job& job) {
  std::vector<const RegionFigures*> rows;
  for (const RegionFigures& region : job.regions) {
    if (waited_s(region) >= kWorthAWait * region.wall_sum_s && waited_s(region) > 0) rows.push_back(&region);
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const RegionFigures* a, const RegionFigures* b) { return waited_s(*a) > waited_s(*b); });
  std::string text =
      "\n  who waited, in s   in MPI: most           least  mostly in              asleep: most           least  half "
      "the time\n";
  for (std::size_t i = 0; i < std::min(kMostRegions, rows.size()); ++i) {
    const RegionFigures& region = *rows[i];
    text += line("  %-16s %s  %-22s %s  %d of %d ranks\n", shortened(region.path, 16).c_str(),
                 most_and_least(region.in_mpi).c_str(), shortened(mostly_in(job, region.path), 22).c_str(),
                 most_and_least(region.asleep).c_str(), region.resting, region.ranks);
  }
  if (rows.size() > kMostRegions) text += line("  and %zu more\n", rows.size() - kMostRegions);
  return text +
         "  Asleep is a main thread off the processor outside MPI: it rests in Comity, waits for input or output, or "
         "has no "
         "processor.\n";
}

// The least efficient first, where there are several.
std::string nodes(const Job& job) {
  if (job.per_node.size() < 2) return {};
  std::vector<NodeFigures> rows = job.per_node;
  std::stable_sort(rows.begin(), rows.end(), [](const NodeFigures& a, const NodeFigures& b) {
    return a.efficiency.parallel < b.efficiency.parallel;
  });
  std::string text =
      "\n  node   host              ranks  from rank  processors  useful s  in MPI  asleep  efficiency  load balance\n";
  for (std::size_t i = 0; i < std::min(kMostNodes, rows.size()); ++i) {
    const NodeFigures& node = rows[i];
    const double sum = node.wall_s > 0 ? node.wall_s : 1;
    text += line("  %-6d %-17s %5d  %9d  %10d %9.3f  %4.0f %%  %4.0f %%  %10.2f  %12s\n", node.node,
                 shortened(node.host, 17).c_str(), node.ranks, node.first_rank, node.processors, node.useful_s,
                 100 * node.mpi_s / sum, 100 * node.asleep_s / sum, node.efficiency.parallel,
                 ratio(node.efficiency.load_balance).c_str());
  }
  if (rows.size() > kMostNodes) text += line("  and %zu more, none less efficient\n", rows.size() - kMostNodes);
  return text;
}

// The least efficient first, where there are several.
std::string ranks(const Job& job) {
  if (job.ranks.size() < 2) return {};
  std::vector<RankFigures> rows = job.ranks;
  std::stable_sort(rows.begin(), rows.end(), [](const RankFigures& a, const RankFigures& b) {
    return a.efficiency.parallel < b.efficiency.parallel;
  });
  std::string text = "\n  rank    node   useful s  computation s   in MPI s   asleep s  efficiency  load balance\n";
  for (std::size_t i = 0; i < std::min(kMostRanks, rows.size()); ++i) {
    const RankFigures& rank = rows[i];
    text += line("  %-6d %5d  %9.3f  %13.3f  %9.3f  %9.3f  %10.2f  %12s\n", rank.rank, rank.node, rank.useful_s,
                 rank.computation_s, rank.mpi_s, rank.asleep_s, rank.efficiency.parallel,
                 ratio(rank.efficiency.load_balance).c_str());
  }
  if (rows.size() > kMostRanks) text += line("  and %zu more, none less efficient\n", rows.size() - kMostRanks);
  return text;
}

bool lacks(const Job& job, const char* table) {
  return std::any_of(job.untold.begin(), job.untold.end(),
                     [&](const Untold& one) { return one.table == table && one.lack == Lack::missing; });
}

// What hangs on a table, by its name.
std::string figures_in(const std::string& table) {
  if (table == kCallsTable) return "functions";
  if (table == kRegionsTable) return "regions";
  if (table == kPeersTable) return "messages and their bytes";
  if (table == kTeamPlacesTable) return "regions of OpenMP by their places";
  if (table == kFlightTable) return "calls in flight and gaps between them";
  return table == kOpenMpTable ? "parallel regions of OpenMP" : table;
}

// Of many ranks the first one's number says where to look.
std::string untold(const Job& job) {
  std::string text;
  for (const Untold& one : job.untold) {
    const std::string whose =
        one.ranks == 1 ? line("rank %d", one.first_rank) : line("%d ranks, the first is %d", one.ranks, one.first_rank);
    const std::string figures = figures_in(one.table) + " (" + whose + ")";
    if (one.lack == Lack::missing) text += "  Not told: " + figures + ": the table is not in the record.\n";
    if (one.lack == Lack::older) text += "  Too low: " + figures + ": an older table is in the record.\n";
    if (one.lack == Lack::shorter) text += "  Told as sums alone: " + figures + ".\n";
  }
  return text.empty() ? text
                      : text + "  A record with more room tells all: comity run --record DIR --record-budget KB.\n";
}

// Where ranks sleep in MPI: what does not.
std::string spinning(const Job& job) {
  if (!job.waits_asleep) return {};
  double calls = 0, time_s = 0;
  const FunctionFigures* most = nullptr;  // the first is that with most time
  for (const FunctionFigures& function : job.functions) {
    if (function.spinning == 0) continue;
    if (most == nullptr) most = &function;
    calls += static_cast<double>(function.spinning);
    time_s += function.time_s;
  }
  if (most == nullptr) return "\n  waits: ranks sleep where they wait in MPI.\n";
  return line("\n  waits: ranks sleep where they wait in MPI, but for %s calls", count(calls).c_str()) +
         (job.timed ? line(" of %.3f s", time_s) : std::string()) + " in which this MPI can only spin, most in " +
         most->function + ".\n";
}

std::string functions(const Job& job) {
  if (job.functions.empty() && lacks(job, kCallsTable)) return "\n  Functions are not told, as said above.\n";
  if (job.functions.empty()) return "\n  No call to MPI between MPI_Init and MPI_Finalize was seen.\n";
  std::string text =
      job.timed ? "\n  function                 region               calls    time s   of MPI   sent        got\n"
                : "\n  function                 region               calls   sent        got\n";
  for (std::size_t i = 0; i < std::min(kMostFunctions, job.functions.size()); ++i) {
    const FunctionFigures& f = job.functions[i];
    text += line("  %-24s %-17s %8s", f.function.c_str(), shortened(f.region, 17).c_str(),
                 count(static_cast<double>(f.calls)).c_str());
    if (job.timed) text += line(" %9.3f  %5.1f %%", f.time_s, 100 * part(f.time_s, in_mpi_s(job)));
    text += line("   %-10s  %s", bytes(f.sent_bytes).c_str(), bytes(f.received_bytes).c_str());
    if (f.failed > 0) text += line("   %lld failed", static_cast<long long>(f.failed));
    text += '\n';
  }
  if (job.functions.size() > kMostFunctions) text += line("  and %zu more\n", job.functions.size() - kMostFunctions);
  return text;
}

std::string flight(const Job& job) {
  if (!job.flight || job.flight->injections == 0) return {};
  const FlightFigures& f = *job.flight;
  std::string text = line("\n  in flight: at most %lld calls at once (rank %d)",
                          static_cast<long long>(f.most_in_flight), f.most_rank);
  if (f.longest_gap_s > 0) {
    const std::string region = f.gap_region == "(run)" ? "" : " in " + shortened(f.gap_region, 60);
    text += line("; the longest gap between injections was %.3g s (rank %d%s)", f.longest_gap_s, f.gap_rank,
                 region.c_str());
  }
  return text + '\n';
}

// Of some ranks the first one's number says where to look.
std::string not_timed(const Job& job) {
  const std::size_t ranks = job.counted_only.size();
  if (ranks == job.ranks.size()) {
    return "Calls were counted and not timed: efficiencies need COMITY_METRICS=on.";
  }
  const std::string whose =
      ranks == 1 ? line("of rank %d", job.counted_only.front())
                 : line("of %zu of %zu ranks, the first is %d,", ranks, job.ranks.size(), job.counted_only.front());
  return "Calls " + whose +
         " were counted and not timed: efficiencies need COMITY_METRICS=on (comity run --metrics) of all ranks.";
}

}  // namespace

std::string verdict(const Job& job) {
  if (!job.timed) return not_timed(job);
  std::string text = line("%.0f %% of all processors' time was useful", 100 * job.efficiency.parallel);
  if (job.efficiency.parallel >= kGood) text += ", which is good.";
  if (job.efficiency.parallel < kGood) text += '.';
  if (1 - job.efficiency.parallel >= kWorthNaming) text += ' ' + largest_loss(job);
  return text;
}

std::string text_of(const Job& job) {
  std::string text = line("comity: %zu rank%s, %d node%s, %d processor%s, %.3f s between MPI_Init and MPI_Finalize\n",
                          job.ranks.size(), job.ranks.size() == 1 ? "" : "s", job.nodes, job.nodes == 1 ? "" : "s",
                          job.processors, job.processors == 1 ? "" : "s", job.wall_s);
  text += "  " + verdict(job) + "\n";
  text += untold(job);
  if (job.paused_s > 0) text += line("  Left out, by MPI_Pcontrol(0): up to %.3f s of a rank.\n", job.paused_s);
  if (job.timed) text += '\n' + efficiencies(job) + times(job) + nodes(job) + ranks(job);
  text += regions(job);
  if (job.timed) text += waits(job);
  text += openmp_text_of(job);
  text += functions(job);
  text += spinning(job);
  text += flight(job);
  text += "\n  threads: asked for " + job.threads.asked + ", provided " + job.threads.provided + "; " +
          job.threads.verdict + ".\n";
  return text;
}

}  // namespace comity::metrics
