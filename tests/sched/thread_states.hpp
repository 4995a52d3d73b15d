// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says that the threads of this process do: S sleeps, R runs or would where it has a core.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace comity::testing {

// '?': it has ended meanwhile.
inline char state_of(const std::string& thread) {
  std::ifstream file("/proc/self/task/" + thread + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= line.size() ? '?' : line[name_end + 2];
}

// By the thread's number.
inline std::map<std::string, char> thread_states() {
  std::map<std::string, char> states;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string thread = entry.path().filename();
    states[thread] = state_of(thread);
  }
  return states;
}

// One that has told so may still be on its way.
inline bool others_sleep() {
  const auto states = thread_states();
  const std::string here = std::to_string(::gettid());
  return std::all_of(states.begin(), states.end(),
                     [&here](const auto& one) { return one.first == here || one.second == 'S'; });
}

inline int threads_that_run() {
  const auto states = thread_states();
  return static_cast<int>(
      std::count_if(states.begin(), states.end(), [](const auto& one) { return one.second == 'R'; }));
}

}  // namespace comity::testing
