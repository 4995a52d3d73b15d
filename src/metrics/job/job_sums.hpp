// SPDX-License-Identifier: BSD-3-Clause
// JobSums: what ranks' snapshots add up to, taken one after the other, so that nobody needs to hold all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_set.hpp"
#include "metrics/job/flight_over_time.hpp"
#include "metrics/job/job.hpp"
#include "metrics/rank/use.hpp"
#include "record/format/content.hpp"

namespace comity::metrics {

enum class Messages : std::uint8_t { told, untold };  // untold: nobody asks who talked to whom

class JobSums {
 public:
  explicit JobSums(Messages messages = Messages::told) : messages_wanted_(messages) {}

  // The next one, in the order of the ranks; its samples are looked at where they were read. Throws Status::argument where it is
  // no snapshot.
  void add(const record::Content& rank);
  // Throws Status::argument where none was added.
  [[nodiscard]] Job job() const;

 private:
  struct OfNode {
    std::string host;
    int ranks = 0;
    int first_rank = 0;
    CpuSet cpus;              // of its ranks
    int used_processors = 0;  // at least so many, by the time that one of them used

    [[nodiscard]] int processors() const { return std::max({1, static_cast<int>(cpus.count()), used_processors}); }
  };
  struct OfRegion {
    std::vector<std::pair<std::size_t, Use>> uses;  // by place in ranks_, of those that were in it
    TeamFigures teams;
    std::int64_t visits = 0;
  };

  // A table of the last rank; null, and noted, where it has none. What is there but old or short is noted too.
  [[nodiscard]] const record::Table* table_of(const record::Content& rank, const char* name);
  // The same of a table that not every rank has: noted where it found no room.
  [[nodiscard]] const record::Table* table_if_any(const record::Content& rank, const char* name);
  // Each takes its part of the rank that is the last of ranks_.
  void add_node(const record::Content& rank);
  void add_regions(const record::Content& rank);
  void add_teams(const record::Content& rank);
  void add_team_places(const record::Content& rank);
  void add_functions(const record::Content& rank);
  void add_peers(const record::Content& rank);
  void add_flight(const record::Content& rank);
  void add_threads(const record::Content& rank, bool is_first);

  // What follows stands in job_figures.cpp.
  [[nodiscard]] RegionFigures figures_of(const std::string& path, const OfRegion& region,
                                         const std::vector<int>& processors) const;
  [[nodiscard]] std::vector<NodeFigures> figures_of_nodes(const std::vector<Use>& uses,
                                                          const std::vector<int>& processors) const;
  [[nodiscard]] std::vector<TeamPlaceFigures> figures_of_team_places() const;
  [[nodiscard]] std::vector<FunctionFigures> figures_of_functions() const;
  [[nodiscard]] std::vector<MessageFigures> figures_of_messages() const;

  Messages messages_wanted_;
  std::vector<int> counted_only_;
  double paused_s_ = 0;
  std::vector<RankFigures> ranks_;  // but for times, which are sums over regions
  std::vector<Use> whole_run_;      // the same, their uses of the run
  std::vector<OfNode> nodes_;
  std::map<std::string, OfRegion> regions_;
  std::map<std::string, TeamPlaceFigures> team_places_;
  std::map<std::pair<std::string, std::string>, FunctionFigures> functions_;  // by region and function
  std::map<std::pair<int, int>, MessageFigures> messages_;
  std::optional<FlightFigures> flight_;
  FlightOverTime flight_over_time_;
  ThreadFigures threads_;
  std::map<std::pair<std::string, Lack>, Untold> untold_;
  int level_needed_ = 0;
  OpenMp openmp_ = OpenMp::absent;
  bool waits_asleep_ = false;
};

// Of all ranks' snapshots, in the order of the ranks.
[[nodiscard]] Job job_of(const std::vector<record::Content>& ranks);

}  // namespace comity::metrics
