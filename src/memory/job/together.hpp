// SPDX-License-Identifier: BSD-3-Clause
// Together: at which moment the ranks of a job, and those of each node, had most in all, who had it then, and what they had over the run.
// Sums of one moment, on the clock of rank 0, from the samples of a record: of a stretch of merged samples its most counts. Not: each
// rank's own most (job). A record is read twice: once for moments, once for what was there then, so that no more is kept of a rank
// than of a moment.
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
};

class Together {
 public:
  static constexpr std::size_t kMoments = 200;  // over the run

  Together() = default;  // nothing is known

  // First: each rank's total, and where it is. Nothing where it has no samples.
  void add_total(int rank, int node, const record::Content& content, const record::ClockMap& clock);
  // Then, once.
  void find_moments();
  // Then each rank again, for what was there at those moments.
  void add_components(int rank, const record::Content& content, const record::ClockMap& clock);

  [[nodiscard]] bool is_known() const { return job.has_value(); }
  [[nodiscard]] const TogetherMoment* of_node(int node) const;  // null: not known

  std::int64_t begin_ns = 0;  // of the first sample
  std::int64_t end_ns = 0;
  std::optional<TogetherMoment> job;
  std::map<int, TogetherMoment> nodes;
  // [bytes] By component, `total` too, at kMoments in equal steps: of each node, and of the job.
  using Lines = std::map<std::string, std::vector<std::int64_t>>;
  static constexpr int kJob = -1;
  std::map<int, Lines> over_time;

  [[nodiscard]] std::int64_t moment_ns(std::size_t moment) const;

 private:
  struct OfRank {
    int node = 0;
    Timeline total;  // until the moments are found
  };
  std::vector<OfRank> ranks_;
  std::map<int, std::size_t> place_of_rank_;
};

// "" where nothing is known.
[[nodiscard]] std::string text_of(const Together& together);
[[nodiscard]] nlohmann::ordered_json json_of(const TogetherMoment& moment, std::int64_t begin_ns);
[[nodiscard]] nlohmann::ordered_json json_of(const Together& together);  // null where nothing is known
// A line for each moment, node and component; those without a node are of the job.
[[nodiscard]] std::string series_rows_of(const Together& together);

}  // namespace comity::memory
