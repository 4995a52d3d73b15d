// SPDX-License-Identifier: BSD-3-Clause
// Nodes: what the ranks of each node of a job have together. Not: when they had most at one moment (together).
// Sums of peaks are each rank's of its own moment: no more can have been there. Other sums are of one state of the run; pages that ranks
// of a node share count once in them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "memory/job/job.hpp"
#include "memory/job/last_totals.hpp"
#include "memory/job/together.hpp"

namespace comity::memory {

// Which node a rank is on: its number, or where none is told its host.
using NodeKey = std::pair<int, std::string>;
[[nodiscard]] inline NodeKey node_key_of(const RankMemory& rank) {
  return {rank.node, rank.node < 0 ? rank.host : std::string()};
}

struct NodeMemory {
  int node = -1;  // -1: its number is not told, and its host stands for it
  std::string host;
  std::int64_t ranks = 0;
  int first_rank = 0;
  std::int64_t peaks = 0;     // of all that is resident, summed up
  std::int64_t last = 0;      // of all components
  std::int64_t start = 0;     // after MPI_Init
  std::int64_t last_rss = 0;  // each rank counts what it shares
  LastTotals last_totals;
  Nearness nearness;
  std::vector<TotalFigures> totals;  // of all its memory, whoever has it: as its first rank that told read them
  ComponentFigures with_mpi;
  std::map<std::string, ComponentFigures> components;
};

// By number, those without one by host.
[[nodiscard]] std::vector<NodeMemory> nodes_of(const Job& job);

// Where least memory was available, and when; "" where nobody told.
[[nodiscard]] std::string least_available_text_of(const Job& job);
// The nodes with most at the end first; "" for one rank. `together`: nothing of a node where it is not known.
[[nodiscard]] std::string nodes_text_of(const Job& job, const Together& together);
[[nodiscard]] nlohmann::ordered_json nodes_json_of(const Job& job, const Together& together);
// A line for each node and component; component `total`: all.
[[nodiscard]] std::string node_rows_of(const Job& job);

}  // namespace comity::memory
