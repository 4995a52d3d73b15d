// SPDX-License-Identifier: BSD-3-Clause
// Memory runs out at each allocation of a recorder in turn. Nothing is thrown into the program; what was recorded is read.
#include <gtest/gtest.h>

#include "base/log.hpp"
#include "faults/memory.hpp"
#include "record/merge/names.hpp"
#include "record/rank_reader.hpp"
#include "record/writer.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

constexpr record::Identity kAlone{.rank = 0, .ranks = 1, .node = 0};
constexpr long kMostAllocations = 20'000;

// How many allocations this takes decides how long the sweep is: enough for one merge.
void record_much(record::Writer& writer, const record::Table& table) {
  writer.set_fact("key", "a value that is too long for the room inside a string");
  writer.put_table(table);
  const record::SeriesRef series = writer.series("a series whose name is longer than a short string");
  const record::SpansRef spans = writer.spans("a lane", "a span");
  for (int i = 0; i < 150; ++i) {
    writer.sample(series, i, i);
    writer.span(spans, i, i + 1);
  }
}

void sweep(Shortage shortage) {
  log::set_level(log::Level::error);  // one line a run otherwise
  record::Table table("calls", {{"n", record::ColumnKind::integer}});
  table.add_row({std::int64_t{1}});
  long nth = 1;
  for (; nth < kMostAllocations && !::testing::Test::HasFailure(); ++nth) {
    SCOPED_TRACE("allocation " + std::to_string(nth));
    const TemporaryFolder folder;
    const os::Folder place(folder.path());
    record::Writer writer(place, kAlone, record::kLeastBudget_bytes);
    writer.set_fact("before", "x");
    run_out_of_memory(nth, shortage);
    record_much(writer, table);
    const bool struck = end_shortage();
    writer.close();
    const record::RankReader reader(place, record::rank_file_name(0));
    EXPECT_FALSE(reader.is_damaged()) << reader.state();
    EXPECT_EQ(reader.content().facts.at("before"), "x");
    if (!struck) break;
  }
  EXPECT_GT(nth, 50) << "the sweep misses what a recorder allocates";
  EXPECT_LT(nth, kMostAllocations);
}

TEST(RecorderWithoutMemory, ForOneAllocationThrowsNothing) { sweep(Shortage::one_allocation); }
TEST(RecorderWithoutMemory, FromThenOnThrowsNothing) { sweep(Shortage::from_then_on); }

}  // namespace
}  // namespace comity::testing
