// SPDX-License-Identifier: BSD-3-Clause
// Who started this process: its parents, as /proc tells of them.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace comity::os {

struct Ancestor {
  pid_t process = 0;
  std::vector<std::string> words;  // its command; empty where it may not be read
};

// The nearest first, up to the first process of this namespace. Empty where /proc is missing.
[[nodiscard]] std::vector<Ancestor> ancestors();

// The words of this process's own command, as they are now: a program may overwrite them.
[[nodiscard]] std::vector<std::string> own_words();

}  // namespace comity::os
