// SPDX-License-Identifier: BSD-3-Clause
// Crowd: the threads of a node's ranks against the cores that they may use, as Linux counts them, and what follows from it
// for a job. Pure: what a rank knows of itself comes from teams, and how ranks bring it together from agreement.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/cpu_set.hpp"

namespace comity::coop {

struct Crowd {
  std::uint32_t ranks = 0;
  std::uint32_t threads = 0;        // of all its ranks
  std::uint32_t least_threads = 0;  // of a rank
  std::uint32_t most_threads = 0;
  std::uint32_t cores = 0;
};

[[nodiscard]] bool is_crowded(const Crowd& crowd);
[[nodiscard]] std::string to_text(const Crowd& crowd);  // "4 ranks x 2 threads on 2 cores"

// What a rank tells those of its node, byte by byte.
struct RankFacts {
  CpuSet mask;   // where it may run
  CpuSet reach;  // where it may be let run; its mask, if somebody wanted that one
  std::uint32_t threads = 1;
  std::uint32_t has_spinning_team = 0;  // whose idle threads nobody can make sleep any more
  std::uint32_t has_tool = 0;           // one that sees calls of MPI only as long as we do not replace them
  std::uint32_t is_free = 0;            // it may be put anywhere within its reach: nobody wanted another place
};

// A rank that has fewer cores than threads runs wherever it may; any other stays where it is.
[[nodiscard]] bool is_to_spread(const RankFacts& rank);

// What a node tells the job, the same from each of its ranks.
struct NodeFacts {
  Crowd crowd;                     // as it was launched
  std::uint32_t cores_spread = 0;  // when its ranks are spread
  std::uint32_t has_spinning_teams = 0;
  std::uint32_t has_tools = 0;
  std::uint32_t cores_of_a_share = 0;  // where each rank gets one (shares); 0: none does
};

[[nodiscard]] NodeFacts sum_up(std::span<const RankFacts> ranks);

// Whether idle threads are still in the way when ranks are spread.
[[nodiscard]] bool has_idle_threads_in_the_way(const NodeFacts& node);

struct Verdict {
  bool crowded = false;  // some node is
  bool on = false;       // then all ranks wait cooperatively, unless a tool would miss calls
  std::size_t rank = 0;  // the first one of the fullest node
  NodeFacts node;        // the fullest
};

// nodes[r]: of rank r of the job, one at least. A job of one rank is never crowded: it has nobody to wait for.
[[nodiscard]] Verdict judge(std::span<const NodeFacts> nodes);

// What was decided and why: "off: 2 ranks on 4 cores of node a". `node_name`: of rank 0.
[[nodiscard]] std::string to_text(const Verdict& verdict, const std::string& node_name);

}  // namespace comity::coop
