// SPDX-License-Identifier: BSD-3-Clause
#include "memory/job/by_count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace comity::memory {
namespace {

using Runs = std::vector<const RunFigures*>;  // repeats of one
using Block = std::pair<std::string, std::string>;
using CellOf = std::optional<CountCell> (*)(const Runs&);

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// "trivial" of "trivial/np4".
std::string series_of(const std::string& run) {
  const std::size_t slash = run.rfind('/', run.empty() ? 0 : run.find_last_not_of('/'));
  return slash == std::string::npos ? std::string() : run.substr(0, slash);
}

std::string short_name(const std::string& mpi_library) { return mpi_library.substr(0, mpi_library.find(',')); }

Block block_of(const RunFigures& run) { return {series_of(run.name), short_name(run.mpi_library)}; }

double ranks_of(const RunFigures& run) { return static_cast<double>(run.ranks); }

double ranks_a_node(const RunFigures& run) {
  return run.nodes == 0 ? ranks_of(run) : ranks_of(run) / static_cast<double>(run.nodes);
}

// By the block, in the order in which they first come, and by the count.
using Grouped = std::vector<std::pair<Block, std::map<double, Runs>>>;

Grouped grouped(const std::vector<RunFigures>& runs, double (*count)(const RunFigures&)) {
  Grouped blocks;
  for (const RunFigures& run : runs) {
    const Block block = block_of(run);
    auto found = std::find_if(blocks.begin(), blocks.end(), [&](const auto& one) { return one.first == block; });
    if (found == blocks.end()) found = blocks.insert(blocks.end(), {block, {}});
    found->second[count(run)].push_back(&run);
  }
  return blocks;
}

// Of all their ranks as if they were one job's.
std::optional<CountCell> pooled(const Runs& runs, Spread RunFigures::*spread) {
  double ranks = 0, sum = 0, squares = 0;
  for (const RunFigures* run : runs) {
    const Spread& one = run->*spread;
    ranks += ranks_of(*run);
    sum += ranks_of(*run) * one.mean;
    squares += ranks_of(*run) * (one.mean * one.mean + one.deviation * one.deviation);
  }
  if (ranks == 0) return std::nullopt;
  const double mean = sum / ranks;
  const double square = squares / ranks - mean * mean;
  return CountCell{mean, std::isnan(square) ? kNone : std::sqrt(std::max(0.0, square))};
}

// A mean of nodes, where all of the repeats tell of it.
std::optional<CountCell> of_nodes(const Runs& runs, double (*bytes)(const RunFigures&)) {
  double nodes = 0, sum = 0;
  for (const RunFigures* run : runs) {
    if (!(bytes(*run) > 0)) return std::nullopt;
    nodes += static_cast<double>(run->nodes);
    sum += static_cast<double>(run->nodes) * bytes(*run);
  }
  return nodes == 0 ? std::nullopt : std::optional(CountCell{sum / nodes, kNone});
}

bool all_know_owners(const Runs& runs) {
  return std::all_of(runs.begin(), runs.end(), [](const RunFigures* run) { return run->owners_known; });
}

// By which older rule all of them were kept; "": not all, or not alike.
std::string delta_method_of(const Runs& runs) {
  const std::string& method = runs.front()->delta_method;
  const bool is_common =
      std::all_of(runs.begin(), runs.end(), [&](const RunFigures* run) { return run->delta_method == method; });
  return is_common ? method : std::string();
}

template <Spread RunFigures::*kSpread>
std::optional<CountCell> owned(const Runs& runs) {
  return all_know_owners(runs) ? pooled(runs, kSpread) : std::nullopt;
}

std::optional<CountCell> total(const Runs& runs) { return pooled(runs, &RunFigures::total); }

std::optional<CountCell> by_older_rule(const Runs& runs) {
  return delta_method_of(runs).empty() ? std::nullopt : pooled(runs, &RunFigures::delta);
}

// Shared pages once.
std::optional<CountCell> a_ranks_share_at_the_end(const Runs& runs) {
  return of_nodes(runs, [](const RunFigures& run) { return run.node_total / ranks_a_node(run); });
}

std::optional<CountCell> of_node_by_owner(const Runs& runs) {
  if (!all_know_owners(runs)) return std::nullopt;
  return of_nodes(runs, [](const RunFigures& run) { return run.node_with_mpi; });
}

std::optional<CountCell> of_node_at_one_moment(const Runs& runs) {
  if (!all_know_owners(runs)) return std::nullopt;
  return of_nodes(runs, [](const RunFigures& run) { return run.node_with_mpi_at_one_moment.value_or(kNone); });
}

// As the dissertation has it: what a rank has, times how many of them there are.
std::optional<CountCell> of_node_by_older_rule(const Runs& runs) {
  if (delta_method_of(runs).empty()) return std::nullopt;
  return of_nodes(runs, [](const RunFigures& run) { return run.delta.mean * ranks_a_node(run); });
}

std::optional<CountCell> of_node_at_the_end(const Runs& runs) {
  return of_nodes(runs, [](const RunFigures& run) { return run.node_total; });
}

struct LineKind {
  const char* key;
  const char* name;
  CellOf figure;
};

constexpr const char* kDelta = "delta";
constexpr std::array kRankLines{LineKind{"mpi", "mpi", &owned<&RunFigures::mpi>},
                                LineKind{"with_mpi", "mpi with what it brings", &owned<&RunFigures::with_mpi>},
                                LineKind{"application", "application", &owned<&RunFigures::application>},
                                LineKind{"total", "total, resident", &total},
                                LineKind{"end", "all at the end, shared once", &a_ranks_share_at_the_end},
                                LineKind{kDelta, "mpi by ", &by_older_rule}};

// Of a rank and of its node.
struct NodeLines {
  LineKind of_rank;
  LineKind of_node;
  std::optional<LineKind> at_one_moment;  // of the node
};
constexpr std::array kNodeLines{
    NodeLines{{"with_mpi", "a rank, mpi with what it brings", &owned<&RunFigures::with_mpi>},
              {"node_with_mpi", "a node", &of_node_by_owner},
              LineKind{"node_with_mpi_at_one_moment", "  of it at one moment of samples", &of_node_at_one_moment}},
    NodeLines{
        {kDelta, "a rank, mpi by ", &by_older_rule}, {"node_delta", "a node", &of_node_by_older_rule}, std::nullopt}};
constexpr LineKind kNodeEnd{"node_end", "a node, all at the end", &of_node_at_the_end};

// By which older rule all runs of a block were kept that were kept by one; "": by several, or none.
std::string common_delta_method(const std::map<double, Runs>& counts) {
  std::string method;
  for (const auto& [count, runs] : counts) {
    const std::string one = delta_method_of(runs);
    if (!one.empty() && !method.empty() && method != one) return {};
    if (!one.empty()) method = one;
  }
  return method;
}

CountLine line_of(const LineKind& kind, const std::map<double, Runs>& counts) {
  CountLine line{kind.key, kind.name, false, {}};
  if (line.key == kDelta) line.name += common_delta_method(counts);
  for (const auto& [count, runs] : counts) line.cells.push_back(kind.figure(runs));
  return line;
}

// What no run tells is no line.
void add(CountBlock& block, CountLine line) {
  const bool some =
      std::any_of(line.cells.begin(), line.cells.end(), [](const auto& cell) { return cell.has_value(); });
  if (some) block.lines.push_back(std::move(line));
}

CountBlock empty_block(const Block& name, const std::map<double, Runs>& counts) {
  CountBlock block{name.first, name.second, common_delta_method(counts), {}, {}, false};
  for (const auto& [count, runs] : counts) block.counts.push_back(count);
  return block;
}

// Those of the same MPI, whichever program's.
std::map<double, Runs> base_of(const std::vector<RunFigures>& base, const std::string& mpi) {
  std::map<double, Runs> runs;
  for (const RunFigures& run : base) {
    if (short_name(run.mpi_library) == mpi) runs[ranks_of(run)].push_back(&run);
  }
  return runs;
}

CountLine difference_of(const LineKind& kind, const std::map<double, Runs>& counts,
                        const std::map<double, Runs>& base) {
  CountLine line = line_of(kind, counts);
  line.is_difference = true;
  std::size_t i = 0;
  for (const auto& [count, runs] : counts) {
    std::optional<CountCell>& cell = line.cells[i++];
    const auto found = base.find(count);
    const std::optional<CountCell> there = found == base.end() ? std::nullopt : kind.figure(found->second);
    const bool is_alike = line.key != kDelta || (there && delta_method_of(found->second) == delta_method_of(runs));
    cell = cell && there && is_alike ? std::optional(CountCell{cell->mean - there->mean, kNone}) : std::nullopt;
  }
  return line;
}

// What a node has more that is as full as the last one.
CountLine more_when_full(const CountLine& of_node, const std::string& name) {
  CountLine line{of_node.key + "_more", name, true, {}};
  const std::optional<CountCell>& full = of_node.cells.back();
  for (const std::optional<CountCell>& cell : of_node.cells)
    line.cells.push_back(cell && full ? std::optional(CountCell{full->mean - cell->mean, kNone}) : std::nullopt);
  return line;
}

void add_with_more(CountBlock& block, const CountLine& line) {
  const CountLine more = more_when_full(line, "  more with " + text_of_count(block.counts.back()));
  add(block, line);
  add(block, more);
}

}  // namespace

CountTable over_ranks(const std::vector<RunFigures>& runs) {
  CountTable table{"MiB at the peak of a rank, mean +- standard deviation, over numbers of ranks", "ranks", {}};
  for (const auto& [name, counts] : grouped(runs, &ranks_of)) {
    CountBlock& block = table.blocks.emplace_back(empty_block(name, counts));
    for (const LineKind& kind : kRankLines) add(block, line_of(kind, counts));
  }
  return table;
}

CountTable over_ranks_against(const std::vector<RunFigures>& runs, const std::vector<RunFigures>& base,
                              const std::string& base_name) {
  CountTable table{
      "MiB that a rank has more at its peak than one of " + base_name + ", means, over numbers of ranks", "ranks", {}};
  bool some = false;
  for (const auto& [name, counts] : grouped(runs, &ranks_of)) {
    const std::map<double, Runs> there = base_of(base, name.second);
    CountBlock& block = table.blocks.emplace_back(empty_block(name, counts));
    for (const LineKind& kind : kRankLines) add(block, difference_of(kind, counts, there));
    some = some || !block.lines.empty();
  }
  if (!some)
    throw Error(Status::not_found,
                "--against " + base_name + ": no run there has the MPI and the number of ranks of one here");
  return table;
}

CountTable over_ranks_a_node(const std::vector<RunFigures>& runs) {
  CountTable table{
      "MiB of MPI with what it brings at its peaks, of a rank and of a node, and all of a node at the end, over ranks "
      "a node; "
      "more: what a node has more that is as full as the fullest",
      "ranks_a_node",
      {}};
  for (const auto& [name, counts] : grouped(runs, &ranks_a_node)) {
    CountBlock& block = table.blocks.emplace_back(empty_block(name, counts));
    for (const auto& [of_rank, of_node, at_one_moment] : kNodeLines) {
      add(block, line_of(of_rank, counts));
      add_with_more(block, line_of(of_node, counts));
      if (at_one_moment) add(block, line_of(*at_one_moment, counts));
    }
    add_with_more(block, line_of(kNodeEnd, counts));
    for (const auto& [count, repeats] : counts) {
      block.node_is_bound =
          block.node_is_bound || std::any_of(repeats.begin(), repeats.end(),
                                             [](const RunFigures* run) { return run->node_with_mpi_is_bound; });
    }
  }
  return table;
}

}  // namespace comity::memory
