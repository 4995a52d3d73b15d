// SPDX-License-Identifier: BSD-3-Clause
// Job: what the books of all ranks say together, for people and for programs. Not: where they come from (record, or the
// ranks themselves).
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "memory/job/peak_figures.hpp"
#include "memory/job/together.hpp"
#include "memory/nearness.hpp"
#include "record/format/content.hpp"

namespace comity::memory {

// In bytes.
struct ComponentFigures {
  std::int64_t peak = 0;
  std::int64_t last = 0;
  std::int64_t start = 0;
  std::int64_t asked_peak = 0;
  std::int64_t held = 0;
  std::int64_t untouched =
      0;  // the most of its small blocks that was known not to be resident, and counts in none of the others but asked_peak and held

  void add(const ComponentFigures& more);
  friend bool operator==(const ComponentFigures&, const ComponentFigures&) = default;
};

struct TotalFigures {
  std::string moment;
  std::map<std::string, std::int64_t> bytes;  // by the table's columns

  [[nodiscard]] std::int64_t of(const std::string& column) const;  // 0 where a record does not have it
  [[nodiscard]] bool tells(std::string_view column) const;         // whether it was read then; of a rank's
  friend bool operator==(const TotalFigures&, const TotalFigures&) = default;
};

// Of a component at a moment at which all pages were looked at.
struct UseFigures {
  std::string moment;
  std::string component;
  std::vector<std::int64_t> bytes;    // in the order of kUseColumns; 0 where a record does not have it
  std::map<int, std::int64_t> nodes;  // [bytes] that lie on NUMA nodes; empty where they are not told
  friend bool operator==(const UseFigures&, const UseFigures&) = default;
};

// A NUMA node of a rank's machine, at the last look at all pages.
struct NumaFigures {
  int node = 0;
  std::string cpus;          // of the node; "": it has none
  std::int64_t threads = 0;  // of the rank, that may run there

  [[nodiscard]] bool is_near() const { return threads > 0; }
  [[nodiscard]] bool is_far() const { return threads <= 0 && !cpus.empty(); }
  friend bool operator==(const NumaFigures&, const NumaFigures&) = default;
};

// Of a segment that processes may share, at the last look at all pages.
struct SegmentFigures {
  std::string name;
  std::string maker;  // a component; kNobody: nobody knows
  std::int64_t device = 0;
  std::int64_t inode = 0;
  std::int64_t mapped = 0;
  std::int64_t rss = 0;
  std::int64_t pss = 0;
  friend bool operator==(const SegmentFigures&, const SegmentFigures&) = default;

  static constexpr const char* kNobody = "shared";
};

// By the rule that what changes during a call of MPI is MPI's.
// What the rule gave in a sample, or in a stretch of time for which a record has merged some.
struct DeltaStretch {
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
  std::int64_t least = 0;  // [bytes]
  std::int64_t most = 0;
  std::int64_t total_most = 0;  // that there was
  bool is_impossible = false;   // a sample of it at the least
  friend bool operator==(const DeltaStretch&, const DeltaStretch&) = default;
};

struct DeltaFigures {
  struct Calls {
    std::int64_t calls = 0;
    std::int64_t grown = 0;
    std::int64_t shrunk = 0;
    std::int64_t impossible = 0;
    friend bool operator==(const Calls&, const Calls&) = default;
  };
  std::string method;
  std::int64_t peak = 0;
  std::int64_t last = 0;
  std::int64_t samples = 0;
  std::int64_t impossible = 0;  // in which MPI would have more than there is, or less than nothing
  std::int64_t cost_ns = 0;
  std::int64_t elapsed_ns = 0;  // since the first read
  std::map<std::string, Calls> by_function;
  std::vector<DeltaStretch> over_time;  // by time; nothing without a record

  // How many times longer the run took than it would have without the reads; 1 where nobody can tell.
  [[nodiscard]] double slow_down() const;
  friend bool operator==(const DeltaFigures&, const DeltaFigures&) = default;
};

// What a component, or all, grew by behind a function and in a region.
struct GrowthFigures {
  std::string function;
  std::string region;
  std::string component;  // kTotalName: all that is resident
  std::int64_t grown = 0;
  std::int64_t shrunk = 0;
  std::int64_t times = 0;    // that it grew
  std::int64_t largest = 0;  // of these
  friend bool operator==(const GrowthFigures&, const GrowthFigures&) = default;
};

// What a rank had where a visit of a region began or ended.
struct BorderFigures {
  std::string region;
  std::string border;  // kBeginBorder, kEndBorder, kAskedBorder
  std::int64_t visit = 0;
  std::int64_t time_ns = 0;  // on its rank's clock
  std::int64_t rss = 0;
  std::int64_t pss = 0;
  std::int64_t uss = 0;
  std::vector<std::int64_t> components;  // in the order of border_components of the rank
  friend bool operator==(const BorderFigures&, const BorderFigures&) = default;
};

// The same of all visits of a region that were looked at.
struct RegionMemory {
  std::string region;
  std::int64_t visits = 0;
  std::int64_t looked_at = 0;
  std::int64_t first_pss = 0;
  std::int64_t most_pss = 0;
  std::int64_t last_rss = 0;
  std::int64_t last_pss = 0;
  std::int64_t last_uss = 0;
  std::int64_t changed_pss = 0;  // from the begin of each to its end, in all
  std::int64_t changed_mpi = 0;
  std::int64_t changed_application = 0;
  friend bool operator==(const RegionMemory&, const RegionMemory&) = default;
};

// What a place of code had asked for and not given back when its rank was last asked.
struct HeldFigures {
  std::string component;
  std::string place;
  std::int64_t bytes = 0;
  std::int64_t blocks = 0;
  friend bool operator==(const HeldFigures&, const HeldFigures&) = default;
};

// What a call path had asked for, and how much of it was there.
struct PathFigures {
  std::string component;
  std::string path;  // the innermost function first, with kCallerMark between
  std::int64_t most = 0;
  std::int64_t last = 0;   // when its rank last told
  std::int64_t asked = 0;  // in all
  std::int64_t times = 0;
  friend bool operator==(const PathFigures&, const PathFigures&) = default;
};

// What was touched first by a component, of what another owns or itself.
struct TouchFigures {
  std::string function;
  std::string owner;
  std::string toucher;
  std::int64_t bytes = 0;
  std::int64_t faults = 0;
  friend bool operator==(const TouchFigures&, const TouchFigures&) = default;
};

// What the MPI of a rank said of its own memory at a moment.
struct VariableFigures {
  std::string moment;
  std::string variable;
  std::string description;
  std::int64_t value = 0;
  friend bool operator==(const VariableFigures&, const VariableFigures&) = default;
};

struct RankMemory {
  int rank = 0;
  int node = -1;  // its number; -1: not told
  std::string host;
  bool knows_owners = false;
  bool follows_requests = true;
  std::int64_t off_ns = 0;                 // how long nothing was recorded
  std::optional<std::int64_t> cut_off_ns;  // of a rank that told no end: its last sample
  std::map<std::string, ComponentFigures> components;
  std::vector<TotalFigures> totals;       // in the order of their moments
  std::vector<TotalFigures> node_totals;  // the same, of all memory of its node
  std::vector<UseFigures> uses;           // the same, of components
  std::vector<SegmentFigures> segments;   // most first
  std::int64_t peak_rss_bytes = 0;        // as the kernel has it, or exact counts, where its own is off
  QuickCountFigures quick_count;
  std::int64_t most_seen_bytes = 0;          // at a look; where the kernel's is more than that, it was between two
  std::optional<std::int64_t> peak_untold;   // of that, what no component was known to have; none: not told
  std::map<std::string, PeakFigures> peaks;  // by component; kTotalName: all that is resident
  std::optional<RiseFigures> rise;           // of what the kernel has as the most
  std::int64_t start_ns = 0;                 // when MPI_Init had ended, on the same clock; 0: not told
  std::int64_t samples = 0;                  // at which MPI's memory was compared with all
  std::int64_t mpi_above_total = 0;          // of them, where it was more: an error
  std::int64_t sum_above_total = 0;          // of them, where all components together had more
  std::int64_t undecided = 0;                // of them, where nobody knows: all mappings were not asked
  std::int64_t unplaced_mappings = 0;        // for which the hooks had no place: they are nobody's
  std::int64_t unplaced_bytes = 0;           // of them, over the run
  std::vector<std::string> in_short;         // what its record had no room for but in short
  Nearness nearness;                         // nothing where there is one NUMA node
  std::vector<NumaFigures> numa;             // by number; the same
  std::string cpus;                          // that its threads may use; "" where there is one NUMA node
  std::optional<DeltaFigures> delta;         // where it was asked for
  std::vector<GrowthFigures> growth;         // most first
  std::vector<RegionMemory> regions;         // those that changed most first
  std::vector<BorderFigures> borders;        // by time of their visits
  std::vector<std::string> border_components;
  std::vector<HeldFigures> held;      // most first
  std::int64_t held_ns = 0;           // when that was read, on its rank's clock; 0: not told
  std::vector<PathFigures> paths;     // most first; empty where they are not told
  std::vector<TouchFigures> touches;  // the same
  bool tells_touches_of_system_calls = true;
  std::optional<std::vector<VariableFigures>> variables;  // none: nobody asked

  [[nodiscard]] ComponentFigures of(const std::string& component) const;
  [[nodiscard]] PeakFigures peak(const std::string& component) const;
  // The same of a peak that a look saw, to a hundredth; else nothing: what the highest look has is not of the peak's moment.
  [[nodiscard]] PeakFigures seen_peak(const std::string& component) const;
  // Of all that is resident, where no look saw the peak and it is known between which two, or behind which one (before_ns: 0), it lies.
  [[nodiscard]] std::optional<RiseFigures> unseen_peak() const;
  [[nodiscard]] std::optional<double> after_init_s(std::int64_t time_ns) const;  // none where it is not known
  // MPI and what it brings. Peaks are each of a moment of its own: they come to the most that there can have been.
  [[nodiscard]] ComponentFigures with_mpi() const;
  [[nodiscard]] std::int64_t last_rss_bytes() const;  // 0 where nobody looked
  friend bool operator==(const RankMemory&, const RankMemory&) = default;
};

// Objects of MPI that one place in the program has made, over all ranks.
struct ObjectPlace {
  std::string kind;
  std::string function;  // of MPI that made them; "": what no table had room for
  std::string where;     // in the program, the innermost function first, with kCallerMark between
  friend bool operator==(const ObjectPlace&, const ObjectPlace&) = default;
  friend bool operator<(const ObjectPlace& a, const ObjectPlace& b) {
    return std::tie(a.kind, a.function, a.where) < std::tie(b.kind, b.function, b.where);
  }
};
struct ObjectFigures {
  std::int64_t live = 0;  // when it was last told: at MPI_Finalize, if the rank came so far
  std::int64_t made = 0;
  std::int64_t ranks = 0;  // on which some are live
  friend bool operator==(const ObjectFigures&, const ObjectFigures&) = default;
};

// Whether a component of that name is MPI, or what it brings.
[[nodiscard]] bool is_of_mpi(const std::string& component);

struct Job {
  std::vector<RankMemory> ranks;  // that told
  std::map<ObjectPlace, ObjectFigures> objects = {};

  // Whether at some sample of a rank components had more than there was, which cannot be.
  [[nodiscard]] bool has_impossible_samples() const;
  // The next one; nothing where it has no book. Throws where its tables are none of these, and changes nothing.
  void add(int rank, const record::Content& content);
  friend bool operator==(const Job&, const Job&) = default;
};

// All that is for people: what a user wants first, figures of all ranks, then the tables of places.
[[nodiscard]] std::string page_of(const Job& job, const Together& together = {});
// Its first part.
[[nodiscard]] std::string text_of(const Job& job);
// One object; docs/memory.md lists its keys.
[[nodiscard]] nlohmann::ordered_json json_of(const Job& job, const Together& together = {});
// Which rank had most of each component, which least, where and when, with mean and standard deviation, in text what is much of all; and what all that
// is resident was before the run.
[[nodiscard]] std::string statistics_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json statistics_json_of(const Job& job);
[[nodiscard]] std::string statistics_rows_of(const Job& job);
[[nodiscard]] std::string baselines_text_of(const Job& job);
// A line for each rank and component.
[[nodiscard]] std::string rows_of(const Job& job);
// What components had when all pages were looked at: of all ranks the last time, of a rank each time, and a line for each of those.
[[nodiscard]] std::string moments_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json moments_json_of(const RankMemory& rank);
[[nodiscard]] std::string moment_rows_of(const Job& job);
// On which NUMA nodes components lay at the last look at all pages, and where threads were near: of all ranks, "" where each has one node; of a
// rank each node; and a line for each component there.
[[nodiscard]] std::string numa_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json numa_json_of(const RankMemory& rank);
[[nodiscard]] std::string numa_rows_of(const Job& job);
// What ranks of a node share, by segment: most first, "" where there is nothing; all of them; a line for each.
[[nodiscard]] std::string segments_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json segments_json_of(const Job& job);
[[nodiscard]] std::string segment_rows_of(const Job& job);
// Behind which functions and in which regions ranks grew most, and a line for each of those of a rank.
[[nodiscard]] std::string growth_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json growth_json_of(const RankMemory& rank);
[[nodiscard]] std::string growth_rows_of(const Job& job);
// What ranks had at borders of regions: by region, of the rank that changed most in it, "" where nobody looked; of a rank each region, and each
// look; a line for each region of a rank, and for each look.
[[nodiscard]] std::string regions_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json regions_json_of(const RankMemory& rank);
[[nodiscard]] nlohmann::ordered_json borders_json_of(const RankMemory& rank);
[[nodiscard]] std::string region_rows_of(const Job& job);
[[nodiscard]] std::string border_rows_of(const Job& job);
// What components and places of code held when ranks were last asked, alike.
[[nodiscard]] std::string held_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json held_json_of(const RankMemory& rank);
[[nodiscard]] std::string held_rows_of(const Job& job);
// Which call paths had asked for memory, alike.
[[nodiscard]] std::string paths_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json paths_json_of(const RankMemory& rank);
[[nodiscard]] std::string path_rows_of(const Job& job);
// Who has touched memory first, alike.
[[nodiscard]] std::string touches_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json touches_json_of(const RankMemory& rank);
[[nodiscard]] std::string touch_rows_of(const Job& job);

// What the MPI says of its own memory, alike; the text is of the last moment of each rank, "" where nobody asked.
[[nodiscard]] std::string variables_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json variables_json_of(const RankMemory& rank);
[[nodiscard]] std::string variable_rows_of(const Job& job);

// What the rule of older tools gave over time: of a rank the first sample that cannot be, "" where there is none; those that cannot be; a line for
// each that its record keeps.
[[nodiscard]] std::string first_impossible_text_of(const RankMemory& rank);
[[nodiscard]] nlohmann::ordered_json impossible_json_of(const RankMemory& rank);
[[nodiscard]] std::string delta_rows_of(const Job& job);

// Of objects of MPI alone: what is left of them, most first, "" where nothing is; all of them; a line for each place.
[[nodiscard]] std::string objects_text_of(const Job& job);
[[nodiscard]] nlohmann::ordered_json objects_json_of(const Job& job);
[[nodiscard]] std::string object_rows_of(const Job& job);

}  // namespace comity::memory
