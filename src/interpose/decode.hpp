// SPDX-License-Identifier: BSD-3-Clause
// Shown: one outermost call as subscribers see it, before and after, with as much of it worked out as they ask for.
#pragma once

#include <mpi.h>

#include <exception>
#include <tuple>
#include <type_traits>

#include "interpose/traffic.hpp"
#include "interpose/watch.hpp"

namespace comity::interpose {

template <unsigned kFunction, class R, class... A>
class Shown {
 public:
  static R call(const Watch& watch, R (*real)(A...), A... a) {
    std::tuple<A...> arguments(a...);
    MPI_Status own_status;
    if (watch.depth == Depth::traffic) keep_status(arguments, own_status);
    const Call before{&kFacts[kFunction], watch.now_ns()};
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
      if (watch.depth == Depth::traffic && event.succeeded) tell_traffic(arguments, event);
    }
    watch.after(event);
    return result;
  }

 private:
  static constexpr const Row& kRow = kRows[kFunction];

  // Whom a message came from stands in the status, also of programs that do not want it.
  static void keep_status(std::tuple<A...>& arguments, MPI_Status& own) {
    if constexpr (kRow.at.status != kAbsent && kRow.blocking) {
      using enum Rule;
      if constexpr (kRow.rule == receive || kRow.rule == exchange || kRow.rule == read) {
        auto& status = std::get<kRow.at.status>(arguments);
        if (status == MPI_STATUS_IGNORE) status = &own;
      }
    }
  }

  static bool succeeded(const R& result) {
    if constexpr (std::is_same_v<R, int> && kRow.kind != Kind::local) return result == MPI_SUCCESS;
    return true;
  }

  // Where memory runs out the call has still been made: it is shown without its traffic.
  static void tell_traffic(std::tuple<A...>& arguments, Event& event) {
    try {
      Traffic<kFunction, std::tuple<A...>>(arguments, event).tell();
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
