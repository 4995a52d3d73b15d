// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says that a process does: whether it runs, sleeps or is stopped.
#pragma once

#include <sys/types.h>

#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace comity::testing {

// The state letter that the kernel gives; 'X' where there is no such process. One that ends between open and read makes the
// read fail, which std::istream::read keeps to itself and an iterator over the same file throws.
inline char state_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::array<char, 1024> line{};  // a name of 64 bytes and some fifty numbers
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  const std::string_view text(line.data(), static_cast<std::size_t>(file.gcount()));
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string_view::npos || name_end + 2 >= text.size() ? 'X' : text[name_end + 2];
}

}  // namespace comity::testing
