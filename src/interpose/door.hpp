// SPDX-License-Identifier: BSD-3-Clause
// Door: one of the two names of one MPI function. A call enters, goes its way, and comes out in the MPI. The way is
// decided at the first call: straight to the MPI where nobody subscribes to anything, or to this function and MPI makes no
// calls inside it; else past the subscribers.
// Invariant: of nested calls on one thread only the outermost is shown, so MPI's own inner calls, and a second sighting
// through another PMPI tool, stay out.
// There are hundreds of doors, of which a program takes few: what is not on the way of a call that nobody watches is compiled
// once for all functions of one type, or once for all (decode).
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <type_traits>

#include "interpose/decode.hpp"
#include "interpose/function.hpp"
#include "interpose/requests/requests.hpp"
#include "interpose/watch.hpp"

#define COMITY_DOOR extern "C" __attribute__((visibility("default")))

namespace comity::interpose {

enum class Side : std::uint8_t { plain, profiling };  // MPI_x, PMPI_x

// A handle as it is passed through: a number of 32 bits in one MPI, an address in another, and whole in both.
template <class Handle>
using Wide = std::conditional_t<std::is_integral_v<Handle>, std::uint64_t, Handle>;

// What is behind a door: the MPI's own function, past this one and all subscribers.
class Behind {
 public:
  constexpr Behind(unsigned function, Side side) : function_(static_cast<std::uint16_t>(function)), side_(side) {}

  [[nodiscard]] unsigned function() const { return function_; }
  // Null until find().
  [[nodiscard]] void* real() const { return real_.load(std::memory_order_acquire); }
  // The same, or what replaces it. watch: of its function.
  template <class R, class... A>
  [[nodiscard]] auto called(const Watch& watch) const -> R (*)(A...) {
    void* const replacement = reinterpret_cast<void*>(watch.replacement);
    return reinterpret_cast<R (*)(A...)>(replacement == nullptr ? real() : replacement);
  }
  // The same of a call inside one that is shown.
  template <class R, class... A>
  [[nodiscard]] auto called_inside(const Watch& watch) const -> R (*)(A...) {
    void* const replacement = reinterpret_cast<void*>(watch.inside);
    return reinterpret_cast<R (*)(A...)>(replacement == nullptr ? real() : replacement);
  }
  [[gnu::cold]] void find();
  // Where each call goes if nobody is to be told of any, nor of calls inside; else null. After find().
  [[gnu::cold]] [[nodiscard]] void* straight_way() const;

 private:
  std::uint16_t function_;
  Side side_;
  std::atomic<void*> real_{nullptr};  // written by each of several threads that come first at once, the same
};

template <class R>
[[nodiscard]] int code_of(const R& result) {
  if constexpr (std::is_same_v<R, int>)
    return result;
  else
    return MPI_SUCCESS;
}

// A call past its subscribers. Function: of those with own code; all others of one type share this.
template <class Function, class R, class... A>
[[gnu::noinline]] R show(const Behind& behind, A... a) {
  const std::array<void*, sizeof...(A)> at{static_cast<void*>(&a)...};
  if constexpr (Function::kHasOwnCode) {
    return show_own<Function>(behind.called<R, A...>(watches[Function::number]), Arguments<Function>({}, at.data()),
                              a...);
  } else {
    const Watch& watch = watches[behind.function()];
    Shown shown(watch, behind.function(), at.data());
    const R result = behind.called<R, A...>(watch)(a...);
    shown.after(watch, code_of(result));
    return result;
  }
}

// A call inside one that is shown: nobody is told of it but of the object that it makes or ends.
template <class R, class... A>
[[gnu::noinline]] R show_inside(const Behind& behind, A... a) {
  const std::array<void*, sizeof...(A)> at{static_cast<void*>(&a)...};
  const Watch& watch = watches[behind.function()];
  ObjectChanges objects(behind.function(), at.data());
  const R result = behind.called_inside<R, A...>(watch)(a...);
  objects.tell(behind.function(), watch, code_of(result), true);
  return result;
}

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

// The function's type, and the same with handles that are passed through.
template <class Type, class Passed, unsigned kFunction, Side kSide>
class Door;

template <class R, class... A, class... W, unsigned kFunction, Side kSide>
class Door<R(A...), R(W...), kFunction, kSide> {
 public:
  static R enter(W... w) { return way_.load(std::memory_order_acquire)(w...); }

  // The MPI's own function, past all subscribers.
  static R pass(A... a) {
    if (behind_.real() == nullptr) behind_.find();
    return real()(a...);
  }

 private:
  using Pointer = R (*)(A...);
  using Way = R (*)(W...);
  static constexpr const Row& kRow = kRows[kFunction];
  using Function = std::conditional_t<kRow.own_code, KnownFunction<kFunction>, AnyFunction>;

  static Pointer real() { return reinterpret_cast<Pointer>(behind_.real()); }

  // The way of the first call, of each of several threads at once.
  [[gnu::cold]] static R first(W... w) {
    behind_.find();
    void* const straight = behind_.straight_way();
    way_.store(straight != nullptr ? reinterpret_cast<Way>(straight) : &watched, std::memory_order_release);
    return enter(w...);
  }

  // Where it lies on the stack tells outermost calls from inner ones, so nothing of it goes to a stack of the address sanitizer.
  [[gnu::no_sanitize_address]] static R watched(W... w) {
    if constexpr (kRow.rule >= Rule::free_communicator) forget<kRow.rule>(w...);
    if constexpr (kRow.name == "MPI_Session_init") requests_are_shared();  // whatever level MPI_Query_thread tells
    const void* const frame = __builtin_frame_address(0);
    const Watch& watch = watches[kFunction];
    if (is_inner_call(frame)) {
      if (watch.inside != nullptr) inner_caller = __builtin_return_address(0);
      if constexpr (kRow.object.act != ObjectAct::none) {
        if (watch.count != 0) return show_inside<R, A...>(behind_, static_cast<A>(w)...);
      }
      return behind_.template called_inside<R, A...>(watch)(static_cast<A>(w)...);
    }
    const Outermost outermost_call(frame);
    if (watch.looks) return show<Function, R, A...>(behind_, static_cast<A>(w)...);
    return behind_.template called<R, A...>(watch)(static_cast<A>(w)...);
  }

  static inline constinit std::atomic<Way> way_{&first};  // release in first(), acquire in enter()
  static inline constinit Behind behind_{kFunction, kSide};
};

}  // namespace comity::interpose
