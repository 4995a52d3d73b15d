// SPDX-License-Identifier: BSD-3-Clause
// Peers: who of the job shares my node, by rank of MPI_COMM_WORLD, and whom I owe a ring: ranks whose messages I have
// asked for, or that I have given some, and that may sleep until I have done my part. A debt stays, for nobody tells when
// the last request of a peer is over; a ring too many wakes a rank for one look. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "node/node.hpp"

namespace comity::coop {

inline constexpr int kElsewhere = -1;

class Peers {
 public:
  // nodes[r]: an id of the node of rank r of the job, equal for those that share the segment.
  Peers(std::shared_ptr<node::Node> node, const std::vector<std::uint64_t>& nodes);

  [[nodiscard]] node::Node& node() const { return *node_; }
  [[nodiscard]] const std::shared_ptr<node::Node>& shared_node() const { return node_; }
  [[nodiscard]] int job_size() const { return static_cast<int>(participant_of_.size()); }
  [[nodiscard]] bool all_are_here() const { return node_->participants() == job_size(); }
  // kElsewhere for ranks of other nodes, and for what is no rank of the job.
  [[nodiscard]] int participant_of(std::int32_t world_rank) const;

  void ring(int participant);  // kElsewhere: nothing
  void owe(int participant);
  void owe_everybody();
  void ring_those_owed();
  void ring_everybody();

 private:
  std::shared_ptr<node::Node> node_;
  std::vector<int> participant_of_;
  std::vector<std::atomic<std::uint64_t>> owed_;  // a bit a participant
};

}  // namespace comity::coop
