// SPDX-License-Identifier: BSD-3-Clause
// Reading: a record read once, rank by rank, for what one answer needs; no more than one rank's body is in memory. Of what ranks had over
// time what has no room is read once more.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "memory/job/job.hpp"
#include "memory/job/timelines.hpp"
#include "memory/job/together.hpp"
#include "metrics/job/job.hpp"
#include "record/run/run_reader.hpp"

namespace comity::cli {

// messages: who talked to whom, which others do not ask; flight: what was in flight over time; json: all.
enum class Answer : std::uint8_t { text, messages, flight, json };

// What of the memory of ranks over time: nothing, what they had together, or that and the lines of each.
enum class OverTime : std::uint8_t { untold, together, each };

// Of a rank whose part of the file was changed after it was written.
struct Damage {
  std::uint32_t rank = 0;
  std::uint64_t bytes = 0;       // of its part
  std::uint64_t lost_bytes = 0;  // of these, that cannot be read
};

class Reading {
 public:
  // A folder without a merged record has one that a killed job left, which is put together first, or none. Throws
  // Status::not_found where there is none, or one without ranks, and Status::argument where neither metrics nor memory of any are told. Of damaged ranks all that can be read is, and of a file without an
  // index the ranks that are found; lines on standard error tell of them.
  Reading(const std::string& folder, Answer answer, OverTime over_time = OverTime::untold,
          const memory::TogetherRoom& room = {});

  // Whether any rank's metrics can be read: where none can, whose its memory was may be known still.
  [[nodiscard]] bool has_metrics() const { return job_.has_value(); }
  [[nodiscard]] const metrics::Job& job() const;                       // throws Status::argument where there are none
  [[nodiscard]] const memory::Job& memory() const { return memory_; }  // without ranks where nobody asked for it
  [[nodiscard]] const memory::Together& together() const { return together_; }     // nothing where nobody asked for it
  [[nodiscard]] const memory::Timelines& timelines() const { return timelines_; }  // without ranks where nobody did
  [[nodiscard]] const std::vector<Damage>& damaged() const { return damaged_; }
  // Whether nothing that the record held is missing.
  [[nodiscard]] bool is_whole() const { return damaged_.empty() && run_.index_damage().empty(); }
  // The same, and no figure of it cannot be: lines on standard error told of both.
  [[nodiscard]] bool is_sound() const { return is_whole() && !memory_.has_impossible_samples(); }
  // What ran, where, and what is missing.
  [[nodiscard]] std::string head() const;
  [[nodiscard]] const std::string& fact(const std::string& key) const;  // of the first rank; "unknown"
  // The same as an object; after Answer::json.
  [[nodiscard]] nlohmann::ordered_json json() const;

 private:
  using Facts = std::map<std::string, std::string>;

  void add_over_time(const record::RankEntry& entry, const record::Content& rank, OverTime over_time);
  void read_again_what_lacks();
  [[noreturn]] void refuse_without_metrics() const;
  [[nodiscard]] std::string clocks_line() const;
  [[nodiscard]] std::string builds_line() const;
  [[nodiscard]] std::string unmeasured_line() const;
  [[nodiscard]] std::string damaged_lines() const;
  [[nodiscard]] std::string ends_lines() const;
  [[nodiscard]] bool is_damaged(std::uint32_t rank) const;

  std::string folder_;
  record::RunReader run_;
  Facts facts_;                                          // of the first rank
  std::vector<std::pair<std::uint32_t, Facts>> others_;  // by rank, what is not as the first one's
  std::vector<std::uint32_t> unmeasured_;                // ranks without figures
  std::vector<Damage> damaged_;                          // by rank
  std::map<std::uint32_t, std::string> last_words_;  // of ranks that told, what they did to end without MPI_Finalize
  std::int64_t clock_error_ns_ = 0;
  std::optional<metrics::Job> job_;
  memory::Job memory_;
  memory::Together together_;
  memory::Timelines timelines_;
};

}  // namespace comity::cli
