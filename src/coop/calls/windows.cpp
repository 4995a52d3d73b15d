// SPDX-License-Identifier: BSD-3-Clause
// Windows: what makes and ends one, and its fences, go to the library behind a meeting of the ranks that share a node; the wait
// for others' epochs tests, and sleeps in between. Everything else of a window is the library's own, also its waits; but it
// rings its target, for some libraries need its processor for their part: Open MPI's accumulations for each element, one after the other,
// behind a lock of the target's that is the library's own.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "coop/calls/meetings.hpp"
#include "coop/calls/replacements.hpp"
#include "interpose/requests/type_size.hpp"

namespace comity::coop {
namespace {

int wait_for_epoch(MPI_Win window) {
  Cooperation* const here = at_work();
  if (here == nullptr) return real::MPI_Win_wait(window);
  return wait_for(*here, [&](int* over) { return real::MPI_Win_test(window, over); });
}

constexpr std::uint64_t kStepsBesides = 8;  // those of elements
constexpr std::uint64_t kMostSteps = 1 << 20;

// elements: of a byte at the least, as many as the target's count and type say, two places behind its rank.
enum class Steps : std::uint8_t { one, elements };

// What is started with a target. Open MPI's accumulations, and what fetches, may wait for that in the call itself.
template <auto kReal, std::size_t kTarget, std::size_t kWindow, Steps kSteps>
struct Operation;
template <class... A, int (*kReal)(A...), std::size_t kTarget, std::size_t kWindow, Steps kSteps>
struct Operation<kReal, kTarget, kWindow, kSteps> {
  enum class Told : std::uint8_t { behind, before_too };

  static int call(A... a) { return call_told(Told::behind, a...); }
  static int call_told(Told when, A... a) {
    Cooperation* const here = at_work();
    if (here == nullptr) return kReal(a...);
    const std::tuple<A...> arguments(a...);
    const int target = here->peer_of_window(std::get<kWindow>(arguments), std::get<kTarget>(arguments));
    if (when == Told::before_too) tell_target(*here, target);
    const int code = wait_in_library({.of = target, .steps = steps(arguments)}, a...);
    tell_target(*here, target);
    hand_on_target(*here, target);
    return code;
  }

 private:
  static int wait_in_library(Wanted wanted, A... a) {
    [[maybe_unused]] const LibraryWait waits(wanted);
    return kReal(a...);
  }
  static std::uint64_t steps([[maybe_unused]] const std::tuple<A...>& arguments) {
    std::uint64_t bytes = 1;
    if constexpr (kSteps == Steps::elements) {
      const auto count = std::get<kTarget + 2>(arguments);
      const MPI_Datatype type = std::get<kTarget + 3>(arguments);
      if (count <= 0 || type == interpose::handles().no_type) return kStepsBesides;
      bytes = static_cast<std::uint64_t>(count) * interpose::size_of(type);
    }
    return std::min(kMostSteps, kStepsBesides + bytes);
  }
};

// A call that surely may wait in the library for its target: rung before it too. What it wants besides is another's lock, which may be held for
// long.
template <auto kReal, std::size_t kTarget, std::size_t kWindow>
struct Epoch;
template <class... A, int (*kReal)(A...), std::size_t kTarget, std::size_t kWindow>
struct Epoch<kReal, kTarget, kWindow> {
  using AsOperation = Operation<kReal, kTarget, kWindow, Steps::one>;
  static int call(A... a) { return AsOperation::call_told(AsOperation::Told::before_too, a...); }
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

#define COMITY_OPERATION(name, target, window, steps) named(#name, &Operation<real::name, target, window, steps>::call)
#define COMITY_EPOCH(name, target, window) named(#name, &Epoch<real::name, target, window>::call)
#define COMITY_ALL(name) named(#name, &EpochOfAll<real::name>::call)
#define COMITY_MAKES(name, communicator) COMITY_ALSO_INSIDE(name, Makes<real::name, communicator>)
#if MPI_VERSION >= 4  // a function and the one with large counts
#define COMITY_MAKE_BOTH(name, communicator) COMITY_MAKES(name, communicator), COMITY_MAKES(name##_c, communicator)
#define COMITY_OPERATIONS(name, target, window) \
  COMITY_OPERATION(name, target, window, Steps::elements), COMITY_OPERATION(name##_c, target, window, Steps::elements)
#else
#define COMITY_MAKE_BOTH(name, communicator) COMITY_MAKES(name, communicator)
#define COMITY_OPERATIONS(name, target, window) COMITY_OPERATION(name, target, window, Steps::elements)
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
      COMITY_OPERATION(MPI_Fetch_and_op, 3, 6, Steps::one),
      COMITY_OPERATION(MPI_Compare_and_swap, 4, 6, Steps::one),
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
