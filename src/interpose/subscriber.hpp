// SPDX-License-Identifier: BSD-3-Clause
// Subscriber: what a part does around calls to MPI. Subscriptions: who is on, decided once, at the first call of MPI.
#pragma once

#include <cstddef>
#include <span>

#include "interpose/event.hpp"

namespace comity::interpose {

// How much of a call a subscriber looks at: what nobody asks for is not computed.
enum class Depth : std::uint8_t { none, calls, traffic, times };  // each holds those before it

using Replacement = void (*)();  // of whatever type

// Called on the thread that calls MPI, also several threads at once; lives as long as the process. Calls of MPI from
// inside go past all subscribers but for replacement_inside().
class Subscriber {
 public:
  Subscriber() = default;
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;

  // Asked once for each function, at the first call of MPI.
  [[nodiscard]] virtual Depth depth(const Facts& facts) const noexcept = 0;
  // A function of the same type that is called instead of the MPI's own, which it finds in real.hpp; null: none. Where
  // several replace one, the first in order does.
  [[nodiscard]] virtual Replacement replacement(const Facts& facts) const noexcept {
    static_cast<void>(facts);
    return nullptr;
  }
  // The same of a function that has one, for its calls from inside a call that is shown: a callback's of the program, another tool's, the
  // MPI's own. Null: they go to the MPI.
  [[nodiscard]] virtual Replacement replacement_inside(const Facts& facts) const noexcept {
    static_cast<void>(facts);
    return nullptr;
  }
  // Whether before() is wanted too. Asked as depth() is.
  [[nodiscard]] virtual bool announces(const Facts& facts) const noexcept {
    static_cast<void>(facts);
    return false;
  }
  virtual void before(const Call& call) noexcept { static_cast<void>(call); }
  virtual void after(const Event& event) noexcept { static_cast<void>(event); }
  // Before the after() of the call that shows it; only where the function that made the request is looked at as closely as
  // traffic.
  virtual void moved(const Message& message) noexcept { static_cast<void>(message); }
  // What a collective call among neighbours moves between this rank and one of them, each share by itself: its sums are in the call's
  // event, or in the message of its request where that persists. Called where moved() is.
  virtual void shared(const Message& share) noexcept { static_cast<void>(share); }
  // Behind a call that has made or ended an object, and its after(); also inside calls that are shown.
  virtual void changed(const ObjectChange& change) noexcept { static_cast<void>(change); }

 protected:
  ~Subscriber() = default;
};

// Whom to ask, in this order before a call and in the opposite one after it.
using Subscribers = std::span<Subscriber* const>;

// Defined by who wires the library (src/preload, tests): called once, at the process's first call of MPI.
Subscribers subscribers();

}  // namespace comity::interpose
