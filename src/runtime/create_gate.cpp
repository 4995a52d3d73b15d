// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/create_gate.hpp"

namespace comity::runtime {
namespace {

constexpr std::chrono::milliseconds kPatience{1};  // of one that waits for its turn while its peers wait for it

}  // namespace

CreateGate::Place::~Place() {
  const std::lock_guard lock(gate_.mutex_);
  if (inside_) gate_.inside_ = nullptr;
  gate_.unqueue(*this);
  gate_.moved_.notify_all();
}

bool CreateGate::Place::enter() {
  std::unique_lock lock(gate_.mutex_);
  if (ticket_) gate_.moved_.wait_for(lock, kPatience, [&] { return gate_.is_turn_of(*this); });
  inside_ = gate_.is_turn_of(*this);
  if (inside_) gate_.inside_ = this;
  return inside_;
}

void CreateGate::Place::leave() {
  const std::lock_guard lock(gate_.mutex_);
  if (!inside_) return;
  inside_ = false;
  gate_.inside_ = nullptr;
  gate_.moved_.notify_all();
}

void CreateGate::Place::take_ticket(std::int64_t ticket) {
  const std::lock_guard lock(gate_.mutex_);
  ticket_ = ticket;
  if (!queued_) {
    next_ = gate_.queue_;
    gate_.queue_ = this;
    queued_ = true;
  }
  gate_.moved_.notify_all();
}

bool CreateGate::is_turn_of(const Place& place) const {
  if (inside_ != nullptr) return false;
  if (!place.ticket_) return queue_ == nullptr;
  for (const Place* other = queue_; other != nullptr; other = other->next_) {
    if (other != &place && other->ticket_ <= place.ticket_) return false;
  }
  return true;
}

void CreateGate::unqueue(Place& place) {
  if (!place.queued_) return;
  Place** link = &queue_;
  while (*link != &place) link = &(*link)->next_;
  *link = place.next_;
  place.queued_ = false;
}

}  // namespace comity::runtime
