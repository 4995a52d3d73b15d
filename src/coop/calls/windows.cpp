// SPDX-License-Identifier: BSD-3-Clause
// Windows: what makes and ends one, and its fences, go to the library behind a meeting of the ranks that share a node; the wait
// for others' epochs tests, and sleeps in between. Everything else of a window is the library's own, also its waits; but it
// rings its target, for some libraries need its processor for their part.
#include <mpi.h>

#include <array>
#include <cstddef>
#include <tuple>

#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"

namespace comity::coop {
namespace {

int wait_for_epoch(MPI_Win window) {
  Cooperation* const here = at_work();
  if (here == nullptr) return real::MPI_Win_wait(window);
  return wait_for(*here, [&](int* over) { return real::MPI_Win_test(window, over); });
}

// What is started with a target. Open MPI's accumulations, and what fetches, may wait for that in the call itself.
template <auto kReal, std::size_t kTarget, std::size_t kWindow>
struct Operation;
template <class... A, int (*kReal)(A...), std::size_t kTarget, std::size_t kWindow>
struct Operation<kReal, kTarget, kWindow> {
  static int call(A... a) {
    const int code = wait_in_library(a...);
    Cooperation* const here = at_work();
    const std::tuple<A...> arguments(a...);
    if (here != nullptr) tell_target(*here, std::get<kWindow>(arguments), std::get<kTarget>(arguments));
    return code;
  }

 private:
  static int wait_in_library(A... a) {
    [[maybe_unused]] const LibraryWait waits;
    return kReal(a...);
  }
};

// A call that surely may wait in the library for its target: rung before it too.
template <auto kReal, std::size_t kTarget, std::size_t kWindow>
struct Epoch;
template <class... A, int (*kReal)(A...), std::size_t kTarget, std::size_t kWindow>
struct Epoch<kReal, kTarget, kWindow> {
  static int call(A... a) {
    Cooperation* const here = at_work();
    const std::tuple<A...> arguments(a...);
    if (here != nullptr) tell_target(*here, std::get<kWindow>(arguments), std::get<kTarget>(arguments));
    return Operation<kReal, kTarget, kWindow>::call(a...);
  }
};

// One that may wait for ranks which it does not name.
template <auto kReal>
struct EpochOfAll;
template <class... A, int (*kReal)(A...)>
struct EpochOfAll<kReal> {
  static int call(A... a) {
    if (Cooperation* const here = at_work(); here != nullptr) tell_everybody(*here);
    [[maybe_unused]] const LibraryWait waits;
    return Started<kReal>::call(a...);
  }
};

// A fence that ends no epoch waits for nobody.
constexpr auto kEndOfAnEpoch = [](const std::tuple<int, MPI_Win>& arguments) {
  return (std::get<0>(arguments) & MPI_MODE_NOPRECEDE) != 0 ? Whom::nobody() : Whom::everybody();
};

#define COMITY_OPERATION(name, target, window) named(#name, &Operation<real::name, target, window>::call)
#define COMITY_EPOCH(name, target, window) named(#name, &Epoch<real::name, target, window>::call)
#define COMITY_ALL(name) named(#name, &EpochOfAll<real::name>::call)
#define COMITY_MAKES(name, communicator) COMITY_ALSO_INSIDE(name, Makes<real::name, communicator>)
#if MPI_VERSION >= 4  // a function and the one with large counts
#define COMITY_MAKE_BOTH(name, communicator) COMITY_MAKES(name, communicator), COMITY_MAKES(name##_c, communicator)
#define COMITY_OPERATIONS(name, target, window) \
  COMITY_OPERATION(name, target, window), COMITY_OPERATION(name##_c, target, window)
#else
#define COMITY_MAKE_BOTH(name, communicator) COMITY_MAKES(name, communicator)
#define COMITY_OPERATIONS(name, target, window) COMITY_OPERATION(name, target, window)
#endif

const auto& replacements() {
  static const auto all = std::to_array<NamedReplacement>({
      COMITY_MAKE_BOTH(MPI_Win_create, 4),
      COMITY_MAKE_BOTH(MPI_Win_allocate, 3),
      COMITY_MAKE_BOTH(MPI_Win_allocate_shared, 3),
      COMITY_MAKES(MPI_Win_create_dynamic, 1),
      COMITY_ALSO_INSIDE(MPI_Win_fence, MeetsKnown<real::MPI_Win_fence, kEndOfAnEpoch, 1>),
      COMITY_ALSO_INSIDE(MPI_Win_free, Ends<real::MPI_Win_free, AtTheEnd::meet>),
      named("MPI_Win_wait", wait_for_epoch),
      COMITY_ALL(MPI_Win_post),
      COMITY_ALL(MPI_Win_start),
      COMITY_ALL(MPI_Win_complete),
      COMITY_ALL(MPI_Win_lock_all),
      COMITY_ALL(MPI_Win_unlock_all),
      COMITY_ALL(MPI_Win_flush_all),
      COMITY_EPOCH(MPI_Win_lock, 1, 3),
      COMITY_ALL(MPI_Win_unlock),  // others may sleep in a lock of the same target
      COMITY_EPOCH(MPI_Win_flush, 0, 1),
      COMITY_OPERATIONS(MPI_Put, 3, 7),
      COMITY_OPERATIONS(MPI_Get, 3, 7),
      COMITY_OPERATIONS(MPI_Accumulate, 3, 8),
      COMITY_OPERATIONS(MPI_Get_accumulate, 6, 11),
      COMITY_OPERATIONS(MPI_Rput, 3, 7),
      COMITY_OPERATIONS(MPI_Rget, 3, 7),
      COMITY_OPERATIONS(MPI_Raccumulate, 3, 8),
      COMITY_OPERATIONS(MPI_Rget_accumulate, 6, 11),
      COMITY_OPERATION(MPI_Fetch_and_op, 3, 6),
      COMITY_OPERATION(MPI_Compare_and_swap, 4, 6),
  });
  return all;
}

#undef COMITY_OPERATION
#undef COMITY_EPOCH
#undef COMITY_ALL
#undef COMITY_MAKES
#undef COMITY_MAKE_BOTH
#undef COMITY_OPERATIONS

}  // namespace

Replaced replacement_of_window(std::string_view name) { return find_replacement(replacements(), name); }

}  // namespace comity::coop
