// SPDX-License-Identifier: BSD-3-Clause
// Shown: one outermost call as subscribers see it, before and after, with as much of it worked out as they ask for.
#pragma once

#include <mpi.h>

#include <exception>
#include <tuple>
#include <type_traits>

#include "interpose/requests/object_changes.hpp"
#include "interpose/requests/traffic.hpp"
#include "interpose/requests/under_way.hpp"
#include "interpose/watch.hpp"
#include "live/page_writer.hpp"

namespace comity::interpose {

template <unsigned kFunction, class R, class... A>
class Shown {
 public:
  static R call(const Watch& watch, R (*real)(A...), A... a) {
    std::tuple<A...> arguments(a...);
    MPI_Status own_status;
    if (watch.depth >= Depth::traffic) keep_status(arguments, own_status);
    const MatchedMessage<kFunction, std::tuple<A...>> message(arguments);
    Following<kFunction, std::tuple<A...>> following(arguments, watch);
    following.before();
    ObjectChanges<kFunction, std::tuple<A...>> objects(arguments);
    UnderWay<kFunction, std::tuple<A...>> under_way(arguments, watch);
    const Call before{&kFacts[kFunction], watch.now_ns(), level_of(arguments)};
    [[maybe_unused]] const Sign sign(kFunction, before.begin_ns);
    watch.before(before);
    const auto called = watch.replacement == nullptr ? real : reinterpret_cast<R (*)(A...)>(watch.replacement);
    const R result = std::apply(called, arguments);
    Event event{.facts = before.facts,
                .begin_ns = before.begin_ns,
                .end_ns = watch.now_ns(),
                .succeeded = succeeded(result),
                .communicator = 0,
                .to = kNobody,
                .from = kNobody,
                .sent_bytes = 0,
                .received_bytes = 0};
    if constexpr (kRow.kind != Kind::local) {
      if (watch.depth >= Depth::traffic && event.succeeded) tell_traffic(arguments, event, message.held());
    }
    event.requests = under_way.change(event.succeeded);
    following.after(event.succeeded);
    event.requests += following.change();
    watch.after(event);
    objects.tell(watch, result, false);
    return result;
  }

  // A call inside one that is shown: nobody is told of it but of the object that it makes or ends.
  static R call_inside(const Watch& watch, R (*real)(A...), A... a) {
    std::tuple<A...> arguments(a...);
    ObjectChanges<kFunction, std::tuple<A...>> objects(arguments);
    const R result = std::apply(real, arguments);
    objects.tell(watch, result, true);
    return result;
  }

 private:
  static constexpr const Row& kRow = kRows[kFunction];

  // Who looks from outside sees the call while it lasts, with what subscribers do in it. A local one is over at once: nobody
  // would see it.
  struct NoSign {
    NoSign(std::uint32_t /*function*/, std::int64_t /*since_ns*/) {}
  };
  using Sign = std::conditional_t<kRow.kind == Kind::local, NoSign, live::InCall>;

  // Whom a message came from stands in the status, also of programs that do not want it.
  static void keep_status(std::tuple<A...>& arguments, MPI_Status& own) {
    if constexpr (kRow.at.status != kAbsent && kRow.blocking) {
      using enum Rule;
      if constexpr (kRow.rule == receive || kRow.rule == matched || kRow.rule == exchange || kRow.rule == read) {
        auto& status = std::get<kRow.at.status>(arguments);
        if (status == MPI_STATUS_IGNORE) status = &own;
      }
    }
  }

  static int level_of(const std::tuple<A...>& arguments) {
    if constexpr (kRow.at.level != kAbsent)
      return std::get<kRow.at.level>(arguments);
    else
      return 0;
  }

  static bool succeeded(const R& result) {
    if constexpr (std::is_same_v<R, int> && kRow.kind != Kind::local) return result == MPI_SUCCESS;
    return true;
  }

  // Where memory runs out the call has still been made: it is shown without its traffic.
  [[gnu::always_inline]] static void tell_traffic(std::tuple<A...>& arguments, Event& event, Held message) {
    try {
      Traffic<kFunction, std::tuple<A...>>(arguments, event, message).tell();
    } catch (const std::exception&) {
      event.communicator = 0;
    }
  }
};

// What is remembered of a handle goes before the handle does, also in calls that are not shown.
template <Rule kRule, class Handle>
void forget(Handle* handle) {
  if (handle == nullptr) return;
  if constexpr (kRule == Rule::free_communicator)
    forget_communicator(*handle);
  else if constexpr (kRule == Rule::free_window)
    forget_window(*handle);
  else
    forget_type();
}

}  // namespace comity::interpose
