// SPDX-License-Identifier: BSD-3-Clause
// ByCount: what runs had over their numbers of ranks, or of ranks a node; a block for each program and MPI. Runs of one program, MPI and count
// are repeats, and count as one. Source: the forms of tables 4.4, 4.5 and 5.3 to 5.5 of 003_468943038a8a97cc.txt. Not: a line a run (scaling),
// what differs between two of them by component (comparison).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "memory/job/scaling.hpp"

namespace comity::memory {

// [bytes] Of all repeats.
struct CountCell {
  double mean = 0;
  double deviation = 0;  // not a number: there is none, or nobody knows
};

struct CountLine {
  std::string key;   // in JSON and rows
  std::string name;  // for people
  bool is_difference = false;
  std::vector<std::optional<CountCell>> cells;  // a count each; none: no run, or it does not tell
};

struct CountBlock {
  std::string series;        // the folder that its runs stand in; "": the one that was named from
  std::string mpi_library;   // without what stands behind its first comma
  std::string delta_method;  // the older rule by which those of its runs were kept that were; "": by several, or none
  std::vector<double> counts;
  std::vector<CountLine> lines;  // those of which some run tells
  bool node_is_bound = false;    // what a node has of MPI's: of some run, of moments that are not the same
};

struct CountTable {
  std::string title;
  std::string count;  // what its counts are: "ranks", "ranks_a_node"
  std::vector<CountBlock> blocks;
};

// At the peak of a rank, by component; at the end, shared pages once, means alone.
[[nodiscard]] CountTable over_ranks(const std::vector<RunFigures>& runs);
// The same, less what a rank of the run of the same MPI and number of ranks has in `base`, whichever program that is of. Throws
// Status::not_found where there is none for any.
[[nodiscard]] CountTable over_ranks_against(const std::vector<RunFigures>& runs, const std::vector<RunFigures>& base,
                                            const std::string& base_name);
// MPI's memory with what it brings of a rank and of a node, all of a node at the end, and how much more of both a node has that is as full as the fullest one.
[[nodiscard]] CountTable over_ranks_a_node(const std::vector<RunFigures>& runs);

// "4", "2.5".
[[nodiscard]] std::string text_of_count(double count);

[[nodiscard]] std::string text_of(const CountTable& table);
[[nodiscard]] nlohmann::ordered_json json_of(const CountTable& table);
// A line for each figure and count.
[[nodiscard]] std::string rows_of(const CountTable& table);

}  // namespace comity::memory
