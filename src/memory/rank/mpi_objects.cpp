// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/mpi_objects.hpp"

#include <algorithm>
#include <exception>

#include "os/code/symbol.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;

constexpr std::size_t kLongestName = 200;  // of a function in a path
constexpr std::string_view kNoRoom = "(beyond what is followed)";

std::string_view name_of(std::size_t kind) { return kObjectKindNames[kind]; }

// Without what every program begins with.
std::string text_of(const CallPath& path) {
  std::string text;
  for (std::size_t i = 0; i < path.length; ++i) {
    const void* const code = reinterpret_cast<const void*>(path.code[i]);  // NOLINT(performance-no-int-to-ptr)
    const std::string name = os::describe_address(code).substr(0, kLongestName);
    if (i > 0 && name.find("(_start+") != std::string::npos) break;
    if (i > 0) text += kCallerMark;
    text += name;
  }
  return text;
}

}  // namespace

MpiObjects::MpiObjects(Requests requests) : requests_(requests), objects_(new Object[kMostObjects + 1]) {
  places_.reserve(kMostPlaces);
}

MpiObjects::Index& MpiObjects::head_of(std::uint64_t handle) noexcept {
  constexpr unsigned kHeadBits = 14;
  static_assert(kHeads == std::size_t{1} << kHeadBits);
  const std::uint64_t mixed = handle * 0x9e3779b97f4a7c15U;
  return heads_[mixed >> (64U - kHeadBits)];
}

MpiObjects::Index MpiObjects::take_free() noexcept {
  if (free_ != 0) {
    const Index index = free_;
    free_ = objects_[index].next;
    return index;
  }
  return used_ < kMostObjects ? ++used_ : 0;
}

MpiObjects::Index MpiObjects::known_place(ObjectKind kind, std::string_view function,
                                          const CallPath& path) const noexcept {
  const auto known = std::find_if(places_.begin(), places_.end(), [&](const Place& place) {
    return place.kind == kind && place.path == path && place.function == function;
  });
  return known == places_.end() ? 0 : static_cast<Index>(known - places_.begin()) + 1;
}

// What it is called is found out once: later its library may be gone. Without our lock, for to ask takes the linker's, which a
// library that is being loaded holds while it calls us.
MpiObjects::Index MpiObjects::place_of(ObjectKind kind, std::string_view function, const CallPath& path,
                                       std::unique_lock<HeldMutex>& lock) noexcept {
  const Index known = known_place(kind, function, path);
  if (known != 0 || places_.size() == kMostPlaces) return known;
  try {
    lock.unlock();
    std::string text = text_of(path);
    lock.lock();
    const Index known_since = known_place(kind, function, path);
    if (known_since != 0 || places_.size() == kMostPlaces) return known_since;
    places_.push_back({kind, function, path, std::move(text)});
  } catch (const std::exception&) {  // memory runs out
    if (!lock.owns_lock()) lock.lock();
    return 0;
  }
  return static_cast<Index>(places_.size());
}

void MpiObjects::made(ObjectKind kind, std::uint64_t handle, std::string_view function, const CallPath& path) noexcept {
  std::unique_lock lock(mutex_);
  const Index place = place_of(kind, function, path, lock);
  const Index index = place == 0 ? 0 : take_free();
  if (index == 0) {
    Crowd& crowd = crowds_[static_cast<std::size_t>(kind)];
    ++crowd.made;
    ++crowd.live;
    return;
  }
  Index& head = head_of(handle);
  objects_[index] = {handle, place, head};
  head = index;
  ++places_[place - 1].made;
  ++places_[place - 1].live;
}

void MpiObjects::left(ObjectKind kind, std::string_view function, const CallPath& path, std::int64_t count) noexcept {
  std::unique_lock lock(mutex_);
  const Index place = place_of(kind, function, path, lock);
  const auto add_to = [&](auto& whose) {
    whose.made += count;
    whose.live += count;
  };
  if (place != 0) return add_to(places_[place - 1]);
  add_to(crowds_[static_cast<std::size_t>(kind)]);
}

void MpiObjects::ended(ObjectKind kind, std::uint64_t handle) noexcept {
  const std::lock_guard lock(mutex_);
  Index* found = nullptr;  // what leads to it; the first one in the row was made last
  for (Index* link = &head_of(handle); *link != 0; link = &objects_[*link].next) {
    const Object& object = objects_[*link];
    if (object.handle != handle || places_[object.place - 1].kind != kind) continue;
    found = link;
    if (may_be_shared(kind)) break;
  }
  if (found == nullptr) {
    Crowd& crowd = crowds_[static_cast<std::size_t>(kind)];
    if (crowd.live > 0) --crowd.live;
    return;
  }
  const Index index = *found;
  --places_[objects_[index].place - 1].live;
  *found = objects_[index].next;
  objects_[index].next = free_;
  free_ = index;
}

void MpiObjects::add_to(record::Content& content) const {
  if (requests_ == Requests::passed_by) content.facts[kRequestsFact] = kPassedBy;
  record::Table table(kObjectsTable, {{"kind", ColumnKind::text},
                                      {"function", ColumnKind::text},
                                      {"where", ColumnKind::text},
                                      {"live", ColumnKind::integer},
                                      {"made", ColumnKind::integer}});
  const std::lock_guard lock(mutex_);
  for (const Place& place : places_) {
    table.add_row({std::string(name_of(static_cast<std::size_t>(place.kind))), std::string(place.function), place.where,
                   place.live, place.made});
  }
  for (std::size_t kind = 0; kind < crowds_.size(); ++kind) {
    const Crowd& crowd = crowds_[kind];
    if (crowd.made == 0) continue;
    table.add_row({std::string(name_of(kind)), std::string(), std::string(kNoRoom), crowd.live, crowd.made});
  }
  content.tables.emplace(table.name(), std::move(table));
}

}  // namespace comity::memory
