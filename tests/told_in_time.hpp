// SPDX-License-Identifier: BSD-3-Clause
// How late a rank was told of a death, on a machine that others may crowd: from the moment at which somebody confirmed the
// death, and without the time that the thread which is told waited for a core.
//
//   const ToldInTime told;  ... is told of the death ...  EXPECT_LT(told.after_ns(died_ns), kTellWithin_ns);
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>

namespace comity::testing {

inline constexpr std::int64_t kTellWithin_ns = 1'000'000'000;

// What this thread has waited for a core; 0 where the kernel does not count it.
inline std::int64_t waited_for_a_core_ns() {
  std::ifstream file("/proc/thread-self/schedstat");
  std::int64_t ran_ns = 0;
  std::int64_t waited_ns = 0;
  return file >> ran_ns >> waited_ns ? waited_ns : 0;
}

// Of the thread that makes it and asks it.
class ToldInTime {
 public:
  // Now, for who has just been told. `died_ns`: by the clock of all, when the death was confirmed; 0: it is not yet.
  [[nodiscard]] std::int64_t after_ns(std::int64_t died_ns) const {
    const std::int64_t told_ns = clock_ns();
    if (died_ns == 0) return 0;
    return told_ns - died_ns - std::max<std::int64_t>(0, waited_for_a_core_ns() - waited_ns_);
  }

  // base/clock.hpp's, which programs that see no more than the public interface do not have.
  [[nodiscard]] static std::int64_t clock_ns() {
    const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot).count();
  }

 private:
  std::int64_t waited_ns_ = waited_for_a_core_ns();
};

}  // namespace comity::testing
