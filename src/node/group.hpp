// SPDX-License-Identifier: BSD-3-Clause
// Group: a set of participants of one node with a barrier of its own. One thread of a member at a time. A
// member that dies, or leaves by dropping its Group, breaks the group: every wait of the others ends with
// Status::peer_lost. Dropping is local; the last one to drop frees the slot.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "node/barrier.hpp"
#include "node/node.hpp"
#include "node/precedent.hpp"
#include "node/slots.hpp"
#include "node/turns.hpp"

namespace comity::node {

// What a member does while it waits, instead of sleeping until the last one has come.
class Meanwhile {
 public:
  Meanwhile() = default;
  Meanwhile(const Meanwhile&) = delete;
  Meanwhile& operator=(const Meanwhile&) = delete;

  // Returns when over() is true, or the deadline on the clock of now_ns() has passed. nap(t): sleeps until the last one has
  // come, at most until t; this member's harts are idle meanwhile.
  virtual void until(const std::function<bool()>& over, const std::function<void(std::int64_t)>& nap,
                     std::int64_t deadline_ns) = 0;

 protected:
  ~Meanwhile() = default;
};

class Group {
 public:
  // Joins a claimed slot. `participants` in rank order, this process among them.
  Group(std::shared_ptr<Node> node, const Claim& claim, std::vector<int> participants);
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(participants_.size()); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int participant(int rank) const;  // throws Status::range
  [[nodiscard]] const std::vector<int>& participants() const { return participants_; }
  [[nodiscard]] Node& node() const { return *node_; }
  [[nodiscard]] const Claim& claim() const { return claim_; }  // which no other group has meanwhile

  // The barrier. Throws Status::peer_lost naming the rank (the group is broken for good), Status::timeout
  // (nothing changed: wait again to go on). A timeout of 0 or less looks once; none waits as long as it
  // takes.
  void wait(std::optional<Nanoseconds> timeout = std::nullopt, Meanwhile* meanwhile = nullptr);
  // For who does not wait for all, or has something else to do meanwhile. One thread of a member at a time.
  [[nodiscard]] Turns& turns() { return turns_; }
  [[nodiscard]] const Turns& turns() const { return turns_; }
  // Among those who have not come to my turn. A system call a member at most once a slice; throws Status::peer_lost, and
  // breaks the group then as wait() does.
  void look_for_the_dead();
  // Collective: all[r] gets what rank r gave. A barrier too, with the same failures.
  void exchange(std::uint64_t mine, std::span<std::uint64_t> all, std::optional<Nanoseconds> timeout = std::nullopt,
                Meanwhile* meanwhile = nullptr);
  // Collective, and waits for nobody: what the first member found in this call counts in it on all of them, and in all later ones
  // until the next barrier; none where it found nothing. `find` is not asked where that is known.
  [[nodiscard]] std::optional<CpuSet> follow_first(const Precedent::Find& find);
  // Collective: the group of those that gave the same colour, in rank order; null for a colour below 0.
  [[nodiscard]] std::unique_ptr<Group> split(int color);

 private:
  void require_own_process() const;
  void spin(std::uint32_t generation, std::int64_t deadline_ns);
  void sleep(std::uint32_t generation, std::int64_t deadline_ns);
  void wait_in(Meanwhile& meanwhile, std::uint32_t generation, std::int64_t deadline_ns);
  void note_wake_since(std::int64_t released_ns);
  void test_members(std::uint32_t generation);
  [[nodiscard]] bool is_time_to_test();
  [[nodiscard]] bool is_gone(int rank);
  void give_up(std::uint32_t generation);
  // Returns whether the wait goes on; throws when the group broke.
  [[nodiscard]] bool goes_on(Phase phase) const;
  [[noreturn]] void throw_lost() const;
  [[noreturn]] void throw_timeout(std::uint32_t generation) const;

  std::shared_ptr<Node> node_;
  Claim claim_;
  std::vector<int> participants_;
  int rank_ = -1;
  std::span<MemberRecord> members_;
  Barrier barrier_;
  Turns turns_;
  Precedent precedent_;
  std::uint32_t followed_in_ = 0;  // the generation of the last follow_first()
  std::uint32_t turn_ = 0;         // how many there were in that
  std::int64_t tested_ns_;  // when the members were last tested, so that short timeouts in a row find a death too
};

}  // namespace comity::node
