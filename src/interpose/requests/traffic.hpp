// SPDX-License-Identifier: BSD-3-Clause
// Traffic: what a successful call gave to whom, and got from whom, by the rule of its row. Not: what implementations do
// with it; a broadcast counts once at its root, however many messages it becomes.
#pragma once

#include <mpi.h>

#include <memory>

#include "interpose/arguments.hpp"
#include "interpose/handles.hpp"
#include "interpose/requests/following.hpp"
#include "interpose/requests/group_traffic.hpp"
#include "interpose/requests/members.hpp"
#include "interpose/requests/parts.hpp"
#include "interpose/requests/requests.hpp"
#include "interpose/requests/shares.hpp"
#include "interpose/status.hpp"

namespace comity::interpose {

template <class Function>
class Traffic {
 public:
  // `message`: what is known of the matched message that the call receives.
  Traffic(const Arguments<Function>& call, Event& event, Held message)
      : call_(call), event_(event), message_(message) {}

  void tell() {
    if (!find_members()) return;
    if (call_.row.kind != Kind::setup) count();
    if (makes_requests(call_.row)) remember_request();
    if (makes_silent_requests(call_.row)) remember_silent_request(sample_request());
    if (call_.row.rule == Rule::match) remember_message();
  }

 private:
  // False: of a null handle.
  bool find_members() {
    if (call_.row.at.communicator != kAbsent) {
      members_ = members_of_communicator(call_.communicator());
      if (members_ == nullptr) return false;
    } else if (call_.row.at.window != kAbsent) {
      members_ = members_of_window(call_.window());
    }
    if (members_ != nullptr) event_.communicator = members_->id;
    if (call_.row.at.made != kAbsent && call_.row.blocking) {  // what MPI_Comm_idup returns may not be used yet
      (void)members_of_communicator(call_.made());             // numbered in order of making
    }
    return true;
  }

  void count() {
    using enum Rule;
    const Rule rule = call_.row.rule;
    if (rule == send || rule == exchange) count_sent();
    if (rule == receive || rule == exchange) count_received();
    if (rule == matched) count_matched();
    if constexpr (!Function::kHasOwnCode) {
      count_of_group(call_, members_, event_);
      if (is_among_neighbors(rule)) tell_shares(call_, *members_);
    }
  }

  std::int32_t world(int peer) const { return members_ != nullptr ? members_->world_rank(peer) : kNobody; }
  void get(std::int32_t from, std::uint64_t bytes) {
    event_.from = from;
    event_.received_bytes = bytes;
  }

  void count_sent() {
    if (call_.to() == MPI_PROC_NULL) return;
    event_.to = world(call_.to());
    event_.sent_bytes = bytes_of(call_, given(call_.row));
  }

  // What came is known where the call has come back with it.
  void count_received() {
    if (call_.row.at.status != kAbsent && call_.row.blocking) {
      const MPI_Status& status = *call_.status();
      if (status.MPI_SOURCE != MPI_PROC_NULL) get(world(status.MPI_SOURCE), received_bytes(status));
    } else if (call_.from() >= 0) {
      get(world(call_.from()), 0);
    }
  }

  // Its communicator is that in which the message was found.
  void count_matched() {
    if (!message_) return;
    event_.communicator = message_.followed().communicator;
    if (!call_.row.blocking) return;
    const MPI_Status& status = *call_.status();
    get(source_of(message_.followed(), status), received_bytes(status));
  }

  void remember_request() {
    const RequestKey key = key_of(*call_.request());
    if (is_message(call_.row.rule) && call_.row.rule != Rule::matched)
      remember_message_of(key);
    else if (call_.row.kind == Kind::setup)
      remember_collective(key);
    else if (message_)
      remember(key, message_.followed().peer, message_.followed().wildcard);
    else
      remember(key, kNobody, nullptr);
  }

  // An MPI may give several that are over at once the same handle: it is remembered once.
  [[gnu::noinline]] void remember_sample(Sampled sampled) {
    if (*call_.request() == handles().no_request) return;
    const RequestKey key = key_of(*call_.request());
    if (const Held known = take(key)) return known.put_back();
    const Held held = interpose::remember(key);
    if (!held) return;
    Followed& followed = held.followed();
    followed = {.key = key,
                .caller = code_that_calls(),
                .wildcard = nullptr,
                .peer = kSilent,
                .maker = static_cast<std::uint16_t>(call_.number),
                .active = true,
                .stands_for_many = sampled == Sampled::for_many};
    held.put_back();
  }
  void remember_silent_request(Sampled sampled) {
    if (sampled != Sampled::no) remember_sample(sampled);
  }

  void remember_message_of(RequestKey key) {
    const int peer = call_.row.rule == Rule::send ? call_.to() : call_.from();
    if (peer != MPI_PROC_NULL)
      remember(key, world(peer), may_come_from_anybody() ? members_ : nullptr);
    else if (call_.row.kind == Kind::setup)
      remember(key, kSilent, nullptr);
  }
  bool may_come_from_anybody() const { return call_.row.rule == Rule::receive && call_.from() == MPI_ANY_SOURCE; }

  // What it moves each time that it is started is known as it is made.
  void remember_collective(RequestKey key) {
    Event moves = event_;
    if constexpr (!Function::kHasOwnCode) count_of_group(call_, members_, moves);
    const bool moves_any = moves.sent_bytes + moves.received_bytes > 0;
    remember(key, moves_any ? kEverybody : kSilent, nullptr, &moves);
    if constexpr (!Function::kHasOwnCode) {
      if (moves_any && is_among_neighbors(call_.row.rule)) remember_shares(key);
    }
  }
  void remember_shares(RequestKey key) {
    auto shares = std::make_unique<const Shares>(shares_of(call_, *members_));
    const Held held = take(key);
    if (!held) return;
    held.followed().shares = shares.release();
    held.put_back();
  }

  void remember_message() {
    if (call_.flag() && members_ != nullptr) remember(key_of_message(call_.message()), kNobody, members_);
  }

  // Field by field into its place: what is written in small pieces and read in large ones stalls the processor.
  void remember(RequestKey key, std::int32_t peer, const Members* wildcard, const Event* collective = nullptr) {
    const Held held = interpose::remember(key);
    if (!held) return;
    Followed& followed = held.followed();
    followed.communicator = event_.communicator;
    followed.wildcard = wildcard != nullptr ? keep(*wildcard) : nullptr;
    followed.peer = peer;
    followed.caller = code_that_calls();
    followed.stands_for_many = false;
    followed.maker = static_cast<std::uint16_t>(call_.number);
    followed.persistent = call_.row.kind == Kind::setup;
    followed.active = !followed.persistent;
    if (collective != nullptr) {
      followed.bytes = collective->sent_bytes;
      followed.other_bytes = collective->received_bytes;
      followed.shares = nullptr;
    } else if (call_.row.rule == Rule::send || call_.row.rule == Rule::partitioned) {
      followed.bytes = whole_message();
    } else if (call_.row.rule == Rule::exchange) {
      followed.bytes = room();
    }
    held.put_back();
  }
  [[nodiscard]] std::uint64_t whole_message() const {
    const std::uint64_t part = bytes_of(call_, given(call_.row));
    return call_.row.at.partitions != kAbsent ? static_cast<std::uint64_t>(call_.partitions()) * part : part;
  }
  // What an exchange can take.
  [[nodiscard]] std::uint64_t room() const {
    return bytes_of(call_, call_.row.at.other_count != kAbsent ? taken(call_.row) : given(call_.row));
  }

  const Arguments<Function>& call_;
  Event& event_;
  Held message_;
  const Members* members_ = nullptr;
};

}  // namespace comity::interpose
