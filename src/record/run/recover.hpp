// SPDX-License-Identifier: BSD-3-Clause
// What a killed job left becomes the same file that a whole one makes: ranks' files where the nodes' notes say, or copied
// into the user's folder, and files of single nodes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace comity::record {

struct Recovery {
  std::string file;                 // the record, in the folder
  std::uint32_t ranks = 0;          // that it holds
  std::uint32_t missing_ranks = 0;  // of the job
  bool was_there = false;           // it was merged before; only what it made needless was removed
  std::vector<std::string> notes;   // what cannot be read or reached, and why
};

// Makes run.comity in `folder` of all that can be reached from this host, and then removes what went into it. Files of single
// nodes that were put beside a run.comity are merged into it. Throws
// Status::not_found where there is nothing, Status::order while the job still runs, and what writing throws: then all stays.
// What is damaged beyond reading, or of another record, stays and is noted.
[[nodiscard]] Recovery recover(const std::string& folder);

}  // namespace comity::record
