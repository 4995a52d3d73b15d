// SPDX-License-Identifier: BSD-3-Clause
// Following: what a call does to requests and matched messages that were remembered: they are taken before it, because
// the MPI ends their handles, and told or put back after it. Where one thread at once is in the MPI their handles are copied
// instead, and those alone that have completed are taken, after it: so messages are looked up once, and a program may wait for
// thousands of requests in thousands of calls that each complete one. Of those that persist it counts the started ones.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "interpose/arguments.hpp"
#include "interpose/requests/requests.hpp"
#include "interpose/status.hpp"
#include "interpose/watch.hpp"
#include "real.hpp"

namespace comity::interpose {

// As many as a call has; few of them without asking for memory, and none with anything in it.
template <class T, std::size_t kFew>
class Room {
 public:
  Room() {}  // NOLINT(*-member-init, *-use-equals-default): what is not used costs nothing

  // Null where memory runs out.
  T* of(std::size_t count) noexcept {
    if (count <= kFew) return few_.data();
    if (!many_) many_.reset(new (std::nothrow) T[count]);
    return many_.get();
  }

 private:
  std::array<T, kFew> few_;
  std::unique_ptr<T[]> many_;
};

// Null where there is none: the program wants none, and there was no memory for ours.
[[nodiscard]] inline const MPI_Status* status_at(std::size_t place, const MPI_Status* statuses) {
  return statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE ? statuses + place : nullptr;
}

[[nodiscard]] inline std::int32_t source_of(const Followed& followed, const MPI_Status& status) {
  return followed.wildcard ? followed.wildcard->world_rank(status.MPI_SOURCE) : followed.peer;
}

// Sends, and collective calls with all that they get: told where they are started.
[[nodiscard]] inline bool moves_at_start(const Followed& followed) {
  return followed.peer == kEverybody || kRows[followed.maker].rule == Rule::send;
}

// One that has completed: what came is told, and it stays where it persists. By how many that changes the number of persistent
// ones that are started.
[[nodiscard]] std::int32_t finish(const Held& held, const MPI_Status* status);
// The same of those among these that are remembered, by the handles that they had before the call.
[[nodiscard]] std::int32_t finish_all(const MPI_Request* requests, std::size_t count, const MPI_Status* statuses);
// One that persists, moves something as it starts, and was started.
void tell_departure(const Followed& followed);

template <class Function>
class Following {
 public:
  // Before the call.
  Following(const Arguments<Function>& call, const Watch& watch) : call_(call) {
    if constexpr (kRule == Rule::complete) {
      if (watch.follows && anything_remembered()) hold_requests();
    }
    if constexpr (kRule == Rule::free_request) {
      if (watch.follows && anything_remembered()) forget_request(take(key_of(*call_.request())));
    }
  }

  void after(const Watch& watch, bool succeeded) {
    if constexpr (kRule == Rule::start) {
      if (watch.follows && succeeded) start();
    }
    if constexpr (kRule == Rule::complete) {
      if (held_ != nullptr) complete(succeeded);
      if (copied_ != nullptr) complete_copied(succeeded);
    }
  }

  // By how many it has changed the number of persistent requests that are started, beside what UnderWay tells.
  [[nodiscard]] std::int32_t change() const { return change_; }

 private:
  static constexpr const Row& kRow = Function::row;
  static constexpr Rule kRule = kRow.rule;
  static constexpr bool kMany = kRow.at.requests != kAbsent;
  static constexpr bool kAny = kRow.at.index != kAbsent;
  static constexpr bool kSome = kRow.at.indices != kAbsent;
  static constexpr std::size_t kFew = kMany ? 64 : 1;

  [[nodiscard]] MPI_Request* requests() const { return kMany ? call_.requests() : call_.request(); }
  [[nodiscard]] std::size_t count() const {
    if constexpr (!kMany) return 1;
    const std::int64_t many = call_.count(kRow.at.count, false, 0);
    return many > 0 ? static_cast<std::size_t>(many) : 0;
  }
  [[nodiscard]] MPI_Status*& statuses() const {
    return kRow.at.statuses != kAbsent ? call_.statuses() : call_.status();
  }

  // A persistent one counts while it is started, and not because its handle is there, as UnderWay takes it.
  void forget_request(const Held& held) {
    if (!held) return;
    if (held.followed().persistent && !held.followed().active) change_ = 1;
    forget(held);
  }

  void hold_requests() {
    if (one_thread_at_once()) return copy_handles();
    Held* const held = room_.of(count());
    if (held == nullptr) return;
    if (!take(requests(), count(), held)) return;
    held_ = held;
    want_statuses();
  }

  void copy_handles() {
    MPI_Request* const copies = copies_.of(count());
    if (copies == nullptr) return;
    std::copy_n(requests(), count(), copies);
    copied_ = copies;
    want_statuses();
  }

  // A program that wants no status gets none, but we need it.
  void want_statuses() {
    if (statuses() == MPI_STATUS_IGNORE || statuses() == MPI_STATUSES_IGNORE) {
      MPI_Status* const own = own_.of(kAny ? 1 : count());
      if (own != nullptr) statuses() = own;
    }
  }

  void start() {
    for (std::size_t i = 0; i < count(); ++i) {
      const Held held = take(key_of(requests()[i]));
      if (!held) continue;
      if (!held.followed().active) ++change_;  // MPICH's to nobody may have completed where no call tells of it
      held.followed().active = true;
      if (held.followed().peer != kSilent && moves_at_start(held.followed())) tell_departure(held.followed());
      held.put_back();
    }
  }

  void complete(bool succeeded) {
    if (succeeded) {
      each_completed([&](std::size_t request, std::size_t status) {
        if (held_[request]) change_ += finish(held_[request], status_at(status, statuses()));
        held_[request] = kNothingHeld;
      });
    }
    for (std::size_t i = 0; i < count(); ++i) {
      if (!held_[i]) continue;
      if (succeeded || key_of(requests()[i]) == held_[i].key())
        held_[i].put_back();
      else
        forget(held_[i]);
    }
  }

  void complete_copied(bool succeeded) {
    if (!succeeded) return forget_those_gone();
    if constexpr (kAny || kSome) {
      each_completed([&](std::size_t request, std::size_t status) {
        change_ += finish_all(copied_ + request, 1, status_at(status, statuses()));
      });
    } else if (call_.flag()) {
      change_ += finish_all(copied_, count(), status_at(0, statuses()));
    }
  }

  // After an error a request that is gone has been completed by it, with whatever result.
  void forget_those_gone() {
    for (std::size_t i = 0; i < count(); ++i) {
      if (requests()[i] == copied_[i]) continue;
      if (const Held held = take(key_of(copied_[i]))) forget(held);
    }
  }

  template <class Do>
  void each_completed(Do&& act) {
    if (!call_.flag()) return;
    if constexpr (kAny) {
      const int index = call_.index();
      if (index != MPI_UNDEFINED) act(static_cast<std::size_t>(index), 0);
    } else if constexpr (kSome) {
      const int found = call_.found();
      for (int i = 0; found != MPI_UNDEFINED && i < found; ++i)
        act(static_cast<std::size_t>(call_.indices()[i]), static_cast<std::size_t>(i));
    } else {
      for (std::size_t i = 0; i < count(); ++i) act(i, i);
    }
  }

  const Arguments<Function>& call_;
  std::int32_t change_ = 0;
  Held* held_ = nullptr;
  const MPI_Request* copied_ = nullptr;  // as they were before the call
  Room<Held, kFew> room_;
  Room<MPI_Request, kFew> copies_;
  Room<MPI_Status, kFew> own_;
};

// The matched message that a call receives: the MPI ends its handle, so it is taken before and forgotten after.
template <class Function>
class MatchedMessage {
 public:
  explicit MatchedMessage(const Arguments<Function>& call) {
    if (kReceives && anything_remembered()) held_ = take(key_of_message(call.message()));
  }
  ~MatchedMessage() {
    if (kReceives && held_) forget(held_);
  }
  MatchedMessage(const MatchedMessage&) = delete;
  MatchedMessage& operator=(const MatchedMessage&) = delete;

  [[nodiscard]] Held held() const { return held_; }

 private:
  static constexpr bool kReceives = Function::row.rule == Rule::matched;
  Held held_ = kNothingHeld;
};

}  // namespace comity::interpose
