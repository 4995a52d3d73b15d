// SPDX-License-Identifier: BSD-3-Clause
// Watch: who looks at a function, and how closely; settled once, at the first call of MPI. Outermost: that this thread is
// inside a call which is shown.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <functional>

#include "interpose/function.hpp"
#include "interpose/subscriber.hpp"
#include "interpose/tick_clock.hpp"

namespace comity::interpose {

inline constexpr std::size_t kMostSubscribers = 10;

struct Watch {
  using Places = std::array<Subscriber*, kMostSubscribers>;

  Depth depth = Depth::none;  // the closest look
  std::uint8_t announced = 0;
  std::uint8_t count = 0;
  bool follows = false;               // requests that are looked at may start or complete here
  bool looks = false;                 // one of these
  Replacement replacement = nullptr;  // of the first in order who has one
  Replacement inside = nullptr;       // the same of calls inside one that is shown
  Places announced_to{};              // in order
  Places told{};                      // in the opposite one

  [[nodiscard]] bool nobody() const { return !looks && replacement == nullptr; }
  [[nodiscard]] std::int64_t now_ns() const { return depth >= Depth::times ? TickClock::now_ns() : 0; }
  void before(const Call& call) const {
    for (std::uint8_t i = 0; i < announced; ++i) announced_to[i]->before(call);
  }
  void after(const Event& event) const {
    for (std::uint8_t i = 0; i < count; ++i) told[i]->after(event);
  }
  void moved(const Message& message) const {
    for (std::uint8_t i = 0; i < count; ++i) told[i]->moved(message);
  }
  void shared(const Message& share) const {
    for (std::uint8_t i = 0; i < count; ++i) told[i]->shared(share);
  }
  void changed(const ObjectChange& change) const {
    for (std::uint8_t i = 0; i < count; ++i) told[i]->changed(change);
  }
};

// Settles who watches what, if nobody has yet. False: every call goes straight to the MPI.
[[nodiscard]] bool anybody_watches();
// Of each function, once that is settled.
extern constinit std::array<Watch, kFunctions> watches __attribute__((visibility("hidden")));

// Who replaces functions has decided otherwise: their calls go to whoever else replaces them, or to the MPI, and past
// other tools, as if he had never replaced them. Inside MPI_Init, when no other thread may call what is replaced.
void stop_replacing(const Subscriber& who);

class Outermost;
// The outermost call of this thread, null outside. An address and not a flag: who leaves a call by longjmp is outside again as soon as a
// call comes from further up the stack, or from where something else has taken its place on the stack.
extern constinit thread_local const Outermost* outermost __attribute__((tls_model("initial-exec")));

// On the stack of that call, just below its frame.
class Outermost {
 public:
  explicit Outermost(const void* frame) : mark_(reinterpret_cast<std::uintptr_t>(frame) ^ kMark) { outermost = this; }
  ~Outermost() { outermost = nullptr; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;

  [[nodiscard]] std::uintptr_t frame() const { return mark_ ^ kMark; }
  // Not where the call was left by longjmp, and its place on the stack is another one's.
  [[nodiscard]] [[gnu::no_sanitize_address]] bool is_there() const {
    const std::uintptr_t mark = *static_cast<const volatile std::uintptr_t*>(&mark_);
    return (mark ^ kMark) - reinterpret_cast<std::uintptr_t>(this) < kMostBelow;
  }

 private:
  static constexpr std::uintptr_t kMark =
      static_cast<std::uintptr_t>(0x9e3779b97f4a7c15U);  // no frame's address looks like that
  static constexpr std::uintptr_t kMostBelow = 4096;

  std::uintptr_t mark_;
};

// Outside nothing lies below it.
inline bool is_inner_call(const void* frame) {
  return std::less<>()(frame, static_cast<const void*>(outermost)) && outermost->is_there();
}

// Where the call inside another one that has gone to a replacement has come from, and whether that is the MPI itself: it makes calls of its own
// there, and not a callback of the program.
extern constinit thread_local const void* inner_caller __attribute__((tls_model("initial-exec")));
[[nodiscard]] bool inner_call_is_the_mpis() noexcept;

// Where the outermost call of this thread returns to: the code that has made it, or 0 where frames are laid out in another way.
[[nodiscard]] inline std::uintptr_t code_that_calls() {
#if defined(__x86_64__) || defined(__aarch64__)
  if (outermost != nullptr) return std::bit_cast<const std::uintptr_t*>(outermost->frame())[1];
#endif
  return 0;
}

}  // namespace comity::interpose
