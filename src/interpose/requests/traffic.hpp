// SPDX-License-Identifier: BSD-3-Clause
// Traffic: what a successful call gave to whom, and got from whom, by the rule of its row. Not: what implementations do
// with it; a broadcast counts once at its root, however many messages it becomes.
#pragma once

#include <mpi.h>

#include <tuple>
#include <type_traits>

#include "interpose/function.hpp"
#include "interpose/requests/following.hpp"
#include "interpose/requests/members.hpp"
#include "interpose/requests/requests.hpp"
#include "interpose/requests/type_size.hpp"
#include "interpose/status.hpp"

namespace comity::interpose {

// How many ranks give to me and get from me along the communicator's topology. Beyond the edge of a grid there is nobody.
struct Neighbors {
  static constexpr std::size_t kMostPlaces = 64;

  std::size_t in = 0;
  std::size_t out = 0;
  std::uint64_t absent = 0;  // a bit a place, of both directions

  [[nodiscard]] bool has(std::size_t place) const { return place >= kMostPlaces || (absent >> place & 1U) == 0; }
};
[[nodiscard]] Neighbors neighbors_of(MPI_Comm communicator, int rank);

template <unsigned kFunction, class Arguments>
class Traffic {
 public:
  // `message`: what is known of the matched message that the call receives.
  Traffic(Arguments& arguments, Event& event, Held message) : arguments_(arguments), event_(event), message_(message) {}

  void tell() {
    if constexpr (kRow.at.communicator != kAbsent && kRow.rule != Rule::free_communicator) {
      members_ = members_of_communicator(arg<kRow.at.communicator>());
      if (members_ == nullptr) return;
    } else if constexpr (kRow.at.window != kAbsent && kRow.rule != Rule::free_window) {
      if constexpr (std::is_same_v<Argument<kRow.at.window>, MPI_Win>)
        members_ = members_of_window(arg<kRow.at.window>());
    }
    if (members_ != nullptr) event_.communicator = members_->id;
    if constexpr (kRow.at.made != kAbsent && kRow.blocking) {  // what MPI_Comm_idup returns may not be used yet
      (void)members_of_communicator(*arg<kRow.at.made>());     // numbered in order of making
    }
    if constexpr (kRow.kind != Kind::setup) count(By<kRow.rule>());
    if constexpr (makes_requests(kRow)) remember_request();
    if constexpr (kRow.rule == Rule::match) remember_message();
  }

 private:
  static constexpr const Row& kRow = kRows[kFunction];
  template <Rule kRule>
  using By = std::integral_constant<Rule, kRule>;
  template <int kPlace>
  using Argument = std::tuple_element_t<kPlace, Arguments>;

  template <int kPlace>
  auto& arg() {
    return std::get<kPlace>(arguments_);
  }

  template <int kPlace>
  bool in_place() {
    if constexpr (kPlace != kAbsent) return arg<kPlace>() == MPI_IN_PLACE;
    return false;
  }

  // Bytes of one element of the type that goes with member `i` of the call.
  template <int kType>
  std::uint64_t element(std::size_t i) {
    if constexpr (kType == kAbsent)
      return 0;
    else if constexpr (std::is_pointer_v<Argument<kType>> && !std::is_same_v<Argument<kType>, MPI_Datatype>) {
      return size_of(arg<kType>()[i]);
    } else {
      static_cast<void>(i);
      return size_of(arg<kType>());
    }
  }

  // Bytes that go to, or come from, member `i` of the call.
  template <int kCount, int kType>
  std::uint64_t part(std::size_t i) {
    if constexpr (kCount == kAbsent)
      return element<kType>(i);  // MPI_Fetch_and_op: one element
    else if constexpr (std::is_pointer_v<Argument<kCount>>) {
      return static_cast<std::uint64_t>(arg<kCount>()[i]) * element<kType>(i);
    } else {
      return static_cast<std::uint64_t>(arg<kCount>()) * element<kType>(i);
    }
  }

  template <int kCount, int kType>
  std::uint64_t parts(std::size_t members) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < members; ++i) sum += part<kCount, kType>(i);
    return sum;
  }

  template <int kCount, int kType>
  std::uint64_t parts_of(const Neighbors& neighbors, std::size_t places) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < places; ++i) sum += neighbors.has(i) ? part<kCount, kType>(i) : 0;
    return sum;
  }

  std::uint64_t mine() { return part<kRow.at.count, kRow.at.type>(me()); }
  std::uint64_t theirs() { return part<kRow.at.other_count, kRow.at.other_type>(me()); }
  // What an exchange can take.
  std::uint64_t room() {
    if constexpr (kRow.at.other_count == kAbsent)
      return mine();
    else
      return theirs();
  }
  std::size_t me() { return members_ != nullptr ? static_cast<std::size_t>(members_->rank) : 0; }
  std::size_t size() { return members_ != nullptr ? members_->size() : 0; }

  bool am_root() {
    const int root = arg<kRow.at.root>();
    return root == MPI_ROOT || (!members_->between_groups && root == members_->rank);
  }
  bool has_part() { return arg<kRow.at.root>() != MPI_PROC_NULL; }

  void give(std::int32_t to, std::uint64_t bytes) {
    event_.to = to;
    event_.sent_bytes = bytes;
  }
  void get(std::int32_t from, std::uint64_t bytes) {
    event_.from = from;
    event_.received_bytes = bytes;
  }

  void count(By<Rule::send>) {
    const int peer = arg<kRow.at.to>();
    if (peer == MPI_PROC_NULL) return;
    give(world(peer), mine());
  }
  std::int32_t world(int peer) { return members_ != nullptr ? members_->world_rank(peer) : kNobody; }

  // What came is known where the call has come back with it.
  void count(By<Rule::receive>) {
    if constexpr (kRow.at.status != kAbsent && kRow.blocking) {
      const MPI_Status& status = *arg<kRow.at.status>();
      if (status.MPI_SOURCE != MPI_PROC_NULL) get(world(status.MPI_SOURCE), received_bytes(status));
    } else if constexpr (kRow.at.from != kAbsent) {
      if (arg<kRow.at.from>() >= 0) get(world(arg<kRow.at.from>()), 0);
    }
  }

  // Its communicator is that in which the message was found.
  void count(By<Rule::matched>) {
    if (!message_) return;
    event_.communicator = message_.followed().communicator;
    if constexpr (kRow.blocking) {
      const MPI_Status& status = *arg<kRow.at.status>();
      get(source_of(message_.followed(), status), received_bytes(status));
    }
  }

  void count(By<Rule::exchange>) {
    count(By<Rule::send>());
    count(By<Rule::receive>());
  }

  void count(By<Rule::broadcast>) {
    if (!has_part()) return;
    if (am_root())
      give(kEverybody, mine());
    else
      get(world(arg<kRow.at.root>()), mine());
  }

  void count(By<Rule::reduce>) {
    if (!has_part()) return;
    if (!am_root() || !members_->between_groups) give(am_root() ? kEverybody : world(arg<kRow.at.root>()), mine());
    if (am_root()) get(kEverybody, mine());
  }

  void count(By<Rule::all>) {
    give(kEverybody, mine());
    get(kEverybody, mine());
  }

  void count(By<Rule::gather>) {
    if (!has_part()) return;
    if (am_root()) {
      get(kEverybody, parts<kRow.at.other_count, kRow.at.other_type>(size()));
      if (members_->between_groups || in_place<kRow.at.buffer>()) return;
    }
    give(world(arg<kRow.at.root>()), mine());
  }

  void count(By<Rule::scatter>) {
    if (!has_part()) return;
    if (am_root()) {
      give(kEverybody, parts<kRow.at.count, kRow.at.type>(size()));
      if (members_->between_groups || in_place<kRow.at.other_buffer>()) return;
    }
    get(world(arg<kRow.at.root>()), theirs());
  }

  void count(By<Rule::allgather>) {
    give(kEverybody, in_place<kRow.at.buffer>() ? theirs() : mine_alone());
    get(kEverybody, parts<kRow.at.other_count, kRow.at.other_type>(size()));
  }
  std::uint64_t mine_alone() { return part<kRow.at.count, kRow.at.type>(0); }

  void count(By<Rule::alltoall>) {
    get(kEverybody, parts<kRow.at.other_count, kRow.at.other_type>(size()));
    give(kEverybody, in_place<kRow.at.buffer>() ? event_.received_bytes : parts<kRow.at.count, kRow.at.type>(size()));
  }

  // Its one count is that of what each rank gets.
  void count(By<Rule::reduce_scatter>) {
    give(kEverybody, parts<kRow.at.other_count, kRow.at.type>(members_->between_groups ? 0 : size()));
    get(kEverybody, part<kRow.at.other_count, kRow.at.type>(me()));
  }

  void count(By<Rule::neighbor_allgather>) {
    give(kEverybody, mine_alone());
    const Neighbors neighbors = around();
    get(kEverybody, parts_of<kRow.at.other_count, kRow.at.other_type>(neighbors, neighbors.in));
  }
  void count(By<Rule::neighbor_alltoall>) {
    const Neighbors neighbors = around();
    give(kEverybody, parts_of<kRow.at.count, kRow.at.type>(neighbors, neighbors.out));
    get(kEverybody, parts_of<kRow.at.other_count, kRow.at.other_type>(neighbors, neighbors.in));
  }
  Neighbors around() { return neighbors_of(arg<kRow.at.communicator>(), members_->rank); }

  void count(By<Rule::put>) {
    if (arg<kRow.at.to>() != MPI_PROC_NULL) give(world(arg<kRow.at.to>()), mine());
  }
  // MPI_Get has the one count, the others one of their own.
  void count(By<Rule::get>) {
    if (arg<kRow.at.to>() == MPI_PROC_NULL) return;
    if constexpr (kRow.rule == Rule::get || kRow.at.other_count == kAbsent)
      get(world(arg<kRow.at.to>()), mine());
    else
      get(world(arg<kRow.at.to>()), theirs());
  }
  void count(By<Rule::get_and_put>) {
    count(By<Rule::put>());
    count(By<Rule::get>());
  }

  void count(By<Rule::read>) {
    if constexpr (kRow.at.status != kAbsent && kRow.blocking)
      event_.received_bytes = received_bytes(*arg<kRow.at.status>());
  }
  void count(By<Rule::write>) { event_.sent_bytes = mine(); }

  void remember_request() {
    if constexpr (kRow.rule == Rule::send || kRow.rule == Rule::receive || kRow.rule == Rule::exchange) {
      constexpr std::int8_t kPeer = kRow.rule == Rule::send ? kRow.at.to : kRow.at.from;
      if (arg<kPeer>() != MPI_PROC_NULL)
        remember(key_of(*arg<kRow.at.request>()), world(arg<kPeer>()), may_come_from_anybody() ? members_ : nullptr);
      else if constexpr (kRow.kind == Kind::setup)
        remember(key_of(*arg<kRow.at.request>()), kSilent, nullptr);
    } else if constexpr (kRow.kind == Kind::setup) {
      remember(key_of(*arg<kRow.at.request>()), kSilent, nullptr);
    } else if (message_) {
      const Followed& message = message_.followed();
      remember(key_of(*arg<kRow.at.request>()), message.peer, message.wildcard);
    } else {
      remember(key_of(*arg<kRow.at.request>()), kNobody, nullptr);
    }
  }
  bool may_come_from_anybody() {
    if constexpr (kRow.rule == Rule::receive) return arg<kRow.at.from>() == MPI_ANY_SOURCE;
    return false;
  }

  void remember_message() {
    if constexpr (kRow.at.flag != kAbsent) {
      if (*arg<kRow.at.flag>() == 0) return;
    }
    if (members_ != nullptr) remember(key_of_message(*arg<kRow.at.message>()), kNobody, members_);
  }

  // Field by field into its place: what is written in small pieces and read in large ones stalls the processor.
  void remember(RequestKey key, std::int32_t peer, const Members* wildcard) {
    const Held held = interpose::remember(key);
    if (!held) return;
    Followed& followed = held.followed();
    followed.communicator = event_.communicator;
    followed.wildcard = wildcard != nullptr ? keep(*wildcard) : nullptr;
    followed.peer = peer;
    followed.maker = kFunction;
    followed.persistent = kRow.kind == Kind::setup;
    followed.active = !followed.persistent;
    if constexpr (kRow.rule == Rule::send) followed.bytes = mine();
    if constexpr (kRow.rule == Rule::exchange) followed.bytes = room();
    held.put_back();
  }

  void count(By<Rule::none>) {}
  void count(By<Rule::start>) {}
  void count(By<Rule::complete>) {}
  void count(By<Rule::free_request>) {}
  void count(By<Rule::match>) {}
  void count(By<Rule::free_communicator>) {}
  void count(By<Rule::free_window>) {}
  void count(By<Rule::free_type>) {}

  Arguments& arguments_;
  Event& event_;
  Held message_;
  const Members* members_ = nullptr;
};

}  // namespace comity::interpose
