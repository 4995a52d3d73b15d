// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/subject/partitioners.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <map>
#include <string_view>

#include "base/clock.hpp"
#include "cli/bench/subject/scratch_file.hpp"
#include "cli/common/program_mpi.hpp"
#include "os/environment.hpp"
#include "os/process/command.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::chrono::seconds kPatience{120};

struct Known {
  Partitioner::Kind kind;
  std::string_view program;  // as its package calls it
};
constexpr std::array kKnown{Known{Partitioner::Kind::scotch, "gpart"}, Known{Partitioner::Kind::scotch, "scotch_gpart"},
                            Known{Partitioner::Kind::kahip, "kaffpa"}};

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

void write_scotch(const place::Graph& graph, std::ostream& file) {
  file << "0\n" << graph.ranks() << ' ' << arcs(graph) << "\n0 010\n";
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto all = neighbours(graph, rank);
    file << all.size();
    for (const auto& [other, weight] : all) file << ' ' << weight << ' ' << other;
    file << '\n';
  }
}

void write_metis(const place::Graph& graph, std::ostream& file) {
  file << graph.ranks() << ' ' << arcs(graph) / 2 << " 1\n";
  for (place::Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [other, weight] : neighbours(graph, rank)) file << other + 1 << ' ' << weight << ' ';
    file << '\n';
  }
}

std::vector<std::string> words_of(const Partitioner& partitioner, const std::string& graph, const std::string& answer,
                                  std::size_t parts) {
  const std::string count = std::to_string(parts);
  if (partitioner.kind == Partitioner::Kind::scotch) return {partitioner.program, "-b0.01", count, graph, answer};
  return {partitioner.program,          graph, "--k=" + count, "--imbalance=1", "--preconfiguration=eco", "--seed=1",
          "--output_filename=" + answer};
}

// gpart: how many lines, then a rank and its part on each; kaffpa: a part on each.
std::vector<place::Domain> read_parts(Partitioner::Kind kind, std::istream& file, std::size_t ranks) {
  std::size_t rank = 0;
  place::Domain part = 0;
  std::vector<place::Domain> parts;
  if (kind == Partitioner::Kind::scotch) file >> rank;
  while (parts.size() < ranks) {
    if (kind == Partitioner::Kind::scotch) file >> rank;
    if (!(file >> part)) break;
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

std::vector<Partitioner> partitioners_here() {
  const std::string path = os::environment("PATH").value_or("");
  std::vector<Partitioner> found;
  for (const Known& known : kKnown) {
    if (!found.empty() && found.back().kind == known.kind) continue;
    const std::string program = place_of_program(
        std::string(known.program), path, [](const std::string& file) { return ::access(file.c_str(), X_OK) == 0; });
    if (!program.empty()) found.push_back({known.kind, program});
  }
  return found;
}

std::optional<Division> divide(const Partitioner& partitioner, const place::Graph& graph, std::size_t parts) {
  const ScratchFile question, answer;
  {
    std::ofstream file(question.path());
    if (partitioner.kind == Partitioner::Kind::scotch) {
      write_scotch(graph, file);
    } else {
      write_metis(graph, file);
    }
  }
  const std::int64_t begin_ns = now_ns();
  const os::CommandEnd end = os::run_command(words_of(partitioner, question.path(), answer.path(), parts), kPatience);
  Division found{{}, 1e-9 * static_cast<double>(now_ns() - begin_ns)};
  if (end.exit_code != 0) return std::nullopt;
  std::ifstream file(answer.path());
  found.part = read_parts(partitioner.kind, file, graph.ranks());
  for (const place::Domain part : found.part) {
    if (part >= parts) return std::nullopt;
  }
  if (found.part.size() != graph.ranks()) return std::nullopt;
  return found;
}

}  // namespace comity::cli::bench
