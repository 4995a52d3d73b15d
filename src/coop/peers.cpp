// SPDX-License-Identifier: BSD-3-Clause
#include "coop/peers.hpp"

#include "base/cpu_set.hpp"

namespace comity::coop {
namespace {

constexpr std::size_t kBits = 64;

}  // namespace

Peers::Peers(std::shared_ptr<node::Node> node, const std::vector<std::uint64_t>& nodes)
    : node_(std::move(node)), owed_((static_cast<std::size_t>(node_->participants()) + kBits - 1) / kBits) {
  participant_of_.reserve(nodes.size());
  int next = 0;  // participants are numbered in the order of the job's ranks
  for (const std::uint64_t id : nodes) participant_of_.push_back(id == node_->id() ? next++ : kElsewhere);
}

int Peers::participant_of(std::int32_t world_rank) const {
  const auto index = static_cast<std::size_t>(world_rank);
  return world_rank >= 0 && index < participant_of_.size() ? participant_of_[index] : kElsewhere;
}

void Peers::ring(int participant) {
  if (participant != kElsewhere && participant != node_->participant()) node_->ring(participant);
}

void Peers::owe(int participant) {
  if (participant == kElsewhere || participant == node_->participant()) return;
  std::atomic<std::uint64_t>& word = owed_[static_cast<std::size_t>(participant) / kBits];
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(participant) % kBits);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
}

void Peers::owe_everybody() {
  for (int participant = 0; participant < node_->participants(); ++participant) owe(participant);
}

void Peers::ring_everybody() {
  for (int participant = 0; participant < node_->participants(); ++participant) ring(participant);
}

void Peers::ring_those_owed() {
  for (std::size_t index = 0; index < owed_.size(); ++index) {
    for_each_bit(owed_[index].load(std::memory_order_relaxed), index,
                 [&](std::size_t participant) { ring(static_cast<int>(participant)); });
  }
}

}  // namespace comity::coop
