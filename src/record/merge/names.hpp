// SPDX-License-Identifier: BSD-3-Clause
// The names that writers and readers of a record share: files, and keys of facts. A key that is not here is fine too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace comity::record {

// --- files ---

inline constexpr const char* kRunFile = "run.comity";  // the merged record
inline constexpr std::string_view kSuffix = ".comity";

[[nodiscard]] std::string rank_file_name(std::uint32_t rank);  // "rank-000012.comity"
[[nodiscard]] std::string node_file_name(std::uint32_t node);  // "node-3.comity": says where its ranks' files grow
[[nodiscard]] std::string node_run_name(std::uint32_t node);   // "run-node-3.comity": its merged record, alone

[[nodiscard]] bool is_rank_file(std::string_view name);
[[nodiscard]] bool is_node_file(std::string_view name);
[[nodiscard]] bool is_node_run(std::string_view name);
[[nodiscard]] bool is_record_file(std::string_view name);  // any of them

// --- facts ---

inline constexpr const char* kIncompleteFact = "incomplete";  // what found no room

// Of the run. A rank's value that is not that of the others stands in its own facts alone.
inline constexpr const char* kProgramFact = "program";
inline constexpr const char* kArgumentsFact = "arguments";
inline constexpr const char* kProgramBuildFact = "program build id";
inline constexpr const char* kLauncherFact = "launcher";  // its line; "unknown: " and why, where nobody could tell
inline constexpr const char* kHostFact = "host";
inline constexpr const char* kNodeFact = "node";                // its number, by the lowest ranks
inline constexpr const char* kBindingFact = "binding";          // a CPU list
inline constexpr const char* kComityFact = "comity";            // version of what recorded
inline constexpr const char* kMpiFact = "mpi";                  // name and version
inline constexpr const char* kMpiLibraryFact = "mpi library";   // its file, of which a fact tells as of any library
inline constexpr const char* kEndFact = "end";                  // how it ended, in words
inline constexpr const char* kEnvironmentFact = "environment";  // how many variables found no room
// One a library, one an environment variable, one a setting: "library libhwloc.so.15", "environment OMP_NUM_THREADS", ...
inline constexpr std::string_view kLibraryFacts = "library ";
inline constexpr std::string_view kEnvironmentFacts = "environment ";
inline constexpr std::string_view kSettingFacts = "setting ";

// Rank 0's clock minus this rank's, as it was measured at a time on this rank's clock; [ns], decimal.
inline constexpr const char* kOffsetBeginFact = "clock_offset_begin_ns";
inline constexpr const char* kOffsetBeginAtFact = "clock_offset_begin_at_ns";
inline constexpr const char* kOffsetBeginErrorFact = "clock_offset_begin_error_ns";  // how far off it is at the most
inline constexpr const char* kOffsetEndFact = "clock_offset_end_ns";
inline constexpr const char* kOffsetEndAtFact = "clock_offset_end_at_ns";
inline constexpr const char* kOffsetEndErrorFact = "clock_offset_end_error_ns";

}  // namespace comity::record
