// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever numbers and names stand in well-formed tables and series of two ranks, they are refused or become a job
// that can be told as text and as JSON and compared with itself.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "input.hpp"
#include "metrics/job/comparison.hpp"
#include "metrics/job/flight_over_time.hpp"
#include "metrics/job/job_sums.hpp"
#include "metrics/job/text.hpp"
#include "metrics/snapshot.hpp"
#include "record/merge/names.hpp"

namespace {

using namespace comity;
using record::ColumnKind;
using record::Table;

class Input : public fuzz::Input {
 public:
  using fuzz::Input::Input;

  std::int64_t number() { return byte() % 4 != 0 ? byte() : raw<std::int64_t>(); }
  std::string word() {
    constexpr std::array<const char*, 8> kWords{"(run)",    "solve", "solve/deep", "",
                                                "MPI_Send", "\xfc",  "a\tb\nc",    "MPI_Barrier"};
    return kWords.at(byte() % kWords.size());
  }
  std::string fact(const std::string& usual) { return byte() % 8 == 0 ? std::to_string(number()) : usual; }
};

// As a reader lets it through: its times are in order and its count is one, its values may be any.
record::SampleEntry odd_sample(Input& input) {
  const auto [first_ns, last_ns] = std::minmax({input.number(), input.number()});
  record::SampleEntry entry = record::sample_entry(first_ns, static_cast<double>(input.byte()));
  entry.last_ns = last_ns;
  if (input.byte() % 2 == 0) entry.maximum = input.raw<double>();
  return entry;
}

void add_odd_series(Input& input, record::Content& content) {
  constexpr std::array<const char*, 3> kNames{metrics::kInFlightSeries, metrics::kGapSeries, "of nobody"};
  for (record::StreamId id = 0; id < kNames.size(); ++id) {
    record::Series series{kNames.at(id), {}};
    for (int sample = input.byte() % 8; sample > 0; --sample) series.entries.push_back(odd_sample(input));
    content.series.emplace(id, std::move(series));
  }
}

void add_odd_clock(Input& input, record::Content& content) {
  for (const char* const key :
       {record::kOffsetBeginAtFact, record::kOffsetBeginFact, record::kOffsetEndAtFact, record::kOffsetEndFact}) {
    if (input.byte() % 4 != 0) content.facts[key] = std::to_string(input.number());
  }
}

// A real snapshot with other values in it, up to eight rows more in each table, and samples as odd.
record::Content odd(Input& input, const record::Content& real) {
  record::Content content;
  for (const auto& [key, value] : real.facts) content.facts[key] = input.fact(value);
  if (content.facts["node"] != "0")
    content.facts["node"] = std::to_string(input.byte() % 16);  // many take long, and are as few
  for (const auto& [name, table] : real.tables) {
    Table other(name, table.columns(), table.summarise());
    for (int row = input.byte() % 8; row > 0; --row) {
      std::vector<record::Cell> cells;
      for (const record::ColumnName& column : table.columns()) {
        if (column.kind == ColumnKind::text)
          cells.emplace_back(input.word());
        else
          cells.emplace_back(input.number());
      }
      other.add_row(cells);
    }
    content.tables.emplace(name, std::move(other));
  }
  add_odd_series(input, content);
  add_odd_clock(input, content);
  return content;
}

record::Content snapshot_of_nothing() {
  constexpr std::array<interpose::Facts, 1> kFunctions{{{"MPI_Send", interpose::Kind::send, true, 0}}};
  const metrics::Collector collector(metrics::Detail::times, kFunctions.size());
  return metrics::snapshot(collector, kFunctions, {});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const record::Content real = snapshot_of_nothing();
  Input input(std::span(data, bytes));
  try {
    metrics::JobSums sums;
    for (int rank = 0; rank < 2; ++rank) sums.add(odd(input, real));
    const metrics::Job job = sums.job();
    if (job.flight_over_time.size() > metrics::FlightOverTime::kMost) std::abort();
    (void)metrics::text_of(job);
    (void)metrics::json_of(job).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    (void)metrics::text_of(metrics::compare(job, job), "itself");
  } catch (const Error&) {
    return 0;  // refused
  }
  return 0;
}
