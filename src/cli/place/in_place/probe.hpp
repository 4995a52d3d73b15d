// SPDX-License-Identifier: BSD-3-Clause
// Probe: what `comity place --verify` starts in place of a program: each thread of the program's own OpenMP runtime tells
// where it is, in a line of text. Not: what that means (verdict.hpp). It calls no MPI: the launcher's variable tells its
// rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::cli {

inline constexpr std::string_view kProbeWord = "--probe-of-place";
inline constexpr std::string_view kNoRuntime = "none";

struct ProbedThread {
  std::uint32_t rank = 0;
  std::vector<std::string> host;  // its name, then its addresses
  std::uint32_t thread = 0;
  std::uint32_t threads = 1;         // of the rank
  std::optional<std::uint32_t> cpu;  // that it ran on when it looked
  CpuSet mask;                       // that it may run on
  std::vector<int> memory;  // NUMA nodes of pages that it has written, ascending; empty: the kernel does not tell

  friend bool operator==(const ProbedThread&, const ProbedThread&) = default;
};

// The words of a line of the probe with the check behind them that tells a whole one from a torn one.
[[nodiscard]] std::string checked_probe_line(std::string_view words);
[[nodiscard]] std::string probe_line(const ProbedThread& thread);
// Of all lines that are whole, whatever a launcher writes before and between them.
[[nodiscard]] std::vector<ProbedThread> read_probe_lines(std::string_view output);

// The words behind kProbeWord: the file name of the OpenMP runtime, or kNoRuntime.
int run_probe(std::span<const std::string> words);

}  // namespace comity::cli
