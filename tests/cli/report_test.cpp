// SPDX-License-Identifier: BSD-3-Clause
// What `comity report` says of records that lack something, and of names that are any bytes.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/json_text.hpp"
#include "cli/report/reading.hpp"
#include "metrics/collector.hpp"
#include "metrics/comparison.hpp"
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

// A program's arguments and the folder may be any bytes; a record by others may have any name.
TEST_F(Reports, HoldWhateverBytesNamesHave) {
  const std::string folder = user_ / "d\xfcr";
  const MadeUpJob job(1, 1, {folder});
  record::Content content = measured(0);
  content.facts[record::kArgumentsFact] = "solver M\xfcller.dat";
  record::Table& regions = content.tables.at(metrics::kRegionsTable);
  regions.add_row({std::string("l\xf6sen"), std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, std::int64_t{1},
                   std::int64_t{0}, std::int64_t{0}, std::int64_t{0}});
  write(*job.writer(0), content);
  const Reading reading(folder, Answer::json);
  const std::string text = json_text({{"run", reading.json()}, {"metrics", metrics::json_of(reading.job())}});
  const auto back = nlohmann::json::parse(text);
  EXPECT_EQ(back["run"]["facts"]["arguments"], "solver M\ufffdller.dat");
  EXPECT_NE(text.find("l\ufffdsen"), std::string::npos);
}

// A letter and forty of two bytes each: the cut falls into one, with this name or with the next one.
TEST_F(Reports, CutNoLetterInTwo) {
  std::string name = "n";
  for (int i = 0; i < 40; ++i) name += "\u00e4";
  const MadeUpJob job(1, 1, {run()});
  record::Content content = measured(0);
  record::Table& regions = content.tables.at(metrics::kRegionsTable);
  for (const std::string& one : {name, name + "n"}) {
    regions.add_row({one, std::int64_t{1}, std::int64_t{5'000'000'000}, std::int64_t{1}, std::int64_t{1},
                     std::int64_t{4'000'000'000}, std::int64_t{0}, std::int64_t{0}});
  }
  write(*job.writer(0), content);
  const Reading reading(run(), Answer::text);
  metrics::Job other = reading.job();
  other.wall_s *= 2;
  for (metrics::RegionFigures& region : other.regions) region.wall_s *= 2;
  const metrics::Comparison comparison = metrics::compare(reading.job(), other);
  for (const std::string& text : {page(reading), metrics::text_of(comparison, "other"),
                                  metrics::json_of(comparison)["verdict"].get<std::string>()}) {
    EXPECT_EQ(visible_lines(text), text);
  }
}

}  // namespace
}  // namespace comity::cli
