// SPDX-License-Identifier: BSD-3-Clause
// The doorbell of each participant: a futex word that grows when somebody rings. Who listens counts itself before it looks,
// who rings has done its part before it looks whether anybody listens: one of the two sees the other. Who sleeps on descriptors says
// so before it looks at the word a last time, and who rings looks at that behind the word: there too one sees the other.
#include <algorithm>

#include "node/node.hpp"
#include "os/threads/far_fence.hpp"
#include "os/threads/futex.hpp"

namespace comity::node {
namespace {

const std::atomic<std::uint32_t>& those_who_hear(News news, const ParticipantRecord& whose) {
  switch (news) {
    case News::receipt:
      return whose.receipt_listeners;
    case News::answer:
      return whose.answer_listeners;
    case News::message:
      break;
  }
  return whose.listeners;
}

// Question: nobody is asked, or that participant, or the one that was has been taken over by another asker's end.
constexpr std::uint32_t kNoQuestion = 0;
constexpr std::uint32_t kHandedOn = UINT32_MAX;
constexpr std::uint32_t question_to(int participant) { return static_cast<std::uint32_t>(participant) + 1; }
// Each of p that end rings so many, so that all together ring O(p) times.
constexpr int kHandedOnTo = 2;

bool any_is_ready(std::span<const pollfd> watched) {
  return std::ranges::any_of(watched, [](const pollfd& one) { return one.revents != 0; });
}

}  // namespace

bool Node::listens(int participant) const { return record(participant).listeners.load(std::memory_order_relaxed) != 0; }

std::uint32_t Node::rings(int participant) const { return record(participant).bell.load(std::memory_order_relaxed); }

void Node::fence_before_look() const {
  if (light_rings_) {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // who listens makes the other half for both
  } else {
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
}

void Node::ring(int participant, News news) {
  fence_before_look();
  ring_if_listening(participant, news);
}

void Node::ring(std::span<const int> participants, News news) {
  fence_before_look();
  for (const int participant : participants) ring_if_listening(participant, news);
}

// Once, until it listens anew: it has not looked yet.
void Node::ring_if_listening(int participant, News news) {
  ParticipantRecord& whose = record(participant);
  if (those_who_hear(news, whose).load(std::memory_order_relaxed) == 0) return;
  if (whose.is_rung.exchange(1, std::memory_order_acq_rel) != 0) return;
  whose.rung_ns.store(now_ns(), std::memory_order_relaxed);
  whose.bell.fetch_add(1, std::memory_order_seq_cst);
  os::futex_wake(whose.bell);
  if (wire_ && whose.sleeps_on_wire.load(std::memory_order_seq_cst) != 0) wire_->ring(participant);
}

Node::Asked Node::ask(int participant) {
  record(participant).askers.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t before = take_question(question_to(participant));
  if (before == question_to(participant)) return Asked::still;
  if (participant != me_) ring(participant);
  return before == kHandedOn ? Asked::handed_on : Asked::anew;
}

void Node::stop_asking() { take_question(kNoQuestion); }

// Returns the one before, whose participant is told that it is no longer asked.
std::uint32_t Node::take_question(std::uint32_t next) {
  const std::uint32_t before = record(me_).asks.exchange(next, std::memory_order_seq_cst);
  if (before != kNoQuestion && before != kHandedOn) {
    record(static_cast<int>(before) - 1).askers.fetch_sub(1, std::memory_order_relaxed);
  }
  return before;
}

// Who asks between my last look and this has rung me: I listen.
void Node::answer() {
  if (record(me_).askers.load(std::memory_order_relaxed) == 0) return;
  fence_before_look();
  for (int other = 0; other < participants(); ++other) {
    if (other != me_) end_question(other, me_, kNoQuestion);
  }
}

void Node::hand_on(int participant) {
  if (record(participant).askers.load(std::memory_order_relaxed) == 0) return;
  fence_before_look();
  int left = kHandedOnTo;
  for (int step = 1; step < participants() && left > 0; ++step) {
    if (end_question((me_ + step) % participants(), participant, kHandedOn)) --left;
  }
}

bool Node::end_question(int whose, int to, std::uint32_t how) {
  std::uint32_t expected = question_to(to);
  std::atomic<std::uint32_t>& asks = record(whose).asks;
  if (asks.load(std::memory_order_relaxed) != expected) return false;
  if (!asks.compare_exchange_strong(expected, how, std::memory_order_acq_rel)) return false;
  record(to).askers.fetch_sub(1, std::memory_order_relaxed);
  ring_if_listening(whose, News::message);
  return true;
}

void Node::open_wire() { wire_ = std::make_unique<BellWire>(segment_.header(), me_); }

Node::Listening::Listening(Node& node, Hears hears)
    : node_(node), mine_(node.record(node.participant())), hears_(hears) {
  heard_ = mine_.bell.load(std::memory_order_relaxed);
  mine_.is_rung.store(0, std::memory_order_relaxed);
  mine_.listeners.fetch_add(1, std::memory_order_seq_cst);
  if (hears_ != Hears::messages) mine_.receipt_listeners.fetch_add(1, std::memory_order_seq_cst);
  if (hears_ != Hears::all_but_answers) mine_.answer_listeners.fetch_add(1, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (node.light_rings_) os::far_fence();
}

Node::Listening::~Listening() {
  mine_.listeners.fetch_sub(1, std::memory_order_release);
  if (hears_ != Hears::messages) mine_.receipt_listeners.fetch_sub(1, std::memory_order_release);
  if (hears_ != Hears::all_but_answers) mine_.answer_listeners.fetch_sub(1, std::memory_order_release);
}

bool Node::Listening::sleep_until(std::int64_t deadline_ns) {
  node_.fall_asleep();
  os::FutexEnd end = os::FutexEnd::interrupted;
  while (end == os::FutexEnd::interrupted) end = os::futex_wait_until(mine_.bell, heard_, deadline_ns);
  node_.awake();
  return hear(end == os::FutexEnd::woken);
}

WokenBy Node::Listening::sleep_on(std::span<pollfd> watched, std::int64_t deadline_ns) {
  os::PollEnd end = os::PollEnd::refused;
  if (watched.size() > 1 && node_.wire_ && node_.wire_->take()) {
    end = poll_on_wire(watched, deadline_ns);
    node_.wire_->give_back();
  }
  if (end == os::PollEnd::refused) return sleep_until(deadline_ns) ? WokenBy::ring : WokenBy::clock;
  if (hear(watched.front().revents != 0)) return WokenBy::ring;
  return end == os::PollEnd::ready ? WokenBy::descriptor : WokenBy::clock;
}

os::PollEnd Node::Listening::poll_on_wire(std::span<pollfd> watched, std::int64_t deadline_ns) {
  BellWire& wire = *node_.wire_;
  watched.front() = os::to_read(wire.number());
  node_.fall_asleep();
  mine_.sleeps_on_wire.store(1, std::memory_order_seq_cst);
  // What a ringer sends late is of a ring that was heard before: it tells of nothing.
  os::PollEnd end = os::PollEnd::timed_out;
  while (mine_.bell.load(std::memory_order_seq_cst) == heard_) {
    end = os::poll_until(watched, deadline_ns);
    if (end != os::PollEnd::ready || any_is_ready(watched.subspan(1))) break;
    wire.drain();
    end = os::PollEnd::timed_out;
  }
  mine_.sleeps_on_wire.store(0, std::memory_order_relaxed);
  node_.awake();
  if (watched.front().revents != 0) wire.drain();
  return end;
}

// Returns whether it was rung since it last heard.
bool Node::Listening::hear(bool was_woken) {
  const std::uint32_t now_heard = mine_.bell.load(std::memory_order_acquire);
  // A ringer that was killed before the bell has rung too.
  const bool rung = now_heard != heard_ || mine_.is_rung.load(std::memory_order_relaxed) != 0;
  heard_ = now_heard;
  const std::int64_t rung_ns = mine_.rung_ns.load(std::memory_order_relaxed);
  const std::int64_t cost_ns = now_ns() - rung_ns;
  if (was_woken && rung && rung_ns > 0 && cost_ns > 0) node_.note_wake(Nanoseconds(cost_ns));
  return rung;
}

}  // namespace comity::node
