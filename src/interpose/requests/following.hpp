// SPDX-License-Identifier: BSD-3-Clause
// Following: what a call does to requests and matched messages that were remembered: they are taken before it, because
// the MPI ends their handles, and told or put back after it. A call that completes some of many (MPI_Waitany and its
// like) copies the handles instead, where one thread at once is in the MPI, and takes those alone that have completed: a
// program waits for thousands of requests in thousands of such calls. Of those that persist it counts the started ones.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <tuple>

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

[[nodiscard]] inline std::int32_t source_of(const Followed& followed, const MPI_Status& status) {
  return followed.wildcard ? followed.wildcard->world_rank(status.MPI_SOURCE) : followed.peer;
}

[[nodiscard]] inline bool is_send(const Followed& followed) { return kRows[followed.maker].rule == Rule::send; }

// A receive that has completed. That of an exchange is as long as it had room for, and nobody's where it was from anybody.
void tell_arrival(const Followed& followed, const MPI_Status& status);
// A persistent send that was started.
void tell_departure(const Followed& followed);

template <unsigned kFunction, class Arguments>
class Following {
 public:
  Following(Arguments& arguments, const Watch& watch) : arguments_(arguments), on_(watch.follows) {}

  void before() {
    if constexpr (kRule == Rule::complete) hold_requests();
    if constexpr (kRule == Rule::free_request) {
      if (on_ && anything_remembered()) forget_request(take(key_of(*arg<kRow.at.request>())));
    }
  }

  void after(bool succeeded) {
    if constexpr (kRule == Rule::start) {
      if (on_ && succeeded) start();
    }
    if constexpr (kRule == Rule::complete) {
      if (held_ != nullptr) complete(succeeded);
      if (copied_ != nullptr) complete_copied(succeeded);
    }
  }

  // By how many it has changed the number of persistent requests that are started, beside what UnderWay tells.
  [[nodiscard]] std::int32_t change() const { return change_; }

 private:
  static constexpr const Row& kRow = kRows[kFunction];
  static constexpr Rule kRule = kRow.rule;
  static constexpr bool kMany = kRow.at.requests != kAbsent;
  static constexpr bool kAny = kRow.at.index != kAbsent;
  static constexpr bool kSome = kRow.at.indices != kAbsent;
  static constexpr bool kSomeOfMany = kMany && (kAny || kSome || kRow.at.flag != kAbsent);
  static constexpr std::size_t kFew = kMany ? 64 : 1;

  template <int kPlace>
  auto& arg() {
    return std::get<kPlace>(arguments_);
  }

  MPI_Request* requests() {
    if constexpr (kMany)
      return arg<kRow.at.requests>();
    else
      return arg<kRow.at.request>();
  }
  std::size_t count() {
    if constexpr (kMany)
      return arg<kRow.at.count>() > 0 ? static_cast<std::size_t>(arg<kRow.at.count>()) : 0;
    else
      return 1;
  }
  MPI_Status*& statuses() {
    if constexpr (kRow.at.statuses != kAbsent)
      return arg<kRow.at.statuses>();
    else
      return arg<kRow.at.status>();
  }

  // A persistent one counts while it is started, and not because its handle is there, as UnderWay takes it.
  void forget_request(const Held& held) {
    if (!held) return;
    if (held.followed().persistent && !held.followed().active) change_ = 1;
    forget(held);
  }

  void hold_requests() {
    if (!on_ || !anything_remembered()) return;
    if constexpr (kSomeOfMany) {
      if (one_thread_at_once()) return copy_handles();
    }
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
      if (is_send(held.followed()) && held.followed().peer != kSilent) tell_departure(held.followed());
      held.put_back();
    }
  }

  void complete(bool succeeded) {
    if (succeeded) {
      each_completed([&](std::size_t request, std::size_t status) {
        if (held_[request]) finish(held_[request], status);
        held_[request] = kNothingHeld;
      });
    }
    for (std::size_t i = 0; i < count(); ++i) {
      if (!held_[i]) continue;
      if (succeeded || key_of(requests()[i]) == held_[i].key())
        held_[i].put_back();
      else
        forget(held_[i]);  // after an error a request that is gone has been completed by it, with whatever result
    }
  }

  void complete_copied(bool succeeded) {
    const auto if_remembered = [&](std::size_t request, auto&& act) {
      if (const Held held = take(key_of(copied_[request]))) act(held);
    };
    if (succeeded) {
      each_completed([&](std::size_t request, std::size_t status) {
        if_remembered(request, [&](const Held& held) { finish(held, status); });
      });
      return;
    }
    for (std::size_t i = 0; i < count(); ++i) {
      if (requests()[i] != copied_[i]) if_remembered(i, [](const Held& held) { forget(held); });
    }
  }

  template <class Do>
  void each_completed(Do&& act) {
    if constexpr (kRow.at.flag != kAbsent) {
      if (*arg<kRow.at.flag>() == 0) return;
    }
    if constexpr (kAny) {
      const int index = *arg<kRow.at.index>();
      if (index != MPI_UNDEFINED) act(static_cast<std::size_t>(index), 0);
    } else if constexpr (kSome) {
      const int found = *arg<kRow.at.found>();
      for (int i = 0; found != MPI_UNDEFINED && i < found; ++i)
        act(static_cast<std::size_t>(arg<kRow.at.indices>()[i]), static_cast<std::size_t>(i));
    } else {
      for (std::size_t i = 0; i < count(); ++i) act(i, i);
    }
  }

  void finish(const Held& held, std::size_t status) {
    Followed& followed = held.followed();
    const bool has_status = statuses() != MPI_STATUS_IGNORE && statuses() != MPI_STATUSES_IGNORE;
    const bool arrives = followed.active && !is_send(followed) && followed.peer != kSilent;
    if (arrives && has_status) tell_arrival(followed, statuses()[status]);
    if (followed.persistent && followed.active) --change_;
    followed.active = false;
    if (followed.persistent)
      held.put_back();
    else
      forget(held);
  }

  Arguments& arguments_;
  bool on_;
  std::int32_t change_ = 0;
  Held* held_ = nullptr;
  const MPI_Request* copied_ = nullptr;  // as they were before the call
  Room<Held, kFew> room_;
  Room<MPI_Request, kSomeOfMany ? kFew : 1> copies_;
  Room<MPI_Status, kFew> own_;
};

// The matched message that a call receives: the MPI ends its handle, so it is taken before and forgotten after.
template <unsigned kFunction, class Arguments>
class MatchedMessage {
 public:
  explicit MatchedMessage(Arguments& arguments) {
    if constexpr (kRows[kFunction].rule == Rule::matched) {
      if (anything_remembered()) held_ = take(key_of_message(*std::get<kRows[kFunction].at.message>(arguments)));
    }
  }
  ~MatchedMessage() {
    if constexpr (kRows[kFunction].rule == Rule::matched) {
      if (held_) forget(held_);
    }
  }
  MatchedMessage(const MatchedMessage&) = delete;
  MatchedMessage& operator=(const MatchedMessage&) = delete;

  [[nodiscard]] Held held() const { return held_; }

 private:
  Held held_ = kNothingHeld;
};

}  // namespace comity::interpose
