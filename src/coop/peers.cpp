// SPDX-License-Identifier: BSD-3-Clause
#include "coop/peers.hpp"

#include "base/cpu_set.hpp"

namespace comity::coop {

bool is_crammed(const node::Node& node) {
  const CpuSet mine = node.home_mask(node.participant());
  std::size_t confined = 0;
  for (int participant = 0; participant < node.participants(); ++participant) {
    if (mine.encloses(node.home_mask(participant))) ++confined;
  }
  return confined > mine.count();
}

Peers::Peers(std::shared_ptr<node::Node> node, const std::vector<std::uint64_t>& nodes, FarBounds far)
    : node_(std::move(node)),
      me_(node_->participant()),
      owed_((static_cast<std::size_t>(node_->participants()) + kBits - 1) / kBits),
      owed_before_(owed_.size()),
      far_(far, node_->participants()) {
  participant_of_.reserve(nodes.size());
  for (const std::uint64_t id : nodes) takes_part_.push_back(id != kNoNode);
  int next = 0;  // participants are numbered in the order of the job's ranks
  for (const std::uint64_t id : nodes) participant_of_.push_back(id == node_->id() ? next++ : kElsewhere);
  for (int participant = 0; participant < next; ++participant) {
    if (participant != node_->participant()) others_.push_back(participant);
  }
  crammed_ = is_crammed(*node_);
}

void Peers::owe_everybody() {
  for (int participant = 0; participant < node_->participants(); ++participant) owe(participant);
}

Peers::OwesEverybody::OwesEverybody(Peers& peers) : peers_(peers) {
  for (std::size_t index = 0; index < peers.owed_.size(); ++index) {
    before_.push_back(peers.owed_[index].load(std::memory_order_relaxed) |
                      peers.owed_before_[index].load(std::memory_order_relaxed));
  }
  peers.owe_everybody();
}

Peers::OwesEverybody::~OwesEverybody() {
  for (std::size_t index = 0; index < before_.size(); ++index) {
    peers_.owed_[index].fetch_and(before_[index], std::memory_order_relaxed);
    peers_.owed_before_[index].fetch_and(before_[index], std::memory_order_relaxed);
  }
}

void Peers::ring(std::span<const int> participants) { node_->ring(participants); }

void Peers::ring_everybody() { node_->ring(others_); }

void Peers::ring_those_owed(node::News news) {
  for (std::size_t index = 0; index < owed_.size(); ++index) {
    const std::uint64_t before = owed_before_[index].load(std::memory_order_relaxed);
    for_each_bit(owed_[index].load(std::memory_order_relaxed) | before, index,
                 [&](std::size_t participant) { ring(static_cast<int>(participant), news); });
  }
  if (!knows_whom_it_owes()) node_->ring(others_, node::News::answer);
}

// One that is made meanwhile stands in one of the two.
void Peers::age_debts() {
  if (waits_.fetch_add(1, std::memory_order_relaxed) % kWaitsOfADebt != kWaitsOfADebt - 1) return;
  for (std::size_t index = 0; index < owed_.size(); ++index) {
    owed_before_[index].store(owed_[index].exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

}  // namespace comity::coop
