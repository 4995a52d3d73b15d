// SPDX-License-Identifier: BSD-3-Clause
// A file of memnesia, the tool of the dissertation, as a job: so its runs stand beside ours. Its rule is that of delta-pss, and it knows no
// owners. Not: how it is told (older_page), nor files of its other tools (mpimemu). Source: 003_468943038a8a97cc.txt section 4.3, and the files themselves.
#pragma once

#include <string>
#include <string_view>

#include "memory/job/job.hpp"
#include "memory/job/timelines.hpp"

namespace comity::memory {

// Whether a text begins as its files do.
[[nodiscard]] bool is_of_older_tool(std::string_view text);

// What each rank had at the most, MPI's and in all. Throws Status::argument, which names the line that makes no sense.
[[nodiscard]] Job job_of_older_tool(std::string_view text);

// All that it tells: also what MPI's changed by in each function, and what ranks had over time, in shares.
struct OlderRun {
  Job job;
  std::string program;
  Timelines timelines;  // times since each rank's own MPI_Init: its clocks are not aligned
};
[[nodiscard]] OlderRun run_of_older_tool(std::string_view text);

}  // namespace comity::memory
