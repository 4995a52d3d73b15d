// SPDX-License-Identifier: BSD-3-Clause
#include "quo/threads.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>

namespace bench::quo {

std::vector<ThreadMask> masks_of_all_threads() {
  std::vector<ThreadMask> masks;
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return masks;
  while (const dirent* const entry = readdir(tasks)) {
    ThreadMask thread{std::atoi(entry->d_name), {}};
    if (thread.id > 0 && sched_getaffinity(thread.id, sizeof(thread.mask), &thread.mask) == 0) masks.push_back(thread);
  }
  closedir(tasks);
  return masks;
}

std::vector<Moved> moved_threads(const std::vector<ThreadMask>& before, const std::vector<ThreadMask>& after) {
  std::vector<Moved> moved;
  for (const ThreadMask& thread : after) {
    const auto same =
        std::find_if(before.begin(), before.end(), [&](const ThreadMask& other) { return other.id == thread.id; });
    if (same == before.end() || CPU_EQUAL(&same->mask, &thread.mask)) continue;
    moved.push_back({thread.id, same->mask, thread.mask});
  }
  return moved;
}

void move_there(const std::vector<Moved>& threads) {
  for (const Moved& thread : threads) (void)sched_setaffinity(thread.id, sizeof(thread.after), &thread.after);
}

void move_back(const std::vector<Moved>& threads) {
  for (const Moved& thread : threads) (void)sched_setaffinity(thread.id, sizeof(thread.before), &thread.before);
}

void move_there_and_back(const std::vector<Moved>& threads) {
  move_there(threads);
  move_back(threads);
}

}  // namespace bench::quo
