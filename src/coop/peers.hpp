// SPDX-License-Identifier: BSD-3-Clause
// Peers: who of the job shares my node, by rank of MPI_COMM_WORLD, and whom I owe a ring: ranks whose messages I have
// asked for, or that I have given some, and that may sleep until I have done my part. Nobody tells when the last request of a peer
// is over, and a ring too many wakes a rank for one look: a debt that was not made again is forgotten after some waits, and who
// waits for a request from before then looks by itself. Where windows are, whose targets answer whom they do not know, everybody is told
// of answers too, but for those who only wait for others to come to a collective: the ends of p ranks would wake each of them p times.
// Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "coop/far_waits.hpp"
#include "coop/long_waits.hpp"
#include "coop/lookout.hpp"
#include "coop/ring_trust.hpp"
#include "coop/spin_worth.hpp"
#include "coop/watch.hpp"
#include "node/node.hpp"

namespace comity::coop {

inline constexpr int kElsewhere = -1;
inline constexpr std::uint64_t kNoNode = 0;  // of a rank that takes no part

// Whether more ranks of the node than it has harts are confined to where this one was launched.
[[nodiscard]] bool is_crammed(const node::Node& node);

// How many waits slept, by what ended their last sleep: a ring that is lost costs but time, and shows here.
class SleepEnds {
 public:
  void add(node::WokenBy by) { counts_[static_cast<std::size_t>(by)].fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t by(node::WokenBy what) const {
    return counts_[static_cast<std::size_t>(what)].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint32_t>, 3> counts_{};
};

class Peers {
 public:
  // nodes[r]: an id of the node of rank r of the job, equal for those that share the segment, or kNoNode.
  Peers(std::shared_ptr<node::Node> node, const std::vector<std::uint64_t>& nodes, FarBounds far = {});

  [[nodiscard]] node::Node& node() const { return *node_; }
  [[nodiscard]] int job_size() const { return static_cast<int>(participant_of_.size()); }
  // Not where ranks are crammed: who is rung there wants my hart before it runs.
  [[nodiscard]] bool may_spin() const { return !crammed_ && node_->may_spin(); }
  [[nodiscard]] bool all_are_here() const { return node_->participants() == job_size(); }
  [[nodiscard]] FarWaits& far_waits() { return far_; }
  [[nodiscard]] const FarWaits& far_waits() const { return far_; }
  [[nodiscard]] Watch& watch() { return watch_; }
  [[nodiscard]] Lookout& lookout() { return lookout_; }
  [[nodiscard]] const Lookout& lookout() const { return lookout_; }
  [[nodiscard]] RingTrust& trust() { return trust_; }
  [[nodiscard]] LongWaits& long_waits() { return long_waits_; }
  // How long a wait sleeps that nobody may ring for.
  [[nodiscard]] Nanoseconds nap_after(Nanoseconds waited) const {
    return long_waits_.nap_after(waited, all_are_here() ? trust_.nap_after(waited) : far_.nap());
  }
  // Of a wait that begins; more: how much longer than usual, for what is known to be under way. Who waits for other nodes spins as far_waits say.
  [[nodiscard]] bool spins_first(Nanoseconds more) {
    return more.count() > 0 || !all_are_here() || spin_worth_.takes();
  }
  void note_spin_was_worth() { spin_worth_.was_worth(); }
  void note_spin_before(const Nap& last) {
    if (last.by == node::WokenBy::ring && last.took.count() > 0 && last.took < node_->spin_budget())
      spin_worth_.was_in_vain();
  }
  void note_end_of_wait(const Nap& last) {
    long_waits_.note_end(last.waited);
    far_.note_end_of_wait(last);
    if (last.by == node::WokenBy::clock) trust_.was_missed();
    if (last.took.count() > 0) ends_.add(last.by);
  }
  [[nodiscard]] const SleepEnds& sleep_ends() const { return ends_; }  // the last ones of waits
  [[nodiscard]] SleepEnds& naps() { return naps_; }                    // all of them
  // The same is known of it on all ranks that do. False for what is no rank of the job.
  [[nodiscard]] bool takes_part(std::int32_t world_rank) const {
    const auto index = static_cast<std::size_t>(world_rank);
    return world_rank >= 0 && index < takes_part_.size() && takes_part_[index];
  }
  // kElsewhere for ranks of other nodes, and for what is no rank of the job.
  [[nodiscard]] int participant_of(std::int32_t world_rank) const {
    const auto index = static_cast<std::size_t>(world_rank);
    return world_rank >= 0 && index < participant_of_.size() ? participant_of_[index] : kElsewhere;
  }

  // kElsewhere: nobody. Me: other threads of mine that wait.
  void ring(int participant, node::News news = node::News::message) {
    if (participant != kElsewhere) node_->ring(participant, news);
  }
  void ring_own_threads() { node_->ring(me_); }
  void ring(std::span<const int> participants);  // of this node; I may be one
  void owe(int participant) {
    if (!is_other(participant)) return;
    std::atomic<std::uint64_t>& word = owed_[static_cast<std::size_t>(participant) / kBits];
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(participant) % kBits);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  void owe_everybody();
  // While this lives everybody is owed, and who was not before no longer then, for it is of something that is over with it. What another
  // thread comes to owe meanwhile may be forgotten with it.
  class OwesEverybody {
   public:
    explicit OwesEverybody(Peers& peers);
    ~OwesEverybody();
    OwesEverybody(const OwesEverybody&) = delete;
    OwesEverybody& operator=(const OwesEverybody&) = delete;

   private:
    Peers& peers_;
    std::vector<std::uint64_t> before_;
  };
  void ring_those_owed(node::News news = node::News::message);  // and whom I may have answered
  // A wait begins to sleep.
  void age_debts();
  // From now on others may ask this rank for something that it does not hear of.
  void may_answer() { may_answer_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool knows_whom_it_owes() const { return !may_answer_.load(std::memory_order_relaxed); }
  void ring_everybody();

 private:
  static constexpr std::size_t kBits = 64;
  static constexpr std::uint32_t kWaitsOfADebt = 16;  // twice as many at the most

  [[nodiscard]] bool is_other(int participant) const { return participant != kElsewhere && participant != me_; }

  std::shared_ptr<node::Node> node_;
  const int me_;
  bool crammed_ = false;
  std::vector<int> participant_of_;
  std::vector<bool> takes_part_;
  std::vector<int> others_;                       // of this node
  std::vector<std::atomic<std::uint64_t>> owed_;  // a bit a participant
  std::vector<std::atomic<std::uint64_t>> owed_before_;
  std::atomic<std::uint32_t> waits_{0};
  std::atomic<bool> may_answer_{false};
  FarWaits far_;
  RingTrust trust_;
  SpinWorth spin_worth_;
  SleepEnds ends_;
  SleepEnds naps_;
  LongWaits long_waits_;
  Watch watch_;
  Lookout lookout_;
};

}  // namespace comity::coop
