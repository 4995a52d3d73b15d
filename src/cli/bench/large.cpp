// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/large.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "cli/bench/place_row.hpp"
#include "cli/bench/subject/place_command.hpp"
#include "cli/bench/subject/scratch_file.hpp"

namespace comity::cli::bench {
namespace {

constexpr std::size_t kNodes = 1'000, kCores = 100;

std::string node_text() { return "core:" + std::to_string(kCores); }

std::optional<Rival> scotch_among(const std::vector<Partitioner>& peers, const place::Graph& graph) {
  const auto gpart = std::find_if(peers.begin(), peers.end(),
                                  [](const Partitioner& peer) { return peer.kind == Partitioner::Kind::scotch; });
  if (gpart == peers.end()) return std::nullopt;
  return Rival{gpart->name(), kMostOfScotch, [peer = *gpart, &graph]() -> std::optional<double> {
                 const auto theirs = divide(peer, graph, std::vector<std::size_t>(kNodes, kCores));
                 return theirs ? std::optional(theirs->seconds) : std::nullopt;
               }};
}

}  // namespace

place::Site large_site() { return place::Site({{kNodes, place::node_shape(node_text())}}); }

std::vector<Row> large_command_rows(const std::vector<Partitioner>& peers, const place::Graph& graph,
                                    const Options& options) {
  const ScratchFile file;
  write_graph(graph, file.path());
  const std::vector<std::string> words{"--graph",         file.path(), "--nodes", std::to_string(kNodes),
                                       "--node-topology", node_text()};
  std::vector<std::string> by_sum = words;
  by_sum.insert(by_sum.end(), {"--objective", "sum"});
  const std::optional<Rival> scotch = scotch_among(peers, graph);
  std::vector<Row> rows = command_rows(kLargeName, graph.ranks(), by_sum, options, scotch);
  for (Row& row : command_rows(kLargeByDefaultName, graph.ranks(), words, options, scotch))
    rows.push_back(std::move(row));
  return rows;
}

}  // namespace comity::cli::bench
