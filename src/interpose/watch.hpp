// SPDX-License-Identifier: BSD-3-Clause
// Watch: who looks at a function, and how closely; settled once, at the first call of MPI. Outermost: that this thread is
// inside a call which is shown.
#pragma once

#include <array>
#include <cstdint>

#include "base/clock.hpp"
#include "interpose/function.hpp"
#include "interpose/subscriber.hpp"

namespace comity::interpose {

inline constexpr std::size_t kMostSubscribers = 6;

struct Watch {
  struct Who {
    Subscriber* subscriber;
    Depth depth;
  };

  Depth depth = Depth::none;  // the closest look
  std::uint8_t count = 0;
  Replacement replacement = nullptr;
  std::array<Who, kMostSubscribers> who{};

  [[nodiscard]] bool nobody() const { return depth == Depth::none && replacement == nullptr; }
  [[nodiscard]] std::int64_t now_ns() const { return depth >= Depth::times ? comity::now_ns() : 0; }
  void before(const Call& call) const {
    for (std::uint8_t i = 0; i < count; ++i) who[i].subscriber->before(call);
  }
  void after(const Event& event) const {
    for (std::uint8_t i = count; i > 0; --i) who[i - 1U].subscriber->after(event);
  }
};

// Settles who watches what, if nobody has yet. False: every call goes straight to the MPI.
[[nodiscard]] bool anybody_watches();
// Of each function, once that is settled.
extern constinit std::array<Watch, kFunctions> watches;

// The frame of the outermost call of this thread, null outside. An address and not a flag: who leaves a call by longjmp
// is outside again as soon as a call comes from further up the stack.
extern constinit thread_local const void* outermost_frame __attribute__((tls_model("initial-exec")));

inline bool is_inner_call(const void* frame) { return outermost_frame != nullptr && frame < outermost_frame; }

class Outermost {
 public:
  explicit Outermost(const void* frame) { outermost_frame = frame; }
  ~Outermost() { outermost_frame = nullptr; }
  Outermost(const Outermost&) = delete;
  Outermost& operator=(const Outermost&) = delete;
};

}  // namespace comity::interpose
