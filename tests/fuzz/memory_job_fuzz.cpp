// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever numbers, names and samples stand in well-formed tables and series of two ranks, they are refused or become
// a job's memory that can be told as text, as JSON and as rows, compared with itself, set beside itself and drawn. What is refused leaves
// the job as it was, each figure of it. What ranks had together is the same whether their lines are kept or asked again.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "input.hpp"
#include "memory/job/comparison.hpp"
#include "memory/job/job.hpp"
#include "memory/job/last_totals.hpp"
#include "memory/job/nodes.hpp"
#include "memory/job/scaling.hpp"
#include "memory/job/timelines.hpp"
#include "memory/job/together.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/delta.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/series.hpp"
#include "memory/rank/stocks.hpp"
#include "record/merge/names.hpp"

namespace {

using namespace comity;
using record::ColumnKind;
using record::Table;

void expect(bool holds) {
  if (!holds) std::abort();
}

class Input : public fuzz::Input {
 public:
  using fuzz::Input::Input;

  // Any, none that there can be, small, or some MiB.
  std::int64_t number() {
    constexpr std::array<std::int64_t, 4> kExtremes{INT64_MIN, INT64_MAX, -1, std::int64_t{1} << 62U};
    const std::uint8_t kind = byte() % 6;
    if (kind == 0) return raw<std::int64_t>();
    if (kind == 1) return kExtremes.at(byte() % kExtremes.size());
    return kind == 2 ? byte() : std::int64_t{byte()} << 20U;
  }
  std::string word() {
    constexpr std::array<const char*, 12> kWords{"mpi",      "application",  "total",      "",
                                                 "\xfc",     "a\tb\nc",      "comity",     "(run)",
                                                 "MPI_Recv", "communicator", "at the end", "x < y"};
    return kWords.at(byte() % kWords.size());
  }
  // Of components, of the rule of older tools, any.
  std::string series() {
    constexpr std::array<const char*, 3> kOfDelta{memory::kDeltaMpiSeries, memory::kDeltaTotalSeries,
                                                  memory::kDeltaMarkSeries};
    const std::size_t kind = byte() % 16;
    if (kind % 8 == 7) return word();
    return kind >= 8 && kind < 8 + kOfDelta.size() ? kOfDelta.at(kind - 8) : memory::series_name(word());
  }
};

struct Form {
  const char* name;
  std::vector<const char*> texts;
  std::vector<const char*> integers;
};

std::vector<const char*> node_columns() {
  std::vector<const char*> names;
  for (const memory::NodeColumn& column : memory::kNodeColumns) names.push_back(column.name);
  return names;
}

const std::vector<Form>& forms() {
  using namespace memory;
  static const std::vector<Form> all{
      {kComponentsTable,
       {"component"},
       {"peak_bytes", "last_bytes", "start_bytes", "asked_peak_bytes", "held_bytes", "untouched_bytes"}},
      {kTotalsTable,
       {"moment"},
       {"rss_bytes", "pss_bytes", "uss_bytes", "shared_bytes", "peak_rss_bytes", "residual_bytes"}},
      {kUsesTable, {"moment", "component"}, {"rss_bytes", "pss_bytes", "node1_bytes"}},
      {kSegmentsTable, {"segment", "maker"}, {"device", "inode", "mapped_bytes", "rss_bytes", "pss_bytes"}},
      {kChecksTable,
       {},
       {"samples", "mpi_above_total", "sum_above_total", "undecided", "unplaced_mappings", "unplaced_bytes"}},
      {kNearnessTable, {"cpus"}, {"near_bytes", "far_bytes"}},
      {kPeaksTable, {"component", "where", "region", "phase"}, {"seen_bytes", "time_ns"}},
      {kRiseTable, {"where", "region", "phase"}, {"high_water_bytes", "after_ns", "before_ns", "untold_bytes"}},
      {kGrowthTable, {"function", "region", "component"}, {"grown_bytes", "shrunk_bytes", "times", "largest_bytes"}},
      {kHeldTable, {"component", "place"}, {"bytes", "blocks"}},
      {kPathsTable, {"component", "path"}, {"most_bytes", "last_bytes", "asked_bytes", "times"}},
      {kTouchesTable, {"function", "owner", "toucher"}, {"bytes", "faults"}},
      {kObjectsTable, {"kind", "function", "where"}, {"live", "made"}},
      {kDeltaTable, {"method"}, {"peak_bytes", "last_bytes", "samples", "impossible_samples", "cost_ns", "elapsed_ns"}},
      {kDeltaCallsTable, {"function"}, {"calls", "grown_bytes", "shrunk_bytes", "impossible_calls"}},
      {kNumaTable, {"cpus"}, {"node", "threads"}},
      {kVariablesTable, {"moment", "variable", "description"}, {"value"}},
      {kQuickCountTable,
       {},
       {"is_approximate", "most_below_bytes", "most_above_bytes", "bound_bytes", "exact_counts", "most_exact_bytes"}},
      {kBordersTable,
       {"region", "border"},
       {"visit", "time_ns", "rss_bytes", "pss_bytes", "uss_bytes", "components_mpi_bytes", "components_"}},
      {kRegionSumsTable,
       {"region"},
       {"visits", "looked_at", "first_pss_bytes", "most_pss_bytes", "last_rss_bytes", "last_pss_bytes",
        "last_uss_bytes", "changed_pss_bytes", "changed_mpi_bytes", "changed_application_bytes"}}};
  return all;
}

// The last one, so that inputs that were found before it was keep their meaning.
const Form& form_of_node() {
  static const Form form{memory::kNodeTable, {"moment"}, node_columns()};
  return form;
}

// All columns, but for one that may lack or be of another kind.
Table table_of(const Form& form, Input& input) {
  const std::uint8_t oddness = input.byte();
  const std::size_t odd = oddness < 240 ? SIZE_MAX : oddness % (form.texts.size() + form.integers.size());
  std::vector<record::ColumnName> columns;
  for (const char* name : form.texts) columns.push_back({name, ColumnKind::text});
  for (const char* name : form.integers) columns.push_back({name, ColumnKind::integer});
  if (odd < columns.size())
    columns[odd].kind = columns[odd].kind == ColumnKind::text ? ColumnKind::real : ColumnKind::text;
  if (oddness == 255) columns.pop_back();
  Table table(form.name, columns);
  for (int row = input.byte() % 6; row > 0; --row) {
    std::vector<record::Cell> cells;
    for (const record::ColumnName& column : columns) {
      if (column.kind == ColumnKind::text)
        cells.emplace_back(input.word());
      else if (column.kind == ColumnKind::integer)
        cells.emplace_back(input.number());
      else
        cells.emplace_back(input.raw<double>());
    }
    table.add_row(cells);
  }
  return table;
}

record::Content content_of(Input& input) {
  record::Content content;
  for (const Form& form : forms()) {
    if (input.byte() % 8 != 7) content.tables.emplace(form.name, table_of(form, input));
  }
  for (const char* fact :
       {memory::kStartFact, memory::kOffFact, record::kNodeFact, record::kHostFact, record::kOffsetBeginAtFact,
        record::kOffsetBeginFact, record::kOffsetEndAtFact, record::kOffsetEndFact}) {
    if (input.byte() % 4 != 3) content.facts[fact] = std::to_string(input.number());
  }
  const std::uint8_t method = input.byte();
  content.facts[memory::kMethodFact] = method % 2 == 0 ? memory::kOwnerMethod : memory::kMapsMethod;
  if (method >= 128) content.tables.emplace(memory::kNodeTable, table_of(form_of_node(), input));
  for (int series = input.byte() % 5; series > 0; --series) {
    record::Series& one = content.series[static_cast<record::StreamId>(series)];
    one.name = input.series();
    for (int entry = input.byte() % 6; entry > 0; --entry) {
      if (input.byte() % 4 == 3)
        one.entries.push_back(
            {input.number(), input.number(), input.raw<double>(), input.raw<double>(), input.raw<double>(), 2});
      else
        one.entries.push_back(record::sample_entry(input.number(), static_cast<double>(input.number())));
    }
  }
  return content;
}

void dump(const nlohmann::ordered_json& json) {
  (void)json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void tell(const memory::Job& job, const memory::Together& together) {
  (void)memory::page_of(job, together);
  dump(memory::json_of(job, together));
  using Rows = std::string (*)(const memory::Job&);
  for (const Rows rows : std::array<Rows, 16>{
           &memory::rows_of, &memory::statistics_rows_of, &memory::growth_rows_of, &memory::held_rows_of,
           &memory::path_rows_of, &memory::touch_rows_of, &memory::object_rows_of, &memory::node_rows_of,
           &memory::last_total_rows_of, &memory::moment_rows_of, &memory::segment_rows_of, &memory::numa_rows_of,
           &memory::variable_rows_of, &memory::region_rows_of, &memory::border_rows_of, &memory::delta_rows_of}) {
    expect(rows(job).ends_with('\n'));
  }
  expect(memory::series_rows_of(together).ends_with('\n'));
  const memory::Comparison itself = memory::compare(job, job);
  (void)memory::text_of(itself);
  dump(memory::json_of(itself));
  const std::vector<memory::RunFigures> runs{memory::figures_of(job, "one", "two, three"),
                                             memory::figures_of(job, "", "")};
  (void)memory::text_of(runs);
  (void)memory::rows_of(runs);
  dump(memory::json_of(runs));
}

void draw(const memory::Timelines& timelines) {
  for (const char* line : {"mpi", memory::kTotalName}) expect(memory::sum_of(timelines, line, 9).size() == 9U);
  for (const memory::RankTimelines& rank : timelines.ranks) {
    for (const auto& [name, line] : rank.components) {
      expect(memory::shortened(line, timelines.begin_ns(), timelines.end_ns(), 3).size() <= 3U);
      for (const memory::Stretch& each : line) expect(each.begin_ns <= each.end_ns && each.bytes >= 0);
    }
  }
}

void add(memory::Job& job, int rank, const record::Content& content) {
  const memory::Job before = job;
  try {
    job.add(rank, content);
  } catch (const Error&) {
    expect(job == before);
  }
}

// With room for so many stretches, which is told as with room for all.
memory::Together together_of(const memory::Timelines& timelines, std::size_t room) {
  memory::Together together({.lines = room}), at_once;
  for (const memory::RankTimelines& rank : timelines.ranks) {
    together.add(rank, rank.rank);
    at_once.add(rank, rank.rank);
  }
  together.find_moments();
  at_once.find_moments();
  for (const memory::RankTimelines& rank : timelines.ranks) {
    if (together.lacks(rank.rank)) together.add_again(rank);
    expect(!at_once.lacks(rank.rank));
  }
  expect(together.job == at_once.job && together.nodes == at_once.nodes && together.over_time == at_once.over_time);
  return together;
}

// One row of nothing in each table is read: else a column has another name now, and nothing below would be reached.
bool forms_are_right() {
  record::Content content;
  const auto add_row_of_nothing = [&](const Form& form) {
    std::vector<record::ColumnName> columns;
    std::vector<record::Cell> cells;
    for (const char* name : form.texts) columns.push_back({name, ColumnKind::text}), cells.emplace_back(std::string());
    for (const char* name : form.integers)
      columns.push_back({name, ColumnKind::integer}), cells.emplace_back(std::int64_t{0});
    Table table(form.name, columns);
    table.add_row(cells);
    content.tables.emplace(form.name, std::move(table));
  };
  for (const Form& form : forms()) add_row_of_nothing(form);
  add_row_of_nothing(form_of_node());
  memory::Job job;
  job.add(0, content);
  return job.ranks.size() == 1 && job.ranks[0].delta && job.ranks[0].node_totals.size() == 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  static const bool is_right = forms_are_right();
  expect(is_right);
  if (bytes == 0) return 0;
  Input input(std::span(data, bytes));
  memory::Job job;
  memory::Timelines timelines;
  for (int rank = 0; rank < 2; ++rank) {
    const record::Content content = content_of(input);
    if (auto lines = memory::timelines_of(rank, content, record::ClockMap::from_facts(content.facts)))
      timelines.ranks.push_back(std::move(*lines));
    add(job, rank, content);
  }
  // What is told of moments is long, and hangs on little.
  const bool of_moments = data[bytes - 1] % 8 == 0;
  tell(job, of_moments ? together_of(timelines, data[bytes - 1] / 8) : memory::Together());
  draw(timelines);
  return 0;
}
