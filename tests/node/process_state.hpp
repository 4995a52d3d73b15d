// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says that a process does: whether it runs, sleeps or is stopped.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <iterator>
#include <string>

namespace comity::testing {

// The state letter that the kernel gives; 'X' where there is no such process.
inline char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos ? 'X' : text[name_end + 2];
}

}  // namespace comity::testing
