// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/requests/group_traffic.hpp"

#include "interpose/requests/neighbors.hpp"
#include "interpose/requests/parts.hpp"
#include "interpose/status.hpp"

namespace comity::interpose {
namespace {

class GroupTraffic {
 public:
  GroupTraffic(const AnyArguments& call, const Members* members, Event& event)
      : call_(call), given_(given(call.row)), taken_(taken(call.row)), members_(members), event_(event) {}

  void count() {
    using enum Rule;
    switch (call_.row.rule) {
      case broadcast:
        return count_broadcast();
      case reduce:
        return count_reduce();
      case all:
        return count_all();
      case gather:
        return count_gather();
      case scatter:
        return count_scatter();
      case allgather:
        return count_allgather();
      case alltoall:
        return count_alltoall();
      case reduce_scatter:
        return count_reduce_scatter();
      case neighbor_allgather:
        return count_neighbor_allgather();
      case neighbor_alltoall:
        return count_neighbor_alltoall();
      case put:
        return count_put();
      case get:
        return count_get();
      case get_and_put:
        count_put();
        return count_get();
      case read:
        return count_read();
      case write:
        event_.sent_bytes = mine();
        return;
      default:
        return;
    }
  }

 private:
  std::uint64_t parts(Part part, std::size_t ranks) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < ranks; ++i) sum += bytes_of(call_, part, i);
    return sum;
  }
  std::uint64_t parts_of(Part part, const std::vector<int>& around) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < around.size(); ++i) sum += around[i] != MPI_PROC_NULL ? bytes_of(call_, part, i) : 0;
    return sum;
  }

  [[nodiscard]] std::uint64_t mine() const { return bytes_of(call_, given_, me()); }
  [[nodiscard]] std::uint64_t theirs() const { return bytes_of(call_, taken_, me()); }
  [[nodiscard]] std::size_t me() const { return members_ != nullptr ? static_cast<std::size_t>(members_->rank) : 0; }
  [[nodiscard]] std::size_t size() const { return members_ != nullptr ? members_->size() : 0; }
  [[nodiscard]] std::int32_t world(int peer) const {
    return members_ != nullptr ? members_->world_rank(peer) : kNobody;
  }

  [[nodiscard]] bool am_root() const {
    const int root = call_.root();
    return root == MPI_ROOT || (!members_->between_groups && root == members_->rank);
  }
  [[nodiscard]] bool has_part() const { return call_.root() != MPI_PROC_NULL; }
  [[nodiscard]] bool gives_in_place() const { return call_.is_in_place(call_.row.at.buffer); }
  [[nodiscard]] bool gets_in_place() const { return call_.is_in_place(call_.row.at.other_buffer); }

  void give(std::int32_t to, std::uint64_t bytes) {
    event_.to = to;
    event_.sent_bytes = bytes;
  }
  void get(std::int32_t from, std::uint64_t bytes) {
    event_.from = from;
    event_.received_bytes = bytes;
  }

  void count_broadcast() {
    if (!has_part()) return;
    if (am_root())
      give(kEverybody, mine());
    else
      get(world(call_.root()), mine());
  }

  void count_reduce() {
    if (!has_part()) return;
    if (!am_root() || !members_->between_groups) give(am_root() ? kEverybody : world(call_.root()), mine());
    if (am_root()) get(kEverybody, mine());
  }

  void count_all() {
    give(kEverybody, mine());
    get(kEverybody, mine());
  }

  void count_gather() {
    if (!has_part()) return;
    if (am_root()) {
      get(kEverybody, parts(taken_, size()));
      if (members_->between_groups || gives_in_place()) return;
    }
    give(world(call_.root()), mine());
  }

  void count_scatter() {
    if (!has_part()) return;
    if (am_root()) {
      give(kEverybody, parts(given_, size()));
      if (members_->between_groups || gets_in_place()) return;
    }
    get(world(call_.root()), theirs());
  }

  void count_allgather() {
    give(kEverybody, gives_in_place() ? theirs() : bytes_of(call_, given_));
    get(kEverybody, parts(taken_, size()));
  }

  void count_alltoall() {
    get(kEverybody, parts(taken_, size()));
    give(kEverybody, gives_in_place() ? event_.received_bytes : parts(given_, size()));
  }

  // Its one count is that of what each rank gets.
  void count_reduce_scatter() {
    const Part part{taken_.count, taken_.each, given_.type};
    give(kEverybody, parts(part, members_->between_groups ? 0 : size()));
    get(kEverybody, bytes_of(call_, part, me()));
  }

  void count_neighbor_allgather() {
    give(kEverybody, bytes_of(call_, given_));
    get(kEverybody, parts_of(taken_, around().sources));
  }
  void count_neighbor_alltoall() {
    give(kEverybody, parts_of(given_, around().destinations));
    get(kEverybody, parts_of(taken_, around().sources));
  }
  [[nodiscard]] const Neighbors& around() const { return neighbors_of(call_.communicator(), *members_); }

  void count_put() {
    if (call_.to() != MPI_PROC_NULL) give(world(call_.to()), mine());
  }
  // MPI_Get has the one count, the others one of their own.
  void count_get() {
    if (call_.to() == MPI_PROC_NULL) return;
    const bool has_other = call_.row.rule != Rule::get && taken_.count != kAbsent;
    get(world(call_.to()), has_other ? theirs() : mine());
  }

  void count_read() {
    if (call_.row.at.status != kAbsent && call_.row.blocking) event_.received_bytes = received_bytes(*call_.status());
  }

  const AnyArguments& call_;
  Part given_;
  Part taken_;
  const Members* members_;
  Event& event_;
};

}  // namespace

void count_of_group(const AnyArguments& call, const Members* members, Event& event) {
  GroupTraffic(call, members, event).count();
}

}  // namespace comity::interpose
