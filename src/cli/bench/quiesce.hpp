// SPDX-License-Identifier: BSD-3-Clause
// `comity bench quiesce`: what ranks that wait cost the one that computes, by the mechanism they wait in (Table II of the
// QUO paper). The reference is the same kernel without other ranks. Its program: bench/quiesce.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/bench/report.hpp"

namespace comity::cli::bench {

struct QuiesceOptions {
  std::vector<std::string> mpis;
  Nanoseconds time_limit;
  double kernel_seconds;  // of a sample
};

[[nodiscard]] std::vector<Comparison> quiesce_rows(const std::vector<std::string>& mpis);
// One line of the program's JSON.
[[nodiscard]] Measurement read_measurement(const std::string& json_line);

[[nodiscard]] Report quiesce(const QuiesceOptions& options);

}  // namespace comity::cli::bench
