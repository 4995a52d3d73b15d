// SPDX-License-Identifier: BSD-3-Clause
// Door: one of the two names of one MPI function. A call enters, goes its way, and comes out in the MPI. The way is
// decided at the first call: straight to the MPI where nobody subscribes to anything, or to this function and MPI makes no
// calls inside it; else past the subscribers.
// Invariant: of nested calls on one thread only the outermost is shown, so MPI's own inner calls, and a second sighting
// through another PMPI tool, stay out.
#pragma once

#include <mpi.h>

#include <atomic>
#include <type_traits>

#include "interpose/decode.hpp"
#include "interpose/function.hpp"
#include "interpose/watch.hpp"

#define COMITY_DOOR extern "C" __attribute__((visibility("default")))

namespace comity::interpose {

enum class Side : std::uint8_t { plain, profiling };  // MPI_x, PMPI_x

// A handle as it is passed through: a number of 32 bits in one MPI, an address in another, and whole in both.
template <class Handle>
using Wide = std::conditional_t<std::is_integral_v<Handle>, std::uint64_t, Handle>;

// What a door does once, apart from its types. Finding: the MPI's own function, behind this one and all subscribers.
[[gnu::cold]] void find_behind(unsigned function, Side side, std::atomic<void*>& real);
[[gnu::cold]] [[nodiscard]] bool goes_straight(unsigned function);

// The function's type, and the same with handles that are passed through.
template <class Function, class Passed, unsigned kFunction, Side kSide>
class Door;

template <class R, class... A, class... W, unsigned kFunction, Side kSide>
class Door<R(A...), R(W...), kFunction, kSide> {
 public:
  static R enter(W... w) { return way_.load(std::memory_order_acquire)(w...); }

  // The MPI's own function, past all subscribers.
  static R pass(A... a) {
    if (real_.load(std::memory_order_acquire) == nullptr) find();
    return real()(a...);
  }

 private:
  using Pointer = R (*)(A...);
  using Way = R (*)(W...);
  static constexpr const Row& kRow = kRows[kFunction];

  static Pointer real() { return reinterpret_cast<Pointer>(real_.load(std::memory_order_relaxed)); }

  static void find() { find_behind(kFunction, kSide, real_); }

  // The way of the first call, of each of several threads at once.
  static R first(W... w) {
    find();
    way_.store(goes_straight(kFunction) ? reinterpret_cast<Way>(real_.load(std::memory_order_relaxed)) : &watched,
               std::memory_order_release);
    return enter(w...);
  }

  static R watched(W... w) {
    if constexpr (kRow.rule >= Rule::free_communicator) forget<kRow.rule>(w...);
    if constexpr (kRow.name == "MPI_Session_init") requests_are_shared();  // whatever level MPI_Query_thread tells
    const void* const frame = __builtin_frame_address(0);
    const Watch& watch = watches[kFunction];
    if (is_inner_call(frame)) {
      if constexpr (kRow.object.act != ObjectAct::none) {
        if (watch.count != 0) return Shown<kFunction, R, A...>::call_inside(watch, real(), static_cast<A>(w)...);
      }
      return real()(static_cast<A>(w)...);
    }
    const Outermost outermost(frame);
    if (watch.nobody()) return real()(static_cast<A>(w)...);
    if (watch.only_replaces()) return reinterpret_cast<Pointer>(watch.replacement)(static_cast<A>(w)...);
    return Shown<kFunction, R, A...>::call(watch, real(), static_cast<A>(w)...);
  }

  static inline constinit std::atomic<Way> way_{&first};  // release in first(), acquire in enter()
  static inline constinit std::atomic<void*> real_{nullptr};
};

}  // namespace comity::interpose
