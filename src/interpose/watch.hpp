// SPDX-License-Identifier: BSD-3-Clause
// Watch: who looks at a function, and how closely; settled once, at the first call of MPI. Outermost: that this thread is
// inside a call which is shown.
#pragma once

#include <array>
#include <cstdint>

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

// The frame of the outermost call of this thread, null outside. An address and not a flag: who leaves a call by longjmp
// is outside again as soon as a call comes from further up the stack.
extern constinit thread_local const void* outermost_frame __attribute__((tls_model("initial-exec")));

// Outside nothing lies below it.
inline bool is_inner_call(const void* frame) { return frame < outermost_frame; }

// Where the outermost call of this thread returns to: the code that has made it, or 0 where frames are laid out in another way.
[[nodiscard]] inline std::uintptr_t code_that_calls() {
#if defined(__x86_64__) || defined(__aarch64__)
  if (outermost_frame != nullptr) return static_cast<const std::uintptr_t*>(outermost_frame)[1];
#endif
  return 0;
}

class Outermost {
 public:
  explicit Outermost(const void* frame) { outermost_frame = frame; }
  ~Outermost() { outermost_frame = nullptr; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
};

}  // namespace comity::interpose
