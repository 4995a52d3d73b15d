// SPDX-License-Identifier: BSD-3-Clause
// Random jobs: grids and graphs on nodes alike or not, the same ones everywhere; and whether ours are as good as others' answers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/bench/subject/partitioners.hpp"
#include "place/mapper.hpp"

namespace comity::cli::bench {

inline constexpr std::size_t kMostJobRanks = 256;

struct RandomJob {
  place::Graph graph;
  std::optional<place::Grid> grid;  // if it is one's
  std::vector<place::NodeRun> nodes;
  place::Aim aim;
  bool equal_nodes;  // and each full
};

[[nodiscard]] RandomJob random_job(std::size_t number);

struct RandomScore {
  std::size_t jobs = 0;
  std::size_t beaten = 0;          // by a launcher's order, by the job's objective
  std::size_t beaten_by_peer = 0;  // by a partitioner whose parts are no larger than the nodes, in the sum
  double gain = 0;                 // of all jobs: ours over the best launcher's, added up
};

// Looks at one more. KaHIP's may be better by two in a hundred.
void score(const RandomJob& job, const std::vector<Partitioner>& peers, RandomScore& into);

}  // namespace comity::cli::bench
