// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/members.hpp"

#include <algorithm>
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

using Shared = std::shared_ptr<const Members>;

// What this process knows. Never destroyed: programs call MPI while the process ends.
class Known {
 public:
  static Known& all() {
    static auto* const known = new Known;
    return *known;
  }

  template <class Handle, class Learn>
  Shared find(std::unordered_map<Handle, Shared> Known::*map, Handle handle, Learn&& learn) {
    const std::lock_guard guard(mutex_);
    Shared& known = (this->*map)[handle];
    if (!known) known = learn(handle);
    return known;
  }
  template <class Handle>
  void forget(std::unordered_map<Handle, Shared> Known::*map, Handle handle) {
    const std::lock_guard guard(mutex_);
    (this->*map).erase(handle);
  }

  // Distinct for the first, second, ... of these ranks. Called from learn() only.
  std::uint64_t number(std::uint64_t ranks) {
    Hash hash;
    hash.add(ranks);
    hash.add(counts_[ranks]++);
    return hash.value() | 1U;  // never 0, which means none
  }

  std::unordered_map<MPI_Comm, Shared> communicators;
  std::unordered_map<MPI_Win, Shared> windows;

 private:
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

Shared learn_communicator(MPI_Comm communicator) {
  auto members = std::make_shared<Members>();
  int between = 0;
  real::MPI_Comm_rank(communicator, &members->rank);
  real::MPI_Comm_test_inter(communicator, &between);
  members->between_groups = between != 0;
  members->peers = Group(group_by<real::MPI_Comm_group>(communicator)).world_ranks();
  std::uint64_t ranks = hash_of(members->peers);
  if (members->between_groups) {
    members->peers = Group(group_by<real::MPI_Comm_remote_group>(communicator)).world_ranks();
    ranks ^= hash_of(members->peers);  // the same seen from the other group
  }
  members->id = Known::all().number(ranks);
  return members;
}

Shared learn_window(MPI_Win window) {
  auto members = std::make_shared<Members>();
  const Group group(group_by<real::MPI_Win_get_group>(window));
  real::MPI_Group_rank(group.get(), &members->rank);
  members->peers = group.world_ranks();
  members->id = Known::all().number(~hash_of(members->peers));
  return members;
}

}  // namespace

std::int32_t Members::world_rank(int peer) const {
  return peer >= 0 && static_cast<std::size_t>(peer) < peers.size() ? peers[static_cast<std::size_t>(peer)] : kNobody;
}

std::shared_ptr<const Members> members_of_communicator(MPI_Comm communicator) {
  return Known::all().find(&Known::communicators, communicator, learn_communicator);
}
std::shared_ptr<const Members> members_of_window(MPI_Win window) {
  return Known::all().find(&Known::windows, window, learn_window);
}
void forget_communicator(MPI_Comm communicator) { Known::all().forget(&Known::communicators, communicator); }
void forget_window(MPI_Win window) { Known::all().forget(&Known::windows, window); }

}  // namespace comity::interpose
