// SPDX-License-Identifier: BSD-3-Clause
// Random jobs, and a large random graph: grids and graphs on nodes alike or not, the same ones everywhere; and whether ours are as
// good as the answers of others.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench/measure/row.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "place/mapper.hpp"

namespace comity::cli::bench {

inline constexpr std::size_t kMostJobRanks = 256;
inline constexpr std::size_t kRandomJobs = 1'000;

struct RandomJob {
  place::Graph graph;
  std::optional<place::Grid> grid;  // if it is one's
  std::vector<place::NodeRun> nodes;
  place::Aim aim;
  std::size_t number = 0;
};

[[nodiscard]] RandomJob random_job(std::size_t number);

// 100,000 points of a square, about eight near ones each.
[[nodiscard]] place::Graph large_graph();
// A master that exchanges ten times as much with each of 99,999 workers as these with the next.
[[nodiscard]] place::Graph hub_graph();

// The job's own figure, the worst node's or the sum.
[[nodiscard]] double figure_of(const RandomJob& job, const place::Crossing& nodes);

struct PeersFigure {
  double figure;
  double seconds;  // of its program
};

// Of a peer's division, made to fit first, as the mapper does, where a part is larger than its node. None where it made none.
[[nodiscard]] std::optional<PeersFigure> figure_of_peer(const RandomJob& job, const Partitioner& peer,
                                                        std::size_t seed);

struct RandomScore {
  // Of one partitioner.
  struct Peer {
    std::size_t jobs = 0;     // in which it could be told what is wanted, and answered
    std::size_t runs = 0;     // of its program in all of them
    std::size_t better = 0;   // by the job's own figure, the worst or the sum
    double seconds = 0;       // of its program
    double ours_seconds = 0;  // in the same jobs
  };

  std::size_t jobs = 0;
  std::size_t lost = 0;                 // jobs in which anybody has less
  std::size_t beaten = 0;               // by a launcher's order, by the job's objective
  double gain = 0;                      // of all jobs: ours over the best launcher's, added up
  std::vector<LostJob> lost_jobs = {};  // once for each that has less
  std::map<std::string, Peer> peers = {};
};

// Missed where a job is lost. Met where all were looked at and both others had their say: who is not here has not lost.
[[nodiscard]] Verdict verdict_on(const RandomScore& found);

// Looks at one more. At equal time: a peer runs again and again, each time with other random numbers, or told the ranks in another order, until it has had as long as
// ours took, or has less. KaHIP's may be better by two in a hundred. Nodes that are not alike it cannot be told of.
void score(const RandomJob& job, const std::vector<Partitioner>& peers, RandomScore& into);

}  // namespace comity::cli::bench
