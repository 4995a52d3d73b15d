// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/members.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "base/hash.hpp"
#include "interpose/event.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::interpose {
namespace {

class Group {
 public:
  explicit Group(MPI_Group group) : group_(group) {}
  ~Group() { real::MPI_Group_free(&group_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  [[nodiscard]] MPI_Group get() const { return group_; }
  [[nodiscard]] std::vector<std::int32_t> world_ranks() const;

 private:
  MPI_Group group_;
};

bool world_is_there() {
  int begun = 0;
  int ended = 0;
  real::MPI_Initialized(&begun);
  real::MPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

template <auto kQuestion, class Handle>
MPI_Group group_by(Handle handle) {
  MPI_Group group{};
  kQuestion(handle, &group);
  return group;
}

// A program of sessions alone has no MPI_COMM_WORLD, so nobody in it has a rank there.
std::vector<std::int32_t> Group::world_ranks() const {
  int size = 0;
  real::MPI_Group_size(group_, &size);
  std::vector<int> theirs(static_cast<std::size_t>(size));
  std::iota(theirs.begin(), theirs.end(), 0);
  std::vector<std::int32_t> ours(theirs.size(), kNobody);
  if (size == 0 || !world_is_there()) return ours;
  const Group world(group_by<real::MPI_Comm_group>(handles().world));
  real::MPI_Group_translate_ranks(group_, size, theirs.data(), world.get(), ours.data());
  std::replace(ours.begin(), ours.end(), static_cast<std::int32_t>(MPI_UNDEFINED), kNobody);
  return ours;
}

std::uint64_t hash_of(const std::vector<std::int32_t>& ranks) {
  Hash hash;
  for (const std::int32_t rank : ranks) hash.add(std::uint64_t{static_cast<std::uint32_t>(rank)});
  return hash.value();
}

template <class Handle>
using Table = std::unordered_map<Handle, std::unique_ptr<const Members>>;

constinit std::atomic<std::uint32_t> age{1};  // grows when anything is forgotten

// What this process knows. Never destroyed: programs call MPI while the process ends.
class Known {
 public:
  static Known& all() {
    static auto* const known = new Known;
    return *known;
  }

  template <class Handle, class Learn>
  const Members& find(Table<Handle> Known::*table, Handle handle, Learn&& learn) {
    const std::lock_guard guard(mutex_);
    auto& known = (this->*table)[handle];
    if (!known) known = std::make_unique<const Members>(learn(handle));
    return *known;
  }
  template <class Handle>
  void forget(Table<Handle> Known::*table, Handle handle) {
    const std::lock_guard guard(mutex_);
    (this->*table).erase(handle);
    age.fetch_add(1, std::memory_order_release);
  }

  // Distinct for the first, second, ... of these ranks. Called from learn() only.
  std::uint64_t number(std::uint64_t ranks) {
    Hash hash;
    hash.add(ranks);
    hash.add(counts_[ranks]++);
    return hash.value() | 1U;  // never 0, which means none
  }

  Table<MPI_Comm> communicators;
  Table<MPI_Win> windows;

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

Members learn_communicator(MPI_Comm communicator) {
  Members members;
  int between = 0;
  real::MPI_Comm_rank(communicator, &members.rank);
  real::MPI_Comm_test_inter(communicator, &between);
  members.between_groups = between != 0;
  members.peers = Group(group_by<real::MPI_Comm_group>(communicator)).world_ranks();
  std::uint64_t ranks = hash_of(members.peers);
  if (members.between_groups) {
    members.peers = Group(group_by<real::MPI_Comm_remote_group>(communicator)).world_ranks();
    ranks ^= hash_of(members.peers);  // the same seen from the other group
  }
  members.id = Known::all().number(ranks);
  return members;
}

Members learn_window(MPI_Win window) {
  Members members;
  const Group group(group_by<real::MPI_Win_get_group>(window));
  real::MPI_Group_rank(group.get(), &members.rank);
  members.peers = group.world_ranks();
  members.id = Known::all().number(~hash_of(members.peers));
  return members;
}

// What this thread asked about last: programs stay with few communicators for long.
template <class Handle>
class Recent {
 public:
  template <class Find>
  const Members& find(Handle handle, Find&& find) {
    Place& place = places_[spread(std::hash<Handle>{}(handle)) % places_.size()];
    const std::uint32_t now = age.load(std::memory_order_acquire);
    if (place.handle != handle || place.age != now) place = {handle, now, &find(handle)};
    return *place.members;
  }

 private:
  struct Place {
    Handle handle;
    std::uint32_t age;
    const Members* members;
  };
  // Handles are addresses, or numbers that differ in their last bits.
  static std::size_t spread(std::size_t handle) { return (handle >> 8U) ^ (handle >> 4U) ^ handle; }

  std::array<Place, 8> places_{};
};

constinit thread_local Recent<MPI_Comm> recent_communicators __attribute__((tls_model("initial-exec")));
constinit thread_local Recent<MPI_Win> recent_windows __attribute__((tls_model("initial-exec")));

}  // namespace

std::int32_t Members::world_rank(int peer) const {
  return peer >= 0 && static_cast<std::size_t>(peer) < peers.size() ? peers[static_cast<std::size_t>(peer)] : kNobody;
}

const Members& members_of_communicator(MPI_Comm communicator) {
  return recent_communicators.find(communicator, [](MPI_Comm handle) -> const Members& {
    return Known::all().find(&Known::communicators, handle, learn_communicator);
  });
}
const Members& members_of_window(MPI_Win window) {
  return recent_windows.find(window, [](MPI_Win handle) -> const Members& {
    return Known::all().find(&Known::windows, handle, learn_window);
  });
}
void forget_communicator(MPI_Comm communicator) { Known::all().forget(&Known::communicators, communicator); }
void forget_window(MPI_Win window) { Known::all().forget(&Known::windows, window); }

}  // namespace comity::interpose
