// SPDX-License-Identifier: BSD-3-Clause
// The program and the shared libraries that this process has loaded, as their linkers have stamped them.
#pragma once

#include <string>
#include <vector>

namespace comity::os {

struct LoadedFile {
  std::string path;      // of the program "/proc/self/exe"'s; "" where the kernel does not tell
  std::string build_id;  // hexadecimal; "": the file was linked without one
};

// The program first, then libraries in the order in which they were loaded.
[[nodiscard]] std::vector<LoadedFile> loaded_files();

}  // namespace comity::os
