// SPDX-License-Identifier: BSD-3-Clause
// Host: all that the checks see of a machine. Tests give one with a fake root folder and planted answers; this_host() is
// the real one. Invariant: a check asks nothing but its Host, so it is a function of it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"
#include "cli/common/screen.hpp"
#include "machine/image.hpp"
#include "os/process/command.hpp"

namespace comity::cli {

struct Space {
  std::uint64_t total_bytes = 0;
  std::uint64_t free_bytes = 0;
};

// Tries something; "" when it works, else why not.
using Probe = std::function<std::string()>;

struct Host {
  std::string root;  // before every path that is read; "" for the real machine
  Lookup variable;
  std::vector<std::string> variable_names;
  std::string program;                      // the one to look at, as it was named; "": none
  bool is_root = false;                     // the user
  CpuSet binding;                           // of this process
  std::function<machine::Image()> machine;  // throws Error
  std::string hwloc_version;                // "" where it cannot be told

  std::function<std::optional<Space>(const std::string& folder)> space;  // none: no such folder
  std::function<bool(const std::string& folder)> writable;
  std::function<os::CommandEnd(const std::vector<std::string>& words)> run;  // with a time limit

  Probe memory_file;
  Probe proc_descriptor;
  Probe unix_socket;
  Probe ofd_lock;
  Probe futex;

  // A file's text below the root, without trailing blanks and line ends; none: it cannot be read.
  [[nodiscard]] std::optional<std::string> read(const std::string& path) const;
  // Where a link below the root points, "pid:[4026531836]"; none: there is no such link.
  [[nodiscard]] std::optional<std::string> link(const std::string& path) const;
  [[nodiscard]] bool has(const std::string& path) const;
  // Whether a shell that looks along the PATH would run it: a regular file that somebody may execute.
  [[nodiscard]] bool has_program(const std::string& path) const;
};

[[nodiscard]] Host this_host();

// The words of a line, between blanks.
[[nodiscard]] std::vector<std::string> split(std::string_view text, std::string_view separators = " \t");

}  // namespace comity::cli
