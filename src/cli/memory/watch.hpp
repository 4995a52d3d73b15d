// SPDX-License-Identifier: BSD-3-Clause
// Watching the memory of processes until they end, or somebody has seen enough.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace comity::cli {

struct MemoryWatch {
  std::vector<pid_t> processes;
  bool json = false;
  bool totals_alone = false;
  double interval_s = 1;
  std::optional<std::uint64_t> samples;  // none: until they end; elsewhere than on a terminal, and not as JSON, one
};

// Returns an ExitCode. Throws where a process is not there, or may not be looked at.
[[nodiscard]] int watch_memory(const MemoryWatch& request);

}  // namespace comity::cli
