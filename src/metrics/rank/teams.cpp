// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/rank/teams.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "os/code/symbol.hpp"

namespace comity::metrics {
namespace {

constexpr const char* kOtherPlaces = "(others)";
constexpr const char* kUnknown = "(unknown)";

// The call's own address, not that behind it, which may be another line's or another function's.
std::string name_of_code(const void* code) {
  return code == nullptr ? kUnknown : os::describe_address(static_cast<const char*>(code) - 1);
}

std::uint64_t at_least_none(std::int64_t ns) { return static_cast<std::uint64_t>(std::max<std::int64_t>(0, ns)); }

}  // namespace

Teams::~Teams() {
  for (std::atomic<TeamPlace*>& place : places_) delete place.load(std::memory_order_relaxed);
}

// Null where memory runs out.
TeamPlace* Teams::place_of(const void* code) noexcept {
  constexpr unsigned kMix = 0x9E3779B1U;
  const auto number = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(code));
  std::size_t slot = (number * kMix >> 16) % kSlots;
  for (; places_[slot].load(std::memory_order_relaxed) != nullptr; slot = (slot + 1) % kSlots) {
    TeamPlace* const place = places_[slot].load(std::memory_order_relaxed);
    if (place->code == code) return place;
  }
  const bool is_one_of_others = places_known_ >= kMostPlaces;
  if (is_one_of_others && code != this) return place_of(this);  // no code is there
  try {
    auto place = std::make_unique<TeamPlace>();
    place->code = code;
    place->name = is_one_of_others ? kOtherPlaces : name_of_code(code);
    ++places_known_;
    places_[slot].store(place.get(), std::memory_order_release);
    return place.release();
  } catch (const std::exception&) {
    return nullptr;
  }
}

void Teams::begin(const void* code, std::int64_t now_ns) noexcept {
  place_ = place_of(code);
  begin_ns_ = now_ns;
  threads_ = 1;
  region_.store(region_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void Teams::end(std::int64_t now_ns) noexcept {
  if (place_ == nullptr) return;
  const std::int64_t wall_ns = std::max<std::int64_t>(0, now_ns - begin_ns_);
  place_->count.add(1);
  place_->wall_ns.add(at_least_none(wall_ns));
  place_->thread_ns.add(at_least_none(wall_ns) * threads_);
  place_->largest_team.raise_to(threads_);
  add_work(wall_ns);
  place_ = nullptr;
}

void Teams::add_work(std::int64_t wall_ns) noexcept {
  if (threads_ > kWidest || (threads_ > 1 && !waits_are_told_)) return;
  const std::uint64_t region = region_.load(std::memory_order_relaxed);
  std::int64_t all_ns = 0, most_ns = 0;
  for (unsigned i = 0; i < threads_; ++i) {
    const Member* const member = team_[i].load(std::memory_order_acquire);
    if (member == nullptr || member->region.load(std::memory_order_relaxed) != region) return;
    const std::int64_t worked_ns = std::min(member->worked_ns.load(std::memory_order_relaxed), wall_ns);
    all_ns += worked_ns;
    most_ns = std::max(most_ns, worked_ns);
  }
  place_->measured_ns.add(at_least_none(wall_ns) * threads_);
  place_->working_ns.add(at_least_none(all_ns));
  place_->busiest_ns.add(at_least_none(most_ns) * threads_);
}

bool Teams::member_begins(unsigned index, std::int64_t now_ns) noexcept {
  const bool was_there = mine_ != nullptr;
  if (!was_there) mine_ = members_.take();
  if (mine_ == nullptr || index >= kWidest) return was_there;
  mine_->region.store(region_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  mine_->worked_ns.store(0, std::memory_order_relaxed);
  mine_->around = 0;
  mine_->is_open = true;
  mine_->work(now_ns);
  team_[index].store(mine_, std::memory_order_release);
  return was_there;
}

void Teams::member_ends(std::int64_t now_ns) noexcept {
  if (mine_ == nullptr || !mine_->is_open) return;
  mine_->rest(now_ns);
  mine_->is_open = false;
}

void Teams::member_waits(std::int64_t now_ns) noexcept {
  if (mine_ != nullptr && mine_->is_open) mine_->rest(now_ns);
}

void Teams::member_goes_on(std::int64_t now_ns) noexcept {
  if (mine_ != nullptr && mine_->is_open && !mine_->works) mine_->work(now_ns);
}

void Teams::member_turns_to_task(std::int64_t now_ns) noexcept {
  if (mine_ == nullptr || !mine_->is_open) return;
  mine_->around = mine_->around << 1 | (mine_->works ? 1 : 0);
  if (!mine_->works) mine_->work(now_ns);
}

void Teams::member_turns_back(std::int64_t now_ns) noexcept {
  if (mine_ == nullptr || !mine_->is_open) return;
  const bool worked = (mine_->around & 1) != 0;
  mine_->around >>= 1;
  if (!worked) mine_->rest(now_ns);
  if (worked && !mine_->works) mine_->work(now_ns);
}

void Teams::leave() noexcept {
  if (mine_ == nullptr) return;
  mine_->is_open = false;
  OfThreads<Member>::leave(*std::exchange(mine_, nullptr));
}

}  // namespace comity::metrics
