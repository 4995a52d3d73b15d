// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/job.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/text_file.hpp"
#include "cli/place/in_place/costs.hpp"
#include "cli/report/reading.hpp"
#include "place/job/graph_file.hpp"

namespace comity::cli {
namespace {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 30;
constexpr std::size_t kMostCostsBytes = std::size_t{16} << 20U;

std::vector<std::string> pieces_of(const std::string& text, char separator) {
  std::vector<std::string> pieces(1);
  for (const char letter : text) {
    if (letter == separator) {
      pieces.emplace_back();
    } else {
      pieces.back() += letter;
    }
  }
  return pieces;
}

void require_one_a_dimension(const std::string& option, std::size_t given, const place::Grid& grid) {
  if (given == grid.dimensions()) return;
  throw UsageError(option + " gives " + std::to_string(given) + (given == 1 ? " number" : " numbers") +
                   ", but the grid has " + std::to_string(grid.dimensions()) + " dimensions");
}

std::vector<bool> read_closed(const std::string& text, const place::Grid& grid) {
  if (text.empty()) return std::vector<bool>(grid.dimensions(), true);
  const std::vector<std::string> pieces = pieces_of(text, ',');
  require_one_a_dimension("--periodic", pieces.size(), grid);
  std::vector<bool> closed;
  closed.reserve(pieces.size());
  for (const std::string& piece : pieces) {
    closed.push_back(number_in(piece, 0, 1, "--periodic takes 0 or 1 for each dimension, as in 1,0") == 1);
  }
  return closed;
}

// The place of a level among all.
std::size_t level_named(const std::string& name, const std::string& option, const std::vector<std::string>& levels) {
  const auto level = std::find(levels.begin(), levels.end(), name);
  if (level != levels.end()) return static_cast<std::size_t>(level - levels.begin());
  const std::vector<std::string_view> known(levels.begin(), levels.end());
  throw UsageError(option + ": these nodes have no level " + in_quotes(name) + hint(name, known));
}

// "package=2,node=5" as pairs of a level's place and a number.
template <typename Number>
std::vector<std::pair<std::size_t, Number>> read_levels(const std::string& option, const std::string& text,
                                                        const std::vector<std::string>& levels, Number least,
                                                        Number most, const std::string& takes) {
  std::vector<std::pair<std::size_t, Number>> result;
  if (text.empty()) return result;
  std::set<std::size_t> told;
  for (const std::string& piece : pieces_of(text, ',')) {
    const std::size_t sign = piece.find('=');
    if (sign == std::string::npos) throw UsageError(takes + ", not " + in_quotes(piece));
    const std::string name = piece.substr(0, sign);
    const std::size_t level = level_named(name, option, levels);
    if (!told.insert(level).second) {
      throw UsageError(std::string(option).append(" tells of level ").append(name).append(" twice; tell it once"));
    }
    result.emplace_back(level, number_in(piece.substr(sign + 1), least, most, takes));
  }
  return result;
}

// What crossing each level costs as measured; none where that is not told.
std::vector<std::optional<double>> measured_costs(const ObjectiveWords& words, const std::vector<std::string>& levels) {
  constexpr std::int64_t kUsualBytes = 8192, kMostBytes = std::int64_t{1} << 40;
  const std::int64_t bytes = words.message.empty()
                                 ? kUsualBytes
                                 : number_in<std::int64_t>(words.message, 1, kMostBytes,
                                                           "--message-bytes takes the size of an exchange from 1 on");
  const MeasuredCosts all =
      parse_costs(read_text_file(words.measured, "the costs", "--costs-from", kMostCostsBytes), words.measured);
  if (const std::string unrest = unrest_text(all); !unrest.empty()) {
    std::fprintf(stderr, "comity place: --costs-from %s: %s\n", words.measured.c_str(), unrest.c_str());
  }
  std::vector<std::optional<double>> costs(levels.size());
  for (const auto& [name, cost] : level_costs(all, levels, bytes)) {
    costs[static_cast<std::size_t>(std::find(levels.begin(), levels.end(), name) - levels.begin())] = cost;
  }
  return costs;
}

// Of a file, unless the user knows better.
void tell_of_free_levels(const ObjectiveWords& words, const std::vector<std::optional<double>>& measured,
                         const std::vector<std::string>& levels,
                         const std::vector<std::pair<std::size_t, double>>& told) {
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto is_told = [&](const auto& one) { return one.first == level; };
    if (measured[level] != 0 || std::any_of(told.begin(), told.end(), is_told)) continue;
    std::fprintf(stderr,
                 "comity place: --costs-from %s: crossing level %s takes no longer than staying inside all levels, so "
                 "it costs nothing; measure again, or add --cost %s=NUMBER\n",
                 words.measured.c_str(), levels[level].c_str(), levels[level].c_str());
  }
}

// Where nothing costs anything all mappings take the same time.
void require_some_cost(const std::vector<double>& costs) {
  if (std::any_of(costs.begin(), costs.end(), [](double cost) { return cost > 0; })) return;
  throw Error(Status::argument,
              "no level costs anything, so all mappings take the same time; say what one costs with --cost, or take "
              "--objective worst");
}

void require_meaning_of_costs(const ObjectiveWords& words, place::Aim aim) {
  if (!words.message.empty() && words.measured.empty()) {
    throw UsageError("--message-bytes says which of the costs of --costs-from count; give that too");
  }
  if (aim == place::Aim::time) return;
  if (!words.costs.empty()) throw UsageError("--cost has a meaning for --objective time only");
  if (!words.measured.empty()) throw UsageError("--costs-from has a meaning for --objective time only");
}

// Measured ones, and those that the user knows better; empty where neither is told.
std::vector<double> read_costs(const ObjectiveWords& words, const place::Objective& usual,
                               const std::vector<std::string>& levels) {
  constexpr double kLeastCost = 1e-9;
  require_meaning_of_costs(words, usual.aim);
  const std::vector<std::pair<std::size_t, double>> told =
      read_levels("--cost", words.costs, levels, 0.0, 1e9, "--cost takes LEVEL=NUMBER, as in node=10,package=3");
  if (told.empty() && words.measured.empty()) return {};
  std::vector<std::optional<double>> known(levels.size());
  if (!words.measured.empty()) {
    known = measured_costs(words, levels);
    tell_of_free_levels(words, known, levels, told);
  }
  for (const auto& [level, cost] : told) {
    if (cost > 0 && cost < kLeastCost) throw UsageError("--cost takes 0, or numbers from 1e-9 to 1e9");
    known[level] = cost;
  }
  std::vector<double> costs;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    if (!known[level] && !words.measured.empty()) {
      throw Error(Status::not_found, words.measured + " does not tell what crossing level " + levels[level] +
                                         " costs; measure on ranks that lie apart there, or add --cost " +
                                         levels[level] + "=NUMBER");
    }
    costs.push_back(known[level].value_or(usual.cost(level)));
  }
  require_some_cost(costs);
  return costs;
}

void tell_left_out(const char* option, std::int64_t left_out_bytes, std::int64_t told_bytes, const char* source) {
  if (left_out_bytes == 0) return;
  const std::string note = std::string("comity place: ") + option + ": " + std::to_string(left_out_bytes) + " of " +
                           std::to_string(told_bytes + left_out_bytes) + " bytes went to ranks that " + source +
                           " does not tell apart\n";
  std::fputs(note.c_str(), stderr);
}

place::Aim aim_named(const std::string& name) {
  constexpr std::array<std::string_view, 4> kKnown{"worst", "sum", "time", "hops"};
  for (std::size_t i = 0; i < kKnown.size(); ++i) {
    if (kKnown[i] == name) return static_cast<place::Aim>(i);
  }
  throw UsageError("--objective takes worst, sum, time or hops, not " + in_quotes(name) + hint(name, kKnown));
}

}  // namespace

place::Grid read_grid(const GridWords& words) {
  place::Grid grid;
  for (const std::string& piece : pieces_of(words.extents, 'x')) {
    grid.extents.push_back(
        number_in<std::uint32_t>(piece, 0, ~0U, "--grid takes 1 to 4 numbers with x between them, as in 5x16"));
  }
  if (words.closed) grid.periodic = read_closed(*words.closed, grid);
  if (!words.halo.empty()) {
    const std::string takes =
        "--halo takes 1 to " + std::to_string(place::kMostHalo) + " for each dimension, as in 32,25";
    for (const std::string& piece : pieces_of(words.halo, ',')) {
      grid.halo.push_back(number_in<place::Weight>(piece, 1, place::kMostHalo, takes));
    }
    require_one_a_dimension("--halo", grid.halo.size(), grid);
  }
  if (!words.diagonal.empty()) {
    grid.diagonal = number_in<place::Weight>(words.diagonal, 0, place::kMostHalo,
                                             "--diagonal takes 0 to " + std::to_string(place::kMostHalo));
  }
  grid.check();
  return grid;
}

place::Graph read_graph(const std::string& path) {
  place::FileGraph read = place::parse_graph(read_text_file(path, "the graph", "--graph", kMostFileBytes), path);
  tell_left_out("--graph", read.left_out, read.graph.total_weight(), "the table");
  return std::move(read.graph);
}

std::vector<std::uint32_t> read_threads(const std::string& words) {
  const std::string takes = "--threads takes 1 to 4096, or a number a rank as in 8,4,4 or 2*8,12*4";
  std::vector<std::uint32_t> threads;
  for (const std::string& piece : pieces_of(words, ',')) {
    const std::size_t sign = piece.find('*');
    const std::size_t ranks =
        sign == std::string::npos ? 1 : number_in<std::size_t>(piece.substr(0, sign), 1, place::kMostRanks, takes);
    const auto each =
        number_in<std::uint32_t>(sign == std::string::npos ? piece : piece.substr(sign + 1), 1, 4096, takes);
    if (threads.size() + ranks > place::kMostRanks) throw UsageError("--threads tells of too many ranks");
    threads.insert(threads.end(), ranks, each);
  }
  return threads;
}

place::Graph read_traffic(const std::string& folder) {
  const Reading reading(folder, Answer::messages);
  const std::size_t ranks = reading.job().ranks.size();
  std::vector<place::Edge> edges;
  std::int64_t told_bytes = 0, untold_bytes = 0;
  for (const metrics::MessageFigures& one : reading.job().messages) {
    // What a rank sends is told by both sides; one-sided transfers by one.
    const std::int64_t bytes = std::max(one.sent_bytes, one.received_bytes) + one.put_bytes + one.got_bytes;
    const auto is_rank = [&](int rank) { return rank >= 0 && static_cast<std::size_t>(rank) < ranks; };
    if (bytes == 0 || one.from == one.to) continue;
    if (!is_rank(one.from) || !is_rank(one.to)) {
      untold_bytes += bytes;
      continue;
    }
    told_bytes += bytes;
    edges.push_back({static_cast<place::Rank>(one.from), static_cast<place::Rank>(one.to), bytes});
  }
  if (edges.empty()) {
    throw Error(Status::not_found,
                "read the traffic of " + folder +
                    ": its ranks sent one another no messages; record a run that sends some "
                    "(collectives have no two ends, but for those among the neighbours of a grid or graph)");
  }
  tell_left_out("--traffic", untold_bytes, told_bytes, "the record");
  return {ranks, place::together(ranks, std::move(edges))};
}

place::Objective read_objective(const ObjectiveWords& words, const std::vector<std::string>& levels) {
  place::Objective objective;
  objective.aim = aim_named(words.aim);
  objective.costs = read_costs(words, objective, levels);
  for (const auto& [level, most] : read_levels<place::Weight>("--at-most", words.at_most, levels, 0, place::kMostWeight,
                                                              "--at-most takes LEVEL=NUMBER, as in package=2")) {
    objective.at_most.resize(levels.size(), place::kNoLimit);
    objective.at_most[level] = most;
  }
  return objective;
}

}  // namespace comity::cli
