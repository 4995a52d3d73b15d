// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/members.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_map>

#include "base/hash.hpp"
#include "base/held_mutex.hpp"
#include "interpose/handles.hpp"
#include "interpose/requests/neighbors.hpp"
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

struct LetGo {
  void operator()(const Members* members) const { let_go(members); }
};
using KeptMembers = std::unique_ptr<const Members, LetGo>;

template <class Handle>
using Table = std::unordered_map<Handle, KeptMembers>;

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
    if (!known) known = learn(handle);
    return *known;
  }
  template <class Handle>
  void forget(Table<Handle> Known::*table, Handle handle) {
    const std::lock_guard guard(mutex_);
    (this->*table).erase(handle);
    members_age.fetch_add(1, std::memory_order_release);
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
  HeldMutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> counts_;
};

KeptMembers learn_communicator(MPI_Comm communicator) {
  auto owned = std::make_unique<Members>();
  Members& members = *owned;
  int between = 0;
  real::MPI_Comm_rank(communicator, &members.rank);
  real::MPI_Comm_test_inter(communicator, &between);
  members.between_groups = between != 0;
  members.peers = Group(group_by<real::MPI_Comm_group>(communicator)).world_ranks();
  std::uint64_t ranks = hash_of(members.peers);
  if (members.between_groups) {
    members.own = std::move(members.peers);
    members.peers = Group(group_by<real::MPI_Comm_remote_group>(communicator)).world_ranks();
    ranks ^= hash_of(members.peers);  // the same seen from the other group
  }
  members.id = Known::all().number(ranks);
  return KeptMembers(owned.release());
}

KeptMembers learn_window(MPI_Win window) {
  auto owned = std::make_unique<Members>();
  Members& members = *owned;
  const Group group(group_by<real::MPI_Win_get_group>(window));
  real::MPI_Group_rank(group.get(), &members.rank);
  members.peers = group.world_ranks();
  members.id = Known::all().number(~hash_of(members.peers));
  return KeptMembers(owned.release());
}

// The answer, and in the thread's recent place too.
template <class Handle, class Learn>
const Members* remember(RecentMembers<Handle>& recent, Table<Handle> Known::*table, Handle handle, Learn&& learn) {
  const std::uint32_t now = members_age.load(std::memory_order_acquire);
  const Members& members = Known::all().find(table, handle, learn);
  recent.of(handle) = {handle, now, &members};
  return &members;
}

}  // namespace

constinit std::atomic<std::uint32_t> members_age{1};
constinit thread_local RecentMembers<MPI_Comm> recent_communicators __attribute__((tls_model("initial-exec")));
constinit thread_local RecentMembers<MPI_Win> recent_windows __attribute__((tls_model("initial-exec")));

Members::~Members() { delete neighbors.load(std::memory_order_acquire); }

void let_go(const Members* members) {
  if (members != nullptr && members->keepers.fetch_sub(1, std::memory_order_acq_rel) == 1) delete members;
}

const Members* look_up_communicator(MPI_Comm communicator) {
  if (communicator == handles().no_communicator) return nullptr;
  return remember(recent_communicators, &Known::communicators, communicator, learn_communicator);
}
const Members* look_up_window(MPI_Win window) {
  return remember(recent_windows, &Known::windows, window, learn_window);
}
void forget_communicator(MPI_Comm communicator) { Known::all().forget(&Known::communicators, communicator); }
void forget_window(MPI_Win window) { Known::all().forget(&Known::windows, window); }

}  // namespace comity::interpose
