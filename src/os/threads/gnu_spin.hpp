// SPDX-License-Identifier: BSD-3-Clause
// GnuSpin: how often an idle thread of GNU's OpenMP looks for work before it sleeps. Its runtime makes two numbers for that of
// the environment, in its constructor, and has neither a call nor an exported name for them; but it reads them anew at each
// wait. They are found by their values, which are there where nobody has said how to wait: side by side in the runtime's own
// variables, and in one place alone. A runtime that was told, or counts otherwise, has no such place and is left alone.
//
// Source: libgomp's env.c (gomp_spin_count_var, gomp_throttled_spin_count_var) and config/linux/wait.h (do_spin).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace comity::os {

// Where, among a runtime's variables, the two stand; none: nowhere, or in several places.
[[nodiscard]] std::optional<std::size_t> place_of_gnu_spin(std::span<std::uint64_t> variables);

class GnuSpin {
 public:
  // Of the runtime that has a function at that address. None also where its threads do not spin, or not any more.
  [[nodiscard]] static std::optional<GnuSpin> of_runtime_at(std::uintptr_t function);

  // From its next wait on each idle thread of the runtime sleeps at once; as GOMP_SPINCOUNT=0 does.
  void stop() const;

 private:
  explicit GnuSpin(std::uint64_t* counts) : counts_(counts) {}

  std::uint64_t* counts_;  // both; the runtime's
};

}  // namespace comity::os
