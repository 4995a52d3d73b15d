// SPDX-License-Identifier: BSD-3-Clause
// Together: at which moment the ranks of a job, and those of each node, had most in all, who had it then, and what they had over the run.
// Sums of one moment, on the clock of rank 0, from the samples of a record: of a stretch of merged samples its most counts. Not: each
// rank's own most (job).
// Sums are of what each rank had at that moment, so its lines are asked once more when the moments are found: they are kept where they
// have room. Of ranks whose lines have none the record is read again. What is kept is bounded, but for eight stretches of each rank and a
// line of kMoments for each node and component. The fewer stretches are kept, the further the most that is found may be below the true one;
// it is never below what the lines over the run have, and that of the job never below that of a node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "memory/job/timelines.hpp"

namespace comity::memory {

struct TogetherMoment {
  std::int64_t time_ns = 0;
  std::int64_t total = 0;  // [bytes] resident; each rank counts what it shares
  std::int64_t ranks = 0;  // that were there
  std::map<std::string, std::int64_t>
      components;  // of them; pages beside blocks and mappings as of the last look at all pages
  friend bool operator==(const TogetherMoment&, const TogetherMoment&) = default;
};

// [stretches] Of all ranks, while moments are not yet found.
struct TogetherRoom {
  std::size_t lines = std::size_t{3} << 20U;   // that are asked again, 72 MiB; more: a larger record is read once
  std::size_t totals = std::size_t{1} << 20U;  // where moments are sought, 24 MiB; more: finer in jobs of many ranks
};

class Together {
 public:
  static constexpr std::size_t kMoments = 200;  // over the run

  Together() = default;  // nothing is known
  explicit Together(const TogetherRoom& room) : room_(room) {}

  // First each rank, once; `node`: negative where it is not told.
  void add(RankTimelines rank, int node);
  [[nodiscard]] std::size_t kept_stretches() const { return kept_lines_ + kept_totals_; }
  // Then, once.
  void find_moments();
  // Then those ranks again whose lines had no room.
  [[nodiscard]] bool lacks(int rank) const { return lacking_.contains(rank); }
  void add_again(const RankTimelines& rank);

  [[nodiscard]] bool is_known() const { return job.has_value(); }
  [[nodiscard]] const TogetherMoment* of_node(int node) const;  // null: not known

  std::int64_t begin_ns = 0;  // of the first sample
  std::int64_t end_ns = 0;
  std::optional<TogetherMoment> job;
  std::map<int, TogetherMoment> nodes;
  // [bytes] By component, `total` and `virtual` too, at kMoments in equal steps: of each node, and of the job.
  using Lines = std::map<std::string, std::vector<std::int64_t>>;
  static constexpr int kJob = -1;
  std::map<int, Lines> over_time;

  [[nodiscard]] std::int64_t moment_ns(std::size_t moment) const;

 private:
  struct OfRank {
    int rank = 0;
    int node = 0;
    Timeline total;                      // of each of some steps the highest stretch
    std::optional<RankTimelines> lines;  // none: they had no room
  };
  static constexpr std::size_t kMostOfTotal = 2000;  // stretches of a rank, if they have room
  static constexpr std::size_t kLeastOfTotal = 8;    // else; of however many ranks

  void make_room_for_totals();
  void add_lines(const RankTimelines& rank, int node);
  void raise_to_lines();  // when all are added
  void raise_to_nodes();

  TogetherRoom room_;
  std::size_t kept_lines_ = 0;
  std::size_t kept_totals_ = 0;
  std::size_t most_of_total_ = kMostOfTotal;
  std::vector<OfRank> ranks_;           // until the moments are found
  std::map<int, int> lacking_;          // then, by rank: the nodes of those that are to be added again
  std::vector<TogetherMoment> others_;  // of the job, when nodes with much had most; until all are added
  // How many were there, as over_time; until all are added.
  std::map<int, std::vector<std::int64_t>> ranks_over_time_;
};

// "" where nothing is known.
[[nodiscard]] std::string text_of(const Together& together);
[[nodiscard]] nlohmann::ordered_json json_of(const TogetherMoment& moment, std::int64_t begin_ns);
[[nodiscard]] nlohmann::ordered_json json_of(const Together& together);  // null where nothing is known
// A line for each moment, node and component; those without a node are of the job.
[[nodiscard]] std::string series_rows_of(const Together& together);

}  // namespace comity::memory
