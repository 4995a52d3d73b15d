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

std::vector<std::string> words_for(const ScratchFile& graph, const std::string& node = node_text()) {
  return {"--graph", graph.path(), "--nodes", std::to_string(kNodes), "--node-topology", node};
}

std::vector<std::string> by_sum(std::vector<std::string> words) {
  words.insert(words.end(), {"--objective", "sum"});
  return words;
}

}  // namespace

place::Site large_site() { return place::Site({{kNodes, place::node_shape(node_text())}}); }

std::vector<Row> large_command_rows(const std::vector<Partitioner>& peers, const place::Graph& graph,
                                    const Options& options) {
  const ScratchFile file;
  write_graph(graph, file.path());
  const std::optional<Rival> scotch = scotch_among(peers, graph);
  std::vector<Row> rows = command_rows(kLargeName, graph.ranks(), by_sum(words_for(file)), options, scotch);
  for (Row& row : command_rows(kLargeByDefaultName, graph.ranks(), words_for(file), options, scotch))
    rows.push_back(std::move(row));
  const std::vector<std::string> words = words_for(file, "pack:2 core:" + std::to_string(kCores / 2));
  for (Row& row : command_rows(kPackagesName, graph.ranks(), words, options, scotch)) rows.push_back(std::move(row));
  return rows;
}

std::vector<Row> hub_command_rows(const std::vector<Partitioner>& peers, const place::Graph& graph,
                                  const Options& options) {
  const ScratchFile file;
  write_graph(graph, file.path());
  return command_rows(kHubName, graph.ranks(), by_sum(words_for(file)), options, scotch_among(peers, graph));
}

}  // namespace comity::cli::bench
