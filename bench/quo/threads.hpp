// SPDX-License-Identifier: BSD-3-Clause
// The masks of all threads of this process, and the raw calls that would move them.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <vector>

namespace bench::quo {

struct ThreadMask {
  pid_t id;
  cpu_set_t mask;
};

// Threads that a push moved, with the masks from before and after.
struct Moved {
  pid_t id;
  cpu_set_t before;
  cpu_set_t after;
};

[[nodiscard]] std::vector<ThreadMask> masks_of_all_threads();
[[nodiscard]] std::vector<Moved> moved_threads(const std::vector<ThreadMask>& before,
                                               const std::vector<ThreadMask>& after);
// A sched_setaffinity a thread.
void move_there(const std::vector<Moved>& threads);
void move_back(const std::vector<Moved>& threads);
void move_there_and_back(const std::vector<Moved>& threads);  // all there, then all back

}  // namespace bench::quo
