// SPDX-License-Identifier: BSD-3-Clause
// One outermost call as subscribers see it, before and after, with as much of it worked out as they ask for.
#pragma once

#include <mpi.h>

#include <exception>
#include <optional>
#include <type_traits>

#include "interpose/arguments.hpp"
#include "interpose/requests/object_changes.hpp"
#include "interpose/requests/traffic.hpp"
#include "interpose/requests/under_way.hpp"
#include "interpose/watch.hpp"
#include "live/page_writer.hpp"

namespace comity::interpose {

// Whom a message came from stands in the status, also of programs that do not want it.
template <class Function>
void keep_status(const Arguments<Function>& call, const Watch& watch, MPI_Status& own) {
  using enum Rule;
  const Rule rule = call.row.rule;
  const bool tells = rule == receive || rule == matched || rule == exchange || rule == read;
  if (!tells || !call.row.blocking || call.row.at.status == kAbsent || watch.depth < Depth::traffic) return;
  if (call.status() == MPI_STATUS_IGNORE) call.status() = &own;
}

// What is known of a call that has come back, before anybody has looked at its traffic.
[[nodiscard]] inline Event event_of(const Facts& facts, const Call& before, const Watch& watch, bool succeeded) {
  return {.facts = &facts,
          .begin_ns = before.begin_ns,
          .end_ns = watch.now_ns(),
          .succeeded = succeeded,
          .communicator = 0,
          .to = kNobody,
          .from = kNobody,
          .sent_bytes = 0,
          .received_bytes = 0};
}

// Where memory runs out the call has still been made: it is shown without its traffic.
template <class Function>
[[gnu::always_inline]] inline void tell_traffic(const Arguments<Function>& call, const Watch& watch, Event& event,
                                                Held message) {
  const bool moves_nothing =
      call.row.kind == Kind::local && !makes_silent_requests(call.row);  // as all but MPI_Grequest_start
  if (moves_nothing || watch.depth < Depth::traffic || !event.succeeded) return;
  try {
    Traffic<Function>(call, event, message).tell();
  } catch (const std::exception&) {
    event.communicator = 0;
  }
}

// Who looks from outside sees the call while it lasts, with what subscribers do in it. A local one is over at once: nobody
// would see it.
struct NoSign {
  NoSign(unsigned /*function*/, std::int64_t /*since_ns*/) {}
};
template <class Function>
using Sign = std::conditional_t<Function::row.kind == Kind::local, NoSign, live::InCall>;

// One outermost call of a function that has its own code: in one piece, so that what it knows stands in registers.
template <class Function, class R, class... A>
[[gnu::always_inline]] inline R show_own(R (*called)(A...), const Arguments<Function>& call, A&... a) {
  const Watch& watch = watches[Function::number];
  MPI_Status own_status;
  keep_status(call, watch, own_status);
  const MatchedMessage<Function> message(call);
  Following<Function> following(call, watch);
  ObjectChanges objects(Function::number, call.addresses());
  UnderWay<Function> under_way(call, watch);
  const Call before{&kFacts[Function::number], watch.now_ns(), call.level()};
  [[maybe_unused]] const Sign<Function> sign(Function::number, before.begin_ns);
  watch.before(before);
  const R result = called(a...);
  Event event =
      event_of(kFacts[Function::number], before, watch, result == MPI_SUCCESS || call.row.kind == Kind::local);
  tell_traffic(call, watch, event, message.held());
  event.requests = under_way.change(watch, event.succeeded);
  following.after(watch, event.succeeded);
  event.requests += following.change();
  watch.after(event);
  objects.tell(Function::number, watch, result, false);
  return result;
}

// One of any function that shares its code. It meets no requests.
class Shown {
 public:
  // Before the call. watch: of its function; at: the addresses of its arguments.
  Shown(const Watch& watch, unsigned function, void* const* at);
  ~Shown();
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  // Behind it, with what it has come back with.
  void after(const Watch& watch, int code);

 private:
  AnyArguments call_;
  ObjectChanges objects_;
  UnderWay<AnyFunction> under_way_;
  Call before_;
  std::optional<live::InCall> sign_;  // as Sign
  MPI_Status own_status_;
};

}  // namespace comity::interpose
