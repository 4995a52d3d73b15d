// SPDX-License-Identifier: BSD-3-Clause
// GnuSpin: how often an idle thread of GNU's OpenMP looks for work before it sleeps. Its runtime makes two numbers for that of
// the environment, in its constructor, and has neither a call nor an exported name for them; but it reads them anew at each
// wait. They are found by their values among the runtime's own variables: where nobody has said how to wait the two stand near one
// another, and nowhere else; where it was told kTold that number stands there once. A runtime that was told anything else, or counts
// otherwise, is left alone.
//
// Source: libgomp's env.c (gomp_spin_count_var, gomp_throttled_spin_count_var) and config/linux/wait.h (do_spin).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.hpp"

namespace comity::os {

struct GnuSpinPlaces {
  std::size_t usual;
  std::optional<std::size_t>
      crowded;  // of the number for a process whose threads outnumber its CPUs; none: it is 0 or as small

  friend bool operator==(const GnuSpinPlaces&, const GnuSpinPlaces&) = default;
};

// Where the two stand among variables; none: they do not, or may in several places.
[[nodiscard]] std::optional<GnuSpinPlaces> places_of_gnu_spin(std::span<std::uint64_t> variables);

class GnuSpin {
 public:
  // A GOMP_SPINCOUNT that is found again: few looks, 5 to 12 us on x86, and a number that nothing else has.
  static constexpr std::uint64_t kTold = 251;

  // Of the runtime that has a function at that address. None also where its threads do not spin, or not any more.
  [[nodiscard]] static std::optional<GnuSpin> of_runtime_at(std::uintptr_t function);

  // From its next wait on each idle thread of the runtime sleeps at once; as GOMP_SPINCOUNT=0 does.
  void stop() const;
  // So often each looks before it sleeps, from its next wait on, where the process has a CPU for each of its threads.
  void look(std::uint64_t times) const;
  // How often it looks in that time, on this machine. Takes some microseconds.
  [[nodiscard]] static std::uint64_t looks_in(Nanoseconds time);

 private:
  GnuSpin(std::uint64_t* usual, std::uint64_t* crowded) : usual_(usual), crowded_(crowded) {}

  std::uint64_t* usual_;    // the runtime's, as is the other
  std::uint64_t* crowded_;  // null where nothing is to be set
};

}  // namespace comity::os
