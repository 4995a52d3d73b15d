// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/partitioners.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <numeric>
#include <span>
#include <string_view>

#include "base/clock.hpp"
#include "cli/bench/subject/scratch_file.hpp"
#include "cli/common/program_mpi.hpp"
#include "os/environment.hpp"
#include "os/process/command.hpp"
#include "place/division/random.hpp"
#include "place/job/subgraph.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::chrono::seconds kPatience{120};

struct Known {
  Partitioner::Kind kind;
  std::string_view program;  // as its package calls it
  std::string_view weighing;
};
constexpr std::array kKnown{Known{Partitioner::Kind::scotch, "gpart", "gmap"},
                            Known{Partitioner::Kind::scotch, "scotch_gpart", "scotch_gmap"},
                            Known{Partitioner::Kind::kahip, "kaffpa", ""}};

bool alike(const std::vector<std::size_t>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](std::size_t size) { return size == sizes.front(); });
}

// What two ranks exchange stands on one edge of theirs.
std::map<place::Rank, place::Weight> neighbours(const place::Graph& graph, place::Rank rank) {
  std::map<place::Rank, place::Weight> all;
  graph.for_each_edge(rank, [&](place::Rank other, place::Weight weight) { all[other] += weight; });
  return all;
}

std::size_t arcs(const place::Graph& graph) {
  std::size_t all = 0;
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank) all += neighbours(graph, rank).size();
  return all;
}

using Widths = std::vector<std::uint32_t>;  // of each rank; empty: all are 1

void write_scotch(const place::Graph& graph, const Widths& widths, std::ostream& file) {
  file << "0\n" << graph.ranks() << ' ' << arcs(graph) << "\n0 " << (widths.empty() ? "010" : "011") << '\n';
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto all = neighbours(graph, rank);
    if (!widths.empty()) file << widths[rank] << ' ';
    file << all.size();
    for (const auto& [other, weight] : all) file << ' ' << weight << ' ' << other;
    file << '\n';
  }
}

void write_metis(const place::Graph& graph, const Widths& widths, std::ostream& file) {
  file << graph.ranks() << ' ' << arcs(graph) / 2 << (widths.empty() ? " 1\n" : " 11\n");
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank) {
    if (!widths.empty()) file << widths[rank] << ' ';
    for (const auto& [other, weight] : neighbours(graph, rank)) file << other + 1 << ' ' << weight << ' ';
    file << '\n';
  }
}

// All parts are next to one another, and each has room for so much.
void write_target(std::span<const std::size_t> sizes, std::ostream& file) {
  file << "cmpltw " << sizes.size();
  for (const std::size_t size : sizes) file << ' ' << size;
  file << '\n';
}

struct Files {
  ScratchFile graph, target, answer;
};

// In which order a partitioner is told the ranks.
std::vector<place::Rank> order_told(const Partitioner& partitioner, std::size_t ranks, std::size_t seed) {
  if (partitioner.kind == Partitioner::Kind::scotch && seed != 1) {
    place::Random random(seed);
    return place::shuffled<place::Rank>(ranks, random);
  }
  std::vector<place::Rank> own(ranks);
  std::iota(own.begin(), own.end(), place::Rank{0});
  return own;
}

void write_files(const Partitioner& partitioner, const place::Graph& graph, const std::vector<place::Rank>& order,
                 const Widths& widths, std::span<const std::size_t> sizes, const Files& files) {
  std::ofstream file(files.graph.path()), target(files.target.path());
  Widths widths_told;
  for (const place::Rank rank : order) {
    if (!widths.empty()) widths_told.push_back(widths[rank]);
  }
  const place::Graph told = place::Subgraphs(graph).of(order);
  const auto write = partitioner.kind == Partitioner::Kind::scotch ? write_scotch : write_metis;
  write(told, widths_told, file);
  write_target(sizes, target);
}

std::vector<std::string> words_of(const Partitioner& partitioner, const Files& files,
                                  const std::vector<std::size_t>& sizes, std::size_t seed) {
  const std::string count = std::to_string(sizes.size());
  if (partitioner.kind == Partitioner::Kind::kahip) {
    return {partitioner.program,
            files.graph.path(),
            "--k=" + count,
            "--imbalance=1",
            "--preconfiguration=eco",
            "--seed=" + std::to_string(seed),
            "--output_filename=" + files.answer.path()};
  }
  if (takes_sizes(partitioner, sizes) && !alike(sizes)) {
    return {partitioner.weighing, "-b0.01", files.graph.path(), files.target.path(), files.answer.path()};
  }
  return {partitioner.program, "-b0.01", count, files.graph.path(), files.answer.path()};
}

}  // namespace

std::vector<Partitioner> partitioners_here() {
  const std::string path = os::environment("PATH").value_or("");
  const auto may_run = [](const std::string& file) { return ::access(file.c_str(), X_OK) == 0; };
  std::vector<Partitioner> found;
  for (const Known& known : kKnown) {
    if (!found.empty() && found.back().kind == known.kind) continue;
    const std::string program = place_of_program(std::string(known.program), path, may_run);
    if (program.empty()) continue;
    // Beside it: other packages have programs of that name.
    const std::string weighing = program.substr(0, program.rfind('/') + 1) + std::string(known.weighing);
    found.push_back({known.kind, program, !known.weighing.empty() && may_run(weighing) ? weighing : ""});
  }
  return found;
}

// gpart and gmap: how many lines, then a rank and its part on each; kaffpa: a part on each.
std::optional<std::vector<place::Domain>> read_parts(Partitioner::Kind kind, std::istream& file, std::size_t ranks,
                                                     std::size_t parts) {
  constexpr place::Domain kUntold = ~place::Domain{0};
  const bool names_ranks = kind == Partitioner::Kind::scotch;
  std::size_t lines = ranks;
  if (names_ranks && (!(file >> lines) || lines != ranks)) return std::nullopt;
  std::vector<place::Domain> part_of(ranks, kUntold);
  for (std::size_t line = 0; line < ranks; ++line) {
    std::size_t rank = line, part = 0;
    if (names_ranks) file >> rank;
    if (!(file >> part) || rank >= ranks || part >= parts || part_of[rank] != kUntold) return std::nullopt;
    part_of[rank] = static_cast<place::Domain>(part);
  }
  return part_of;
}

bool takes_sizes(const Partitioner& partitioner, const std::vector<std::size_t>& sizes) {
  return alike(sizes) || !partitioner.weighing.empty();
}

std::optional<Division> divide(const Partitioner& partitioner, const place::Graph& graph,
                               const std::vector<std::size_t>& sizes, const std::vector<std::uint32_t>& widths,
                               std::size_t seed) {
  const Files files;
  const std::vector<place::Rank> order = order_told(partitioner, graph.ranks(), seed);
  write_files(partitioner, graph, order, widths, sizes, files);
  const std::int64_t begin_ns = now_ns();
  const os::CommandEnd end = os::run_command(words_of(partitioner, files, sizes, seed), kPatience);
  Division found{{}, 1e-9 * static_cast<double>(now_ns() - begin_ns)};
  if (end.exit_code != 0) return std::nullopt;
  std::ifstream file(files.answer.path());
  const auto parts = read_parts(partitioner.kind, file, graph.ranks(), sizes.size());
  if (!parts) return std::nullopt;
  found.part.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) found.part[order[i]] = (*parts)[i];
  return found;
}

}  // namespace comity::cli::bench
