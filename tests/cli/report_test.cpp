// SPDX-License-Identifier: BSD-3-Clause
// What `comity report` says of records that lack something: ranks that were killed before they left figures.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "cli/report/reading.hpp"
#include "metrics/collector.hpp"
#include "metrics/snapshot.hpp"
#include "metrics/text.hpp"
#include "record/made_up_job.hpp"

namespace comity::cli {
namespace {

using testing::MadeUpJob;
using testing::TemporaryFolder;

constexpr std::array<interpose::Facts, 1> kFunctions{{{"MPI_Barrier", interpose::Kind::collective, true, 0}}};

// Of a rank that has called MPI_Barrier in so many regions. A thread has one collector for all its life.
record::Content measured(int rank, int regions = 1) {
  record::Content content;
  std::thread([&] {
    metrics::Collector collector(metrics::Detail::times, kFunctions.size());
    collector.begin(metrics::Level::single, metrics::Level::single);
    for (int i = 0; i < regions; ++i) {
      collector.region_begin("a region with a name of some length, number " + std::to_string(i));
      collector.after({&kFunctions[0], 10, 20, true, 1, interpose::kEverybody, interpose::kNobody, 8, 8});
      collector.region_end();
    }
    collector.end();
    content = metrics::snapshot(collector, kFunctions,
                                {.rank = rank, .host = "host", .binding = {}, .node_cpus = CpuSet::parse_list("0")});
  }).join();
  return content;
}

void write(record::Writer& writer, const record::Content& content) {
  for (const auto& [key, value] : content.facts) (void)writer.set_fact(key, value);
  for (const auto& [name, table] : content.tables) (void)writer.put_table(table);
}

std::string page(const Reading& reading) { return reading.head() + metrics::text_of(reading.job()); }

class Reports : public ::testing::Test {
 protected:
  [[nodiscard]] std::string run() const { return user_ / "run"; }

  TemporaryFolder user_;
};

// Rank 1 was killed after its header, rank 2 in its first snapshot.
TEST_F(Reports, OfRanksThatLeftNoFiguresAreThoseOfTheOthers) {
  const MadeUpJob job(3, 1, {run()});
  write(*job.writer(0), measured(0));
  (void)job.writer(1)->set_fact(record::kProgramFact, "twomesh");
  (void)job.writer(2)->set_fact("rank", "2");
  const Reading reading(run(), Answer::json);
  ASSERT_EQ(reading.job().ranks.size(), 1U);
  EXPECT_EQ(reading.job().functions.front().calls, 1);
  EXPECT_EQ(reading.json()["unmeasured_ranks"], nlohmann::json({1, 2}));
  EXPECT_NE(page(reading).find("so these are those of the others: rank 1, 2\n"), std::string::npos) << page(reading);
  EXPECT_EQ(Reading(run(), Answer::text).job().ranks.size(), 1U) << "and of what was put together before";
}

TEST_F(Reports, OfNoFiguresAtAllAreAnError) {
  const MadeUpJob job(1, 1, {run()});
  (void)job.writer(0)->set_fact(record::kProgramFact, "twomesh");
  try {
    (void)Reading(run(), Answer::text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(run() + " holds no metrics of any of its 1 ranks"), std::string::npos);
  }
}

}  // namespace
}  // namespace comity::cli
