// SPDX-License-Identifier: BSD-3-Clause
// How late a rank was told of a death, on a machine that others may crowd: from the moment at which somebody confirmed the
// death, and without the time that this process waited for a core.
//
//   const ToldInTime told;  ... is told of the death ...  EXPECT_LT(told.after_ns(died_ns), kTellWithin_ns);
#pragma once

#include <dirent.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

namespace comity::testing {

inline constexpr std::int64_t kTellWithin_ns = 1'000'000'000;

// What the threads of this process have waited for a core; 0 where the kernel does not count it.
inline std::int64_t waited_for_cores_ns() {
  std::int64_t sum_ns = 0;
  DIR* const threads = ::opendir("/proc/self/task");
  while (const dirent* const thread = threads == nullptr ? nullptr : ::readdir(threads)) {
    if (thread->d_name[0] == '.') continue;
    std::ifstream file("/proc/self/task/" + std::string(thread->d_name) + "/schedstat");
    std::int64_t ran_ns = 0;
    std::int64_t waited_ns = 0;
    if (file >> ran_ns >> waited_ns) sum_ns += waited_ns;
  }
  if (threads != nullptr) ::closedir(threads);
  return sum_ns;
}

class ToldInTime {
 public:
  // Now, for who has just been told. `died_ns`: by the clock of all, when the death was confirmed; 0: it is not yet.
  [[nodiscard]] std::int64_t after_ns(std::int64_t died_ns) const {
    const std::int64_t told_ns = clock_ns();
    if (died_ns == 0) return 0;
    return told_ns - died_ns - std::max<std::int64_t>(0, waited_for_cores_ns() - waited_ns_);
  }

  // base/clock.hpp's, which programs that see no more than the public interface do not have.
  [[nodiscard]] static std::int64_t clock_ns() {
    const auto since_boot = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(since_boot).count();
  }

 private:
  std::int64_t waited_ns_ = waited_for_cores_ns();
};

}  // namespace comity::testing
