// SPDX-License-Identifier: BSD-3-Clause
#include "node/node.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "os/kernel.hpp"

namespace comity::node {
namespace {

constexpr Nanoseconds kMostSpin = std::chrono::microseconds(50);
constexpr Nanoseconds kDearestWake = std::chrono::seconds(1);
constexpr std::int64_t kWakeMemory = 8;  // wake-ups that the running mean looks back on

}  // namespace

AttachOptions attach_options(const Options& options) {
  return {.handover = options.text(OptionId::node_handover),
          .directory = options.text(OptionId::node_directory),
          .slice = std::chrono::milliseconds(options.number(OptionId::node_slice_ms)),
          .spin_us = options.number(OptionId::node_spin_us)};
}

Node::Node(Segment segment, std::unique_ptr<os::OfdLock> lock, int me, const AttachOptions& options)
    : segment_(std::move(segment)),
      lock_(std::move(lock)),
      me_(me),
      slice_(options.slice),
      spin_us_(options.spin_us),
      harts_(segment_.harts()),
      claims_(harts_, segment_.deaths(), me, home_mask(me)),
      pid_namespace_(record(me).pid_namespace),
      crowded_(static_cast<std::size_t>(segment_.participants()) > os::online_cpus()) {}

Node::~Node() {
  if (!is_fork_child()) claims_.leave();
}

ParticipantRecord& Node::record(int participant) const {
  if (participant < 0 || participant >= participants()) {
    throw Error(Status::range, "this node has no participant " + std::to_string(participant) + ", only 0 to " +
                                   std::to_string(participants() - 1));
  }
  return segment_.participant(participant);
}

pid_t Node::pid(int participant) const { return record(participant).pid; }

CpuSet Node::home_mask(int participant) const { return record(participant).home.read(); }

std::optional<std::size_t> Node::home_hart(int participant) const { return home_mask(participant).lowest(); }

CpuSet Node::published_mask(int participant) const { return record(participant).current.read(); }

void Node::claim_harts(const CpuSet& pushed, const CpuSet& binding) {
  if (!is_fork_child()) claims_.move_to(pushed, binding);  // else the harts are the parent's
}

void Node::drop_dead(int participant) {
  record(participant).is_lost.store(1, std::memory_order_relaxed);
  harts_.drop_dead(participant);
  segment_.deaths().fetch_add(1, std::memory_order_release);
  claims_.ask_anew();
}

bool Node::first_to_tell(unsigned notice) {
  const std::uint32_t bit = std::uint32_t{1} << notice;
  return (segment_.told().fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

bool Node::alive(int participant) const {
  static_cast<void>(record(participant));
  return participant == me_ || lock_->held_elsewhere(static_cast<std::uint64_t>(participant));
}

bool Node::may_spin() const { return spin_us_ >= 0 ? spin_us_ > 0 : !crowded_ && !hart_is_wanted(); }

Nanoseconds Node::spin_budget() const {
  if (!may_spin()) return Nanoseconds(0);
  return spin_us_ >= 0 ? std::chrono::microseconds(spin_us_) : std::min(wake_cost(me_), kMostSpin);
}

void Node::note_wake(Nanoseconds cost) {
  std::atomic<std::int64_t>& mean = record(me_).wake_ns;
  const auto believable = [](std::int64_t ns) { return std::clamp<std::int64_t>(ns, 0, kDearestWake.count()); };
  const std::int64_t before = believable(mean.load(std::memory_order_relaxed));  // memory that others write, too
  const std::int64_t now = believable(cost.count());
  const std::int64_t after = before == 0 ? now : before + (now - before) / kWakeMemory;
  mean.store(std::max<std::int64_t>(after, 1), std::memory_order_relaxed);
}

Nanoseconds Node::wake_cost(int participant) const {
  return Nanoseconds(record(participant).wake_ns.load(std::memory_order_relaxed));
}

}  // namespace comity::node
