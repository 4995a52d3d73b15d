// SPDX-License-Identifier: BSD-3-Clause
// What `comity report` says of records that lack something, and of names that are any bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/report.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/rows.hpp"
#include "memory/rank/book.hpp"
#include "metrics/job/comparison.hpp"
#include "metrics/job/text.hpp"
#include "metrics/rank/collector.hpp"
#include "metrics/snapshot.hpp"
#include "record/made_up_job.hpp"

namespace comity::cli {
namespace {

using testing::MadeUpJob;
using testing::TemporaryFolder;

constexpr std::array<interpose::Facts, 1> kFunctions{{{"MPI_Barrier", interpose::Kind::collective, true, 0}}};

constexpr std::int64_t kMiB = std::int64_t{1} << 20U;

record::Table a_mebibyte_of_mpi() {
  record::Table components(memory::kComponentsTable, {{"component", record::ColumnKind::text},
                                                      {"peak_bytes", record::ColumnKind::integer},
                                                      {"last_bytes", record::ColumnKind::integer},
                                                      {"start_bytes", record::ColumnKind::integer},
                                                      {"asked_peak_bytes", record::ColumnKind::integer},
                                                      {"held_bytes", record::ColumnKind::integer}});
  components.add_row({std::string("mpi"), kMiB, kMiB, kMiB, kMiB, kMiB});
  return components;
}

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
  EXPECT_EQ(reading.json()["unmeasured_ranks"], nlohmann::ordered_json({1, 2}));
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

// Cut off before its tables of metrics a record was refused, whose memory stood whole before the cut.
TEST_F(Reports, OfMemoryAloneAreShownWhereNoMetricsCanBeRead) {
  const MadeUpJob job(1, 1, {run()});
  record::Content content;
  content.tables.insert_or_assign(memory::kComponentsTable, a_mebibyte_of_mpi());
  write(*job.writer(0), content);
  const Reading reading(run(), Answer::text);
  EXPECT_FALSE(reading.has_metrics());
  EXPECT_THROW((void)reading.job(), Error);
  ASSERT_EQ(reading.memory().ranks.size(), 1U);
  const auto said = [&](const std::string& option) {
    std::vector<std::string> words{run()};
    if (!option.empty()) words.push_back(option);
    ::testing::internal::CaptureStdout();
    EXPECT_EQ(report_command(words), kGood) << option;
    return ::testing::internal::GetCapturedStdout();
  };
  EXPECT_NE(said("").find("mpi "), std::string::npos);
  EXPECT_NE(said("").find("metrics: none of any rank can be read"), std::string::npos);
  EXPECT_NE(said("--csv=memory").find("mpi"), std::string::npos);
  const auto json = nlohmann::ordered_json::parse(said("--json"));
  EXPECT_TRUE(json["metrics"].is_null());
  EXPECT_EQ(json["memory"]["ranks"][0]["components"]["mpi"]["peak_bytes"], kMiB);
  const std::vector<std::string> of_metrics{run(), "--csv=calls"};
  EXPECT_THROW((void)report_command(of_metrics), Error);
}

// What stands behind the damage was told of a rank's tables and not of its samples, so a sum of one moment lacked the rank.
TEST_F(Reports, WhatADamagedRankStillHoldsOverTimeIsInWhatAllHadTogether) {
  const MadeUpJob job(2, 1, {run()});
  for (int rank = 0; rank < 2; ++rank) {
    record::Content content = measured(rank);
    content.facts[record::kArgumentsFact] = "solver of rank " + std::to_string(rank);
    content.tables.insert_or_assign(memory::kComponentsTable, a_mebibyte_of_mpi());
    const auto writer = job.writer(static_cast<std::uint32_t>(rank));
    write(*writer, content);
    const record::SeriesRef total = writer->series(memory::kTotalSeries);
    for (int i = 0; i < 20; ++i) (void)writer->sample(total, 100 + i, static_cast<double>((i + 1) * kMiB));
    writer->close();
  }
  ASSERT_EQ(Reading(run(), Answer::text, OverTime::together).together().job->total, 40 * kMiB);
  const std::string file = run() + "/run.comity";
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto at = bytes.find("solver of rank 1");
  ASSERT_NE(at, std::string::npos);
  bytes[at] ^= 4;
  std::ofstream(file, std::ios::binary) << bytes;
  for (const auto& [over_time, room] : {std::pair(OverTime::together, std::size_t{1000}),
                                        std::pair(OverTime::together, std::size_t{0}),  // lines are read again
                                        std::pair(OverTime::each, std::size_t{0})}) {
    const Reading reading(run(), Answer::text, over_time, {.lines = room});
    ASSERT_EQ(reading.damaged().size(), 1U);
    EXPECT_EQ(reading.damaged()[0].rank, 1U);
    EXPECT_LT(reading.damaged()[0].lost_bytes, 200U);
    EXPECT_EQ(reading.together().job->ranks, 2);
    EXPECT_EQ(reading.together().job->total, 40 * kMiB);
    EXPECT_EQ(reading.timelines().ranks.size(), over_time == OverTime::each ? 2U : 0U);
  }
  EXPECT_FALSE(Reading(run(), Answer::text).together().is_known()) << "nobody asked";
}

// A page that said in so many words that its figures are wrong came with an exit code that said that all is well.
TEST_F(Reports, OfFiguresThatCannotBeEndWithOne) {
  const auto code_of = [&](const std::string& name, std::int64_t mpi_above, std::int64_t sum_above) {
    const std::string folder = user_ / name;
    const MadeUpJob job(1, 1, {folder});
    record::Content content = measured(0);
    content.facts[memory::kMethodFact] = memory::kOwnerMethod;
    content.tables.insert_or_assign(memory::kComponentsTable, a_mebibyte_of_mpi());
    record::Table checks(memory::kChecksTable, {{"samples", record::ColumnKind::integer},
                                                {"mpi_above_total", record::ColumnKind::integer},
                                                {"sum_above_total", record::ColumnKind::integer}});
    checks.add_row({std::int64_t{9}, mpi_above, sum_above});
    content.tables.insert_or_assign(checks.name(), checks);
    write(*job.writer(0), content);
    const std::vector<std::string> words{folder, "--csv=memory"};
    return report_command(words);
  };
  EXPECT_EQ(code_of("good", 0, 0), kGood);
  EXPECT_EQ(code_of("mpi", 1, 0), kFindings);
  EXPECT_EQ(code_of("sum", 0, 1), kFindings);
}

// Each table by itself, so that a reader of such values takes it as it is.
TEST(Rows, AreOneTableWithTheNamesOfItsColumns) {
  metrics::Job job;
  job.timed = true;
  metrics::RankFigures rank;
  rank.rank = 3;
  rank.useful_s = 0.25;
  rank.efficiency = {0.5, std::nullopt};
  job.ranks = {rank};
  metrics::RegionFigures region;
  region.path = "say \"hello\", twice";
  job.regions = {region};
  job.messages = {{.from = 0, .to = 3, .sends = 2, .sent_bytes = 4'000'000'000'000}};
  EXPECT_EQ(rows_of(job, "ranks"),
            "rank,node,wall_s,useful_s,computation_s,mpi_s,asleep_s,others_mpi_s,others_mpi_cpu_s,sent_bytes,"
            "received_bytes,efficiency_parallel,efficiency_load_balance\n3,0,0,0.25,0,0,0,0,0,0,0,0.5,\n");
  EXPECT_EQ(rows_of(job, "messages"),
            "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n"
            "0,3,2,4000000000000,0,0,0,0,0,0\n");
  EXPECT_NE(rows_of(job, "regions").find("\n\"say \"\"hello\"\", twice\",0,"), std::string::npos);
  for (const std::string_view table : kRowTables) {
    const std::string text = rows_of(job, table), none = rows_of({}, table);
    EXPECT_EQ(std::count(none.begin(), none.end(), '\n'), 1) << table << ": the names stand there anyway";
    const auto end = text.find('\n');
    if (end + 1 == text.size() || table == "regions") continue;
    EXPECT_EQ(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), ','),
              std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), ','))
        << table;
  }
}

// Keys of an object in the object, joined.
void add_names(const nlohmann::ordered_json& object, const std::string& before, std::set<std::string>& names) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      add_names(value, before + key + '_', names);
    } else {
      names.insert(before + key);
    }
  }
}

TEST(Rows, HaveTheKeysOfJsonAsColumns) {
  metrics::Job job;
  job.timed = true;
  job.openmp = metrics::OpenMp::told;
  job.ranks.emplace_back();
  job.per_node.emplace_back();
  job.regions.emplace_back();
  job.openmp_regions.emplace_back();
  job.functions.emplace_back();
  job.messages.emplace_back();
  job.flight_over_time.emplace_back();
  const nlohmann::ordered_json json = metrics::json_of(job);
  for (const auto& [table, key] : std::map<std::string, std::string>{{"calls", "functions"},
                                                                     {"regions", "regions"},
                                                                     {"openmp", "openmp_regions"},
                                                                     {"ranks", "ranks"},
                                                                     {"nodes", "per_node"},
                                                                     {"messages", "messages"},
                                                                     {"flight", "flight_over_time"}}) {
    std::set<std::string> keys, columns;
    add_names(json.at(key).at(0), "", keys);
    const std::string rows = rows_of(job, table);
    std::istringstream names(rows.substr(0, rows.find('\n')));
    for (std::string name; std::getline(names, name, ',');) columns.insert(name);
    EXPECT_EQ(columns, keys) << table;
  }
}

TEST(Rows, AreEmptyWhereTheyNeedTimesThatWereNotTaken) {
  metrics::Job job;
  job.ranks.emplace_back();
  job.ranks[0].efficiency = {0.5, 0.5};
  job.per_node.emplace_back();
  job.per_node[0].efficiency = {.parallel = 0.5, .load_balance = 0.5, .in_nodes = {}, .communication = 0.5};
  job.regions.emplace_back();
  job.regions[0].wall_s = 2;
  job.regions[0].efficiency = job.per_node[0].efficiency;
  job.functions.emplace_back();
  EXPECT_EQ(rows_of(job, "ranks").substr(rows_of(job, "ranks").find('\n')), "\n0,0,0,,,,,,,0,0,,\n");
  EXPECT_EQ(rows_of(job, "nodes").substr(rows_of(job, "nodes").find('\n')), "\n0,\"\",0,0,0,0,,,,,,,\n");
  EXPECT_EQ(rows_of(job, "regions").substr(rows_of(job, "regions").find('\n')),
            "\n\"\",0,0,2" + std::string(26, ',') + '\n');
  EXPECT_EQ(rows_of(job, "calls").substr(rows_of(job, "calls").find('\n')), "\n\"\",\"\",0,0,0,,,,0,0\n");
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
