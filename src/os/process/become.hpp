// SPDX-License-Identifier: BSD-3-Clause
// This process becomes another program: its number, terminal, group and parent stay, so signals, Ctrl-C and the exit code
// are the program's by construction. Not: a program run for its answer (command).
#pragma once

#include <string>
#include <vector>

namespace comity::os {

struct Variable {
  std::string name;
  std::string value;
};

// `words[0]` is looked up on the PATH; the environment stays, but for `variables`. Returns only by an Error: it could not be
// started.
[[noreturn]] void become(const std::vector<std::string>& words, const std::vector<Variable>& variables);

}  // namespace comity::os
