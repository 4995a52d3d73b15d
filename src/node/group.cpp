// SPDX-License-Identifier: BSD-3-Clause
#include "node/group.hpp"

#include <algorithm>
#include <new>
#include <numeric>

#include "base/error.hpp"

namespace comity::node {
namespace {

constexpr std::uint64_t kNoClaim = ~std::uint64_t{0};

int rank_of(int participant, const std::vector<int>& participants) {
  const auto found = std::find(participants.begin(), participants.end(), participant);
  if (found == participants.end()) {
    throw Error(Status::internal,
                "join a group of the node: participant " + std::to_string(participant) + " is no member of it");
  }
  return static_cast<int>(found - participants.begin());
}

// A member that cannot join counts as one that has left: the others learn of it, and the slot is free after them.
std::unique_ptr<Group> join(const std::shared_ptr<Node>& node, const Claim& claim, std::span<const int> participants) {
  try {
    return std::make_unique<Group>(node, claim, std::vector<int>(participants.begin(), participants.end()));
  } catch (const std::bad_alloc&) {
    const auto me = std::find(participants.begin(), participants.end(), node->participant());
    if (me != participants.end()) Slots(*node).leave(claim, static_cast<int>(me - participants.begin()));
    throw;
  }
}

[[noreturn]] void throw_slots_full(const Node& node) {
  throw Error(Status::memory, "make a group: all " + std::to_string(node.segment().slots()) +
                                  " groups that this node has room for are in use; free contexts or groups first");
}

}  // namespace

Group::Group(std::shared_ptr<Node> node, const Claim& claim, std::vector<int> participants)
    : node_(std::move(node)),
      claim_(claim),
      participants_(std::move(participants)),
      rank_(rank_of(node_->participant(), participants_)),
      members_(node_->segment().members(claim.slot), participants_.size()),
      barrier_(node_->segment().group(claim.slot), members_, rank_, static_cast<std::uint16_t>(claim.epoch)),
      turns_({node_->segment().turns(claim.slot), participants_.size()}, rank_),
      precedent_(node_->segment().group(claim.slot)),
      tested_ns_(now_ns()) {}

Group::~Group() {
  if (!node_->is_fork_child()) Slots(*node_).leave(claim_, rank_);
}

int Group::participant(int rank) const {
  if (rank < 0 || rank >= size()) {
    throw Error(Status::range,
                "this group has no rank " + std::to_string(rank) + ", only 0 to " + std::to_string(size() - 1));
  }
  return participants_[static_cast<std::size_t>(rank)];
}

void Group::exchange(std::uint64_t mine, std::span<std::uint64_t> all, std::optional<Nanoseconds> timeout,
                     Meanwhile* meanwhile) {
  require_own_process();  // before anything that others read is written
  // Two copies by turns: nobody is at the next but one generation before all have read this one.
  const std::size_t copy = barrier_.generation() % 2;
  members_[static_cast<std::size_t>(rank_)].exchanged[copy].store(mine, std::memory_order_relaxed);
  wait(timeout, meanwhile);
  for (std::size_t i = 0; i < members_.size() && i < all.size(); ++i) {
    all[i] = members_[i].exchanged[copy].load(std::memory_order_relaxed);
  }
}

std::optional<CpuSet> Group::follow_first(const Precedent::Find& find) {
  require_own_process();
  const std::uint32_t generation = barrier_.generation();
  if (generation != followed_in_) turn_ = 0;
  followed_in_ = generation;
  return precedent_.follow(generation, turn_++, find);
}

std::unique_ptr<Group> Group::split(int color) {
  std::vector<std::uint64_t> words(members_.size());
  std::vector<int> chosen;
  chosen.reserve(members_.size());  // here, because nothing may fail between the two exchanges
  exchange(static_cast<std::uint64_t>(std::int64_t{color}), words);
  std::size_t leader = words.size();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (color < 0 || static_cast<std::int64_t>(words[i]) != color) continue;
    leader = std::min(leader, i);
    chosen.push_back(participants_[i]);
  }
  std::optional<Claim> claimed;
  if (leader == static_cast<std::size_t>(rank_)) claimed = Slots(*node_).claim(chosen);
  const bool failed = leader == static_cast<std::size_t>(rank_) && !claimed;
  try {
    exchange(claimed ? claimed->packed() : failed ? kNoClaim : 0, words);
  } catch (...) {
    if (claimed) Slots(*node_).abandon(*claimed);
    throw;
  }
  const bool full = std::find(words.begin(), words.end(), kNoClaim) != words.end();
  if (full && claimed) Slots(*node_).abandon(*claimed);
  if (full) throw_slots_full(*node_);
  if (color < 0) return nullptr;
  return join(node_, Claim::unpacked(words[leader]), chosen);
}

std::unique_ptr<Group> Node::make_group(Candidates& candidates, std::span<const int> participants) {
  struct Offer {
    std::uint64_t node;
    std::uint64_t claim;
    std::int64_t participant;
  };
  const bool leads = !participants.empty() && participants.front() == me_;
  std::optional<Claim> claimed;
  if (leads) claimed = Slots(*this).claim(participants);
  const Offer mine{id(), claimed ? claimed->packed() : kNoClaim, me_};
  std::span<const Offer> all;
  try {
    all = candidates.gather(mine);
  } catch (...) {
    if (claimed) Slots(*this).abandon(*claimed);
    throw;
  }
  const auto leader = std::find_if(all.begin(), all.end(), [&](const Offer& offer) {
    return offer.node == id() && !participants.empty() && offer.participant == participants.front();
  });
  if (leader == all.end()) throw Error(Status::argument, "make a group: its first member does not take part");
  if (leader->claim == kNoClaim) throw_slots_full(*this);
  return join(shared_from_this(), Claim::unpacked(leader->claim), participants);
}

std::unique_ptr<Group> Node::make_group(Bootstrap& bootstrap, std::span<const int> participants) {
  Candidates candidates(bootstrap);
  return make_group(candidates, participants);
}

std::unique_ptr<Group> Node::make_group(Bootstrap& bootstrap) {
  std::vector<int> all(static_cast<std::size_t>(participants()));
  std::iota(all.begin(), all.end(), 0);
  return make_group(bootstrap, all);
}

}  // namespace comity::node
