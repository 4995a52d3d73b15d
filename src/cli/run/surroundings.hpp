// SPDX-License-Identifier: BSD-3-Clause
// All that a plan sees of the machine, so that it is a function of it: tests give a planted one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "cli/doctor/elf.hpp"
#include "cli/run/hand_over.hpp"
#include "os/process/command.hpp"

namespace comity::cli::launch {

struct Surroundings {
  Environment variable;
  std::function<os::CommandEnd(const std::vector<std::string>& words)> run;  // with a time limit
  std::function<bool(const std::string& path)> is_executable;                // a file that can be started
  std::function<bool(const std::string& path)> is_file;
  std::function<ElfFile(const std::string& path)> read_program;
  std::size_t cores = 1;                     // that this process may use, as Linux counts them
  std::vector<std::string> library_folders;  // where Comity's libraries may be, best first
};

[[nodiscard]] Surroundings this_machine();

// Where a program is, as a shell finds it; "" where it is not.
[[nodiscard]] std::string place_of(const Surroundings& here, const std::string& program);

}  // namespace comity::cli::launch
