// SPDX-License-Identifier: BSD-3-Clause
// What is said of jobs whose books are written down: errors, warnings, and what the rule of older tools found.
#include "memory/job/job.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "memory/rank/book.hpp"
#include "memory/rank/shortening.hpp"
#include "record/merge/names.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;
using record::Table;

constexpr std::int64_t kMiB = 1 << 20;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void put(record::Content& content, Table&& table) { content.tables.insert_or_assign(table.name(), std::move(table)); }

record::Content rank() {
  record::Content content;
  Table components(kComponentsTable, {{"component", ColumnKind::text},
                                      {"peak_bytes", ColumnKind::integer},
                                      {"last_bytes", ColumnKind::integer},
                                      {"start_bytes", ColumnKind::integer},
                                      {"asked_peak_bytes", ColumnKind::integer},
                                      {"held_bytes", ColumnKind::integer}});
  components.add_row({std::string("mpi"), 10 * kMiB, 8 * kMiB, 8 * kMiB, 10 * kMiB, 8 * kMiB});
  put(content, std::move(components));
  content.facts[kMethodFact] = kOwnerMethod;
  return content;
}

record::Content with_checks(std::int64_t samples, std::int64_t above) {
  record::Content content = rank();
  Table checks(kChecksTable, {{"samples", ColumnKind::integer}, {"mpi_above_total", ColumnKind::integer}});
  checks.add_row({samples, above});
  put(content, std::move(checks));
  return content;
}

record::Content with_nearness(std::int64_t near_bytes, std::int64_t far_bytes) {
  record::Content content = rank();
  Table nearness(kNearnessTable,
                 {{"cpus", ColumnKind::text}, {"near_bytes", ColumnKind::integer}, {"far_bytes", ColumnKind::integer}});
  nearness.add_row({std::string("4-7"), near_bytes, far_bytes});
  put(content, std::move(nearness));
  return content;
}

record::Content with_delta(const std::string& method, std::int64_t cost_ns) {
  record::Content content = rank();
  Table all(kDeltaTable, {{"method", ColumnKind::text},
                          {"peak_bytes", ColumnKind::integer},
                          {"last_bytes", ColumnKind::integer},
                          {"samples", ColumnKind::integer},
                          {"impossible_samples", ColumnKind::integer},
                          {"cost_ns", ColumnKind::integer},
                          {"elapsed_ns", ColumnKind::integer}});
  all.add_row({method, 12 * kMiB, 11 * kMiB, std::int64_t{40}, std::int64_t{3}, cost_ns, std::int64_t{2'000'000'000}});
  put(content, std::move(all));
  Table calls(kDeltaCallsTable, {{"function", ColumnKind::text},
                                 {"calls", ColumnKind::integer},
                                 {"grown_bytes", ColumnKind::integer},
                                 {"shrunk_bytes", ColumnKind::integer},
                                 {"impossible_calls", ColumnKind::integer}});
  calls.add_row({std::string("MPI_Recv"), std::int64_t{40}, 12 * kMiB, kMiB, std::int64_t{3}});
  put(content, std::move(calls));
  return content;
}

Job job_of(const record::Content& content, int ranks = 1) {
  Job job;
  for (int i = 0; i < ranks; ++i) job.add(i, content);
  return job;
}

TEST(MemoryJob, MoreOfMpisThanThereIsIsAnError) {
  EXPECT_FALSE(says(text_of(job_of(with_checks(200, 0))), "ERROR"));
  const Job broken = job_of(with_checks(200, 2));
  EXPECT_TRUE(says(text_of(broken), "ERROR: rank 0: at 2 of 200 samples MPI would have more than there was"))
      << text_of(broken);
  const nlohmann::ordered_json told = json_of(broken)["ranks"][0];
  EXPECT_EQ(told["samples"], 200);
  EXPECT_EQ(told["mpi_above_total_samples"], 2);
}

TEST(MemoryJob, MoreOfAllComponentsThanThereIsIsAnErrorToo) {
  record::Content content = rank();
  Table checks(kChecksTable, {{"samples", ColumnKind::integer},
                              {"mpi_above_total", ColumnKind::integer},
                              {"sum_above_total", ColumnKind::integer}});
  checks.add_row({std::int64_t{200}, std::int64_t{0}, std::int64_t{3}});
  put(content, std::move(checks));
  const Job broken = job_of(content);
  EXPECT_TRUE(says(text_of(broken), "ERROR: rank 0: at 3 of 200 samples all components together")) << text_of(broken);
  EXPECT_EQ(json_of(broken)["ranks"][0]["sum_above_total_samples"], 3);
}

TEST(MemoryJob, SamplesThatNobodyCouldDecideAreToldAndAreNoError) {
  record::Content content = rank();
  Table checks(kChecksTable, {{"samples", ColumnKind::integer},
                              {"mpi_above_total", ColumnKind::integer},
                              {"sum_above_total", ColumnKind::integer},
                              {"undecided", ColumnKind::integer}});
  checks.add_row({std::int64_t{200}, std::int64_t{0}, std::int64_t{0}, std::int64_t{7}});
  put(content, std::move(checks));
  const std::string text = text_of(job_of(content));
  EXPECT_TRUE(says(text, "WARNING: rank 0: at 7 of 200 samples")) << text;
  EXPECT_FALSE(says(text, "ERROR")) << text;
  EXPECT_EQ(json_of(job_of(content))["ranks"][0]["undecided_samples"], 7);
}

// Ranks of older records do not tell.
TEST(MemoryJob, WarnsOfMappingsThatFoundNoPlace) {
  EXPECT_FALSE(says(text_of(job_of(with_checks(200, 0))), "no place"));
  record::Content content = with_checks(200, 0);
  Table checks(kChecksTable, {{"samples", ColumnKind::integer},
                              {"mpi_above_total", ColumnKind::integer},
                              {"unplaced_mappings", ColumnKind::integer},
                              {"unplaced_bytes", ColumnKind::integer}});
  checks.add_row({std::int64_t{200}, std::int64_t{0}, std::int64_t{17}, std::int64_t{17} << 20U});
  put(content, std::move(checks));
  const Job job = job_of(content);
  EXPECT_TRUE(says(text_of(job), "WARNING: rank 0: 17 mappings, 17.00 MiB over the run, found no place"));
  EXPECT_EQ(json_of(job)["ranks"][0]["unplaced_mappings"], 17);
  EXPECT_EQ(json_of(job)["ranks"][0]["unplaced_bytes"], std::int64_t{17} << 20U);
}

TEST(MemoryJob, WhatFoundNoRoomButInShortIsNamed) {
  record::Content content = rank();
  EXPECT_FALSE(says(text_of(job_of(content)), "told in short"));
  content.facts[kShortFact] = "growth moments";
  const std::string text = text_of(job_of(content, 2));
  EXPECT_TRUE(says(text, "told in short or left out, for want of room, on 2 ranks: growth, moments.")) << text;
  EXPECT_EQ(json_of(job_of(content))["ranks"][0]["in_short"], (nlohmann::ordered_json{"growth", "moments"}));
}

record::Content with_total(std::int64_t rss, std::int64_t uss, std::int64_t shared) {
  record::Content content = rank();
  Table totals(kTotalsTable, {{"moment", ColumnKind::text},
                              {"rss_bytes", ColumnKind::integer},
                              {"uss_bytes", ColumnKind::integer},
                              {"shared_bytes", ColumnKind::integer}});
  totals.add_row({std::string("at load"), rss, std::int64_t{0}, std::int64_t{0}});  // where nobody has asked smaps
  totals.add_row({std::string("after MPI_Init"), rss, uss, shared});
  put(content, std::move(totals));
  return content;
}

TEST(MemoryJob, AKernelThatCountsRoughlyIsNamed) {
  EXPECT_FALSE(says(text_of(job_of(with_total(301 * kMiB, 200 * kMiB, 100 * kMiB))), "quick count"));
  const std::string text = text_of(job_of(with_total(250 * kMiB, 200 * kMiB, 100 * kMiB)));
  EXPECT_TRUE(says(text, "WARNING: rank 0: this kernel's quick count of resident memory is off by 51200 KiB")) << text;
}

// The kernel's mark is off as its count is, and by no more.
record::Content with_quick_count(std::int64_t mark, std::int64_t exact) {
  record::Content content = rank();
  Table totals(kTotalsTable, {{"moment", ColumnKind::text}, {"peak_rss_bytes", ColumnKind::integer}});
  totals.add_row({std::string("at the end"), mark});
  put(content, std::move(totals));
  Table quick(kQuickCountTable, {{"is_approximate", ColumnKind::integer},
                                 {"most_below_bytes", ColumnKind::integer},
                                 {"most_above_bytes", ColumnKind::integer},
                                 {"bound_bytes", ColumnKind::integer},
                                 {"exact_counts", ColumnKind::integer},
                                 {"most_exact_bytes", ColumnKind::integer}});
  quick.add_row({std::int64_t{1}, 30 * kMiB, std::int64_t{0}, 488 * kMiB, std::int64_t{12}, exact});
  put(content, std::move(quick));
  return content;
}

TEST(MemoryJob, APeakOfARoughCountIsWhatExactOnesSaw) {
  const Job job = job_of(with_quick_count(300 * kMiB, 325 * kMiB));
  EXPECT_EQ(job.ranks[0].peak_rss_bytes, 325 * kMiB);
  const std::string text = text_of(job);
  EXPECT_TRUE(says(text, "is off by 30720 KiB of what smaps tells: between exact counts")) << text;
  EXPECT_TRUE(says(text, "the rank's peak is 325.0 MiB, as 12 exact counts saw at the most\n")) << text;
  const nlohmann::ordered_json quick = json_of(job)["ranks"][0]["quick_count"];
  EXPECT_EQ(quick["most_below_bytes"], 30 * kMiB);
  EXPECT_EQ(quick["bound_bytes"], 488 * kMiB);
}

TEST(MemoryJob, APeakBetweenTwoExactCountsIsTheKernelsAndSaidToBeOff) {
  const Job job = job_of(with_quick_count(400 * kMiB, 325 * kMiB));
  EXPECT_EQ(job.ranks[0].peak_rss_bytes, 400 * kMiB);
  const std::string text = text_of(job);
  EXPECT_TRUE(says(text,
                   "there was more than 325.0 MiB, as 12 exact counts saw at the most, between two of them: its "
                   "peak is off by as much\n"))
      << text;
}

Table components_of_mpi(std::int64_t peak_bytes) {
  Table components(kComponentsTable, {{"component", ColumnKind::text},
                                      {"peak_bytes", ColumnKind::integer},
                                      {"last_bytes", ColumnKind::integer},
                                      {"start_bytes", ColumnKind::integer},
                                      {"asked_peak_bytes", ColumnKind::integer},
                                      {"held_bytes", ColumnKind::integer}});
  components.add_row({std::string("mpi"), peak_bytes, kMiB, kMiB, peak_bytes, kMiB});
  return components;
}

record::Content with_peak(const std::string& host, std::int64_t mpi_bytes, const std::string& where) {
  record::Content content = rank();
  content.facts[record::kHostFact] = host;
  content.facts[kStartFact] = "1000000000";
  put(content, components_of_mpi(mpi_bytes));
  Table peaks(kPeaksTable, {{"component", ColumnKind::text},
                            {"where", ColumnKind::text},
                            {"region", ColumnKind::text},
                            {"seen_bytes", ColumnKind::integer},
                            {"time_ns", ColumnKind::integer}});
  peaks.add_row({std::string("mpi"), where, std::string("solve"), mpi_bytes, std::int64_t{3'500'000'000}});
  peaks.add_row({std::string(kTotalName), where, std::string(kWholeRun), 2 * mpi_bytes, std::int64_t{3'500'000'000}});
  put(content, std::move(peaks));
  return content;
}

// An older record does not tell of what is untold.
Table rise_of(std::int64_t high_water, std::optional<std::int64_t> untold = std::nullopt) {
  std::vector<record::ColumnName> columns{{"high_water_bytes", ColumnKind::integer},
                                          {"after_ns", ColumnKind::integer},
                                          {"before_ns", ColumnKind::integer},
                                          {"where", ColumnKind::text},
                                          {"region", ColumnKind::text},
                                          {"last_ns", ColumnKind::integer}};
  std::vector<record::Cell> cells{
      high_water,           std::int64_t{2'000'000'000}, std::int64_t{2'750'000'000}, std::string("MPI_Wait"),
      std::string("solve"), std::int64_t{3'250'000'000}};
  if (untold) columns.push_back({"untold_bytes", ColumnKind::integer});
  if (untold) cells.emplace_back(*untold);
  Table rise(kRiseTable, columns);
  rise.add_row(cells);
  return rise;
}

record::Content with_rise(std::int64_t high_water) {
  record::Content content = with_peak("alpha", 20 * kMiB, "MPI_Bcast");  // of all 40 MiB were seen
  Table totals(kTotalsTable, {{"moment", ColumnKind::text}, {"peak_rss_bytes", ColumnKind::integer}});
  totals.add_row({std::string("at the end"), 100 * kMiB});
  put(content, std::move(totals));
  put(content, rise_of(high_water));
  return content;
}

// The time and the call of the highest look stood there, whatever the kernel had as the most.
TEST(MemoryJob, APeakThatNoLookSawHasTheIntervalItLiesIn) {
  const Job job = job_of(with_rise(100 * kMiB));
  EXPECT_TRUE(says(statistics_text_of(job),
                   "100.00     0  alpha                     -  (between two looks, 1.000 and 1.750; the second behind "
                   "MPI_Wait in solve)\n"))
      << statistics_text_of(job);
  EXPECT_TRUE(says(text_of(job), "100.0 MiB on alpha, between two looks;")) << text_of(job);
  const nlohmann::ordered_json between = json_of(job)["ranks"][0]["peak_between"];
  EXPECT_DOUBLE_EQ(between["after_s"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(between["before_s"].get<double>(), 1.75);
  EXPECT_EQ(between["function"], "MPI_Wait");
  EXPECT_EQ(json_of(job)["ranks"][0]["peak_seen_bytes"], 40 * kMiB);
}

// Programs were given the kernel's mark with the time of the highest look.
TEST(MemoryJob, APeakThatNoLookSawHasNoTimeInStatisticsEither) {
  const Job job = job_of(with_rise(100 * kMiB));
  const nlohmann::ordered_json most = json_of(job)["statistics"]["total"]["most"];
  EXPECT_EQ(most["bytes"], 100 * kMiB);
  EXPECT_TRUE(most["at_s"].is_null()) << most;
  EXPECT_DOUBLE_EQ(most["after_s"].get<double>(), 1.0);
  EXPECT_DOUBLE_EQ(most["before_s"].get<double>(), 1.75);
  EXPECT_EQ(most["function"], "MPI_Wait");
  EXPECT_EQ(most["region"], "solve");
  EXPECT_TRUE(says(statistics_rows_of(job), "\"total\",104857600,0,\"alpha\",,\"MPI_Wait\",\"solve\",1.000,1.750,"))
      << statistics_rows_of(job);
}

// A component's peak had the time of whatever figure of it was highest at a look.
TEST(MemoryJob, APeakOfAComponentHasTheTimeOfALookThatSawItAlone) {
  record::Content content = with_peak("alpha", 20 * kMiB, "MPI_Bcast");
  for (const auto& [peak, is_seen] : {std::pair(20 * kMiB + kMiB / 8, true), std::pair(30 * kMiB, false)}) {
    content.tables.insert_or_assign(kComponentsTable, components_of_mpi(peak));
    const nlohmann::ordered_json most = json_of(job_of(content))["statistics"]["mpi"]["most"];
    EXPECT_EQ(most["bytes"], peak);
    EXPECT_EQ(most["at_s"].is_null(), !is_seen) << most;
    EXPECT_EQ(most["function"], is_seen ? "MPI_Bcast" : "");
  }
}

// They were told of the ranks with most and least alone.
TEST(MemoryJob, EachRankTellsWhenAndWhereItsPeaksWere) {
  Job job;
  for (int number = 0; number < 3; ++number)
    job.add(number, with_peak("alpha", (10 + number) * kMiB, number == 1 ? "MPI_Bcast" : "MPI_Wait"));
  nlohmann::ordered_json told = json_of(job)["ranks"][1]["components"]["mpi"];
  EXPECT_DOUBLE_EQ(told["at_s"].get<double>(), 2.5);
  EXPECT_EQ(told["function"], "MPI_Bcast");
  EXPECT_EQ(told["region"], "solve");
  EXPECT_EQ(told["phase"], "");
  EXPECT_TRUE(says(rows_of(job), ",untouched_bytes,at_s,function,region,phase\n")) << rows_of(job);
  EXPECT_TRUE(says(rows_of(job), ",2.500,\"MPI_Bcast\",\"solve\",\"\"\n2,")) << rows_of(job);

  record::Content unseen = with_peak("alpha", 20 * kMiB, "MPI_Bcast");
  unseen.tables.insert_or_assign(kComponentsTable, components_of_mpi(30 * kMiB));
  told = json_of(job_of(unseen))["ranks"][0]["components"]["mpi"];
  for (const char* const key : {"at_s", "function", "region", "phase"}) EXPECT_TRUE(told[key].is_null()) << told;
  EXPECT_TRUE(says(rows_of(job_of(unseen)), ",,\"\",\"\",\"\"\n")) << rows_of(job_of(unseen));
}

// The page said that nothing was left to be told, of looks at all pages alone.
TEST(MemoryJob, WhatOfThePeakNobodyIsKnownToHaveIsToldAloudFromAPerCentOn) {
  record::Content content = with_peak("alpha", 20 * kMiB, "MPI_Bcast");  // of all 40 MiB were seen
  EXPECT_FALSE(says(text_of(job_of(content)), "not told")) << "an older record does not say";
  EXPECT_TRUE(json_of(job_of(content))["ranks"][0]["peak_not_told_bytes"].is_null());
  for (const auto& [untold, is_loud] : {std::pair(kMiB / 4, false), std::pair(10 * kMiB, true)}) {
    content.tables.insert_or_assign(kRiseTable, rise_of(40 * kMiB, untold));
    Job job = job_of(content);
    EXPECT_EQ(json_of(job)["ranks"][0]["peak_not_told_bytes"], untold);
    const std::string text = text_of(job);
    EXPECT_TRUE(
        says(text, is_loud ? "not told whose at the peak: 25.00 % of" : "not told whose at the peak: 0.62 % of"))
        << text;
    EXPECT_EQ(says(text, "WARNING: rank 0: at its peak nobody knows whose 10.00 of 40.00 MiB were"), is_loud) << text;
    EXPECT_FALSE(says(text, "So it is")) << text;
    job.add(1, with_peak("alpha", 20 * kMiB, "MPI_Bcast"));
    EXPECT_TRUE(says(text_of(job),
                     is_loud ? "\n  not told, at the peak        10.00     0     10.00     0     10.00     0.00\n"
                             : "\n  not told, at the peak         0.25     0      0.25     0      0.25     0.00\n"))
        << "of ranks that tell, and nothing of the end: " << text_of(job);
  }
}

// The page said 0.00 % of a job of 216 MiB whose looks saw 16.
TEST(MemoryJob, WhatNoLookSawOfThePeakIsNobodysToo) {
  record::Content content = with_rise(100 * kMiB);  // of which looks saw 40
  content.tables.insert_or_assign(kRiseTable, rise_of(100 * kMiB, kMiB));
  const Job job = job_of(content);
  EXPECT_EQ(json_of(job)["ranks"][0]["peak_not_told_bytes"], 61 * kMiB);
  const std::string text = text_of(job);
  EXPECT_TRUE(says(text, "not told whose at the peak: 61.00 % of")) << text;
  EXPECT_TRUE(says(text, "WARNING: rank 0: at its peak nobody knows whose 61.00 of 100.00 MiB were")) << text;
  EXPECT_TRUE(says(text, "\n  not told, at the peak        61.00     0 ")) << text;
}

// A line a rank made the page of a job of a thousand unreadable.
TEST(MemoryJob, OfRanksThatDoNotKnowWhoHadThePeakTheOneWithMostIsNamed) {
  Job job;
  for (int number = 0; number < 3; ++number) {
    record::Content content = with_peak("alpha", 20 * kMiB, "MPI_Bcast");
    put(content, rise_of(40 * kMiB, number * 4 * kMiB));
    job.add(number, content);
  }
  EXPECT_TRUE(says(text_of(job),
                   "  WARNING: rank 2: at its peak nobody knows whose 8.00 of 40.00 MiB were: no block's or mapping's "
                   "that was seen, and no look found it. So it is of 2 ranks.\n"))
      << text_of(job);
  EXPECT_FALSE(says(text_of(job), "WARNING: rank 1")) << text_of(job);
}

// It had neither a time nor an interval.
TEST(MemoryJob, APeakBehindTheLastLookHasThatLookAsItsBegin) {
  const Job job = job_of(with_rise(60 * kMiB));
  EXPECT_TRUE(
      says(statistics_text_of(job), "100.00     0  alpha                     -  (behind the last look, 2.250)\n"))
      << statistics_text_of(job);
  EXPECT_TRUE(says(text_of(job), "100.0 MiB on alpha, behind the last look;")) << text_of(job);
  const nlohmann::ordered_json between = json_of(job)["ranks"][0]["peak_between"];
  EXPECT_DOUBLE_EQ(between["after_s"].get<double>(), 2.25);
  EXPECT_TRUE(between["before_s"].is_null()) << between;
}

// What the process was before it became this program may have had more.
TEST(MemoryJob, AMarkOfAnotherProgramTellsNoIntervalAndNoTime) {
  const Job job = job_of(with_rise(300 * kMiB));
  EXPECT_TRUE(json_of(job)["ranks"][0]["peak_between"].is_null());
  const nlohmann::ordered_json most = json_of(job)["statistics"]["total"]["most"];
  EXPECT_TRUE(most["at_s"].is_null() && most["after_s"].is_null() && most["before_s"].is_null()) << most;
  EXPECT_EQ(most["function"], "");
  EXPECT_TRUE(says(statistics_text_of(job), "100.00     0  alpha                     -  (not seen)\n"))
      << statistics_text_of(job);
  EXPECT_TRUE(says(text_of(job), "100.0 MiB on alpha; MPI's own")) << text_of(job);
}

TEST(MemoryJob, StatisticsNameTheRankHostTimeAndCallOfMostAndLeast) {
  Job job = job_of(with_peak("alpha", 20 * kMiB, "MPI_Bcast"));
  job.add(7, with_peak("beta", 30 * kMiB, "MPI_Recv"));
  const std::string text = statistics_text_of(job);
  EXPECT_TRUE(says(text, "  mpi              most      30.00     7  beta                  2.500  MPI_Recv in solve\n"))
      << text;
  EXPECT_TRUE(says(text, "  mpi              least     20.00     0  alpha                 2.500  MPI_Bcast in solve\n"))
      << text;
  EXPECT_TRUE(says(text, "  total            most      60.00     7  beta                  2.500  MPI_Recv\n")) << text;
  const nlohmann::ordered_json told = json_of(job)["statistics"]["mpi"];
  EXPECT_EQ(told["most"]["host"], "beta");
  EXPECT_EQ(told["least"]["rank"], 0);
  EXPECT_EQ(told["mean_bytes"], 25 * kMiB);
  EXPECT_EQ(told["sd_bytes"], 5 * kMiB);
  EXPECT_TRUE(
      says(statistics_rows_of(job),
           "\"mpi\",31457280,7,\"beta\",2.500,\"MPI_Recv\",\"solve\",,,\"\",20971520,0,\"alpha\",2.500,\"MPI_Bcast\","
           "\"solve\",,,\"\",26214400,5242880\n"))
      << statistics_rows_of(job);
}

TEST(MemoryJob, MemoryThatIsMostlyFarIsSaidWithWhatToTry) {
  EXPECT_FALSE(says(text_of(job_of(rank())), "NUMA"));
  EXPECT_FALSE(says(text_of(job_of(with_nearness(60 * kMiB, 40 * kMiB))), "NUMA"));
  const std::string one = text_of(job_of(with_nearness(25 * kMiB, 75 * kMiB)));
  EXPECT_TRUE(
      says(one, "WARNING: rank 0: 75.0 % of its memory lies on NUMA nodes far from the CPUs that it may use (4-7)"))
      << one;
  EXPECT_TRUE(says(one, "mpirun --bind-to numa"));
  EXPECT_FALSE(says(one, "So it is"));
  EXPECT_TRUE(says(text_of(job_of(with_nearness(25 * kMiB, 75 * kMiB), 3)), "So it is of 3 ranks."));
  EXPECT_EQ(json_of(job_of(with_nearness(1, 2)))["ranks"][0]["far_bytes"], 2);
}

TEST(MemoryJob, TheFarthestRankIsNamed) {
  Job job = job_of(with_nearness(40 * kMiB, 60 * kMiB));
  job.add(1, with_nearness(10 * kMiB, 90 * kMiB));
  EXPECT_TRUE(says(text_of(job), "WARNING: rank 1: 90.0 %")) << text_of(job);
}

TEST(MemoryJob, TheRuleOfOlderToolsSaysWhatItCosts) {
  const Job job = job_of(with_delta(kDeltaPssMethod, 1'900'000'000));
  const std::string text = text_of(job);
  EXPECT_TRUE(says(text, "MPI's (shares, without Comity's libraries): 12.00 MiB at the most on rank 0")) << text;
  EXPECT_TRUE(says(text, "3 of its 40 samples cannot be")) << text;
  EXPECT_TRUE(says(text, "looking took 1.9 s of 2 s: the run took at least 20 times as long, and more")) << text;
  const nlohmann::ordered_json told = json_of(job)["ranks"][0]["delta"];
  EXPECT_EQ(told["method"], "delta-pss");
  EXPECT_NEAR(told["slow_down"].get<double>(), 20.0, 0.01);
  EXPECT_EQ(told["functions"]["MPI_Recv"]["impossible_calls"], 3);
  EXPECT_FALSE(says(text_of(job_of(with_delta(kDeltaMethod, 1000))), "(shares"));
  EXPECT_EQ(job_of(with_delta(kDeltaMethod, 9'000'000'000)).ranks[0].delta->slow_down(), 1.0)
      << "threads that read at once";
}

TEST(MemoryJob, ARankWithSeveralRowsOfOnePlaceIsOneRank) {
  record::Content content = rank();
  Table objects(kObjectsTable, {{"kind", ColumnKind::text},
                                {"function", ColumnKind::text},
                                {"where", ColumnKind::text},
                                {"live", ColumnKind::integer},
                                {"made", ColumnKind::integer}});
  for (const std::int64_t live : {2, 0, 3}) {
    objects.add_row({std::string("group"), std::string("MPI_Comm_group"), std::string("solver+0x10"), live, live + 1});
  }
  put(content, std::move(objects));
  const Job job = job_of(content, 2);
  ASSERT_EQ(job.objects.size(), 1U);
  const ObjectFigures& figures = job.objects.begin()->second;
  EXPECT_EQ(figures.live, 10);
  EXPECT_EQ(figures.made, 16);
  EXPECT_EQ(figures.ranks, 2);
}

Table no_paths() {
  return Table(kPathsTable, {{"component", ColumnKind::text},
                             {"path", ColumnKind::text},
                             {"most_bytes", ColumnKind::integer},
                             {"last_bytes", ColumnKind::integer},
                             {"asked_bytes", ColumnKind::integer},
                             {"times", ColumnKind::integer}});
}

TEST(MemoryJob, CallPathsAreAddedUpOverRanks) {
  record::Content content = rank();
  Table paths = no_paths();
  paths.add_row({std::string("comity"), std::string("libcomity.so+0x1"), 50 * kMiB, kMiB, 60 * kMiB, std::int64_t{1}});
  paths.add_row({std::string("mpi"), std::string("libmpi.so+0x2 < solver+0x10 (main+0x5)"), 20 * kMiB, 4 * kMiB,
                 30 * kMiB, std::int64_t{7}});
  put(content, std::move(paths));
  const Job job = job_of(content, 3);
  const std::string text = page_of(job);
  EXPECT_TRUE(
      says(text, "       60.00     12.00      90.00       21  mpi          libmpi.so+0x2 < solver+0x10 (main+0x5)\n"))
      << text;
  EXPECT_FALSE(says(text, "libcomity.so+0x1")) << text;
  const nlohmann::ordered_json told = json_of(job)["ranks"][2]["paths"];
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1]["path"], (nlohmann::ordered_json{"libmpi.so+0x2", "solver+0x10 (main+0x5)"}));
  EXPECT_EQ(told[1]["most_bytes"], 20 * kMiB);
  EXPECT_TRUE(says(path_rows_of(job), "2,\"mpi\",20971520,4194304,31457280,7,\"libmpi.so+0x2 < solver"))
      << path_rows_of(job);
  EXPECT_EQ(paths_text_of(job_of(rank())), "");
}

TEST(MemoryJob, ATableThatIsNoneOfTheseLeavesTheJobAsItWas) {
  record::Content content = rank();
  Table objects(kObjectsTable, {{"kind", ColumnKind::text},
                                {"function", ColumnKind::text},
                                {"where", ColumnKind::text},
                                {"live", ColumnKind::integer}});
  objects.add_row({std::string("group"), std::string("MPI_Comm_group"), std::string("solver+0x10"), std::int64_t{1}});
  put(content, std::move(objects));
  Job job = job_of(rank());
  EXPECT_THROW(job.add(1, content), Error);
  EXPECT_EQ(job.ranks.size(), 1U);
  EXPECT_TRUE(job.objects.empty());
}

TEST(MemoryJob, FiguresThatCannotBeAreBounded) {
  record::Content content =
      with_total(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                 std::numeric_limits<std::int64_t>::max());
  content.facts[kStartFact] = "-9223372036854775808";
  const Job job = job_of(content, 2);
  EXPECT_FALSE(page_of(job).empty());
  EXPECT_EQ(job.ranks[0].totals.back().of("uss_bytes"), std::int64_t{1} << 56U);
}

// What a call path asks for in all is more than there ever is: 12 days at 2 GiB a second are 2 PiB.
TEST(MemoryJob, BytesOfALongRunAreToldAsTheyAre) {
  constexpr std::int64_t kPiB = std::int64_t{1} << 50U;
  record::Content content = rank();
  Table paths = no_paths();
  paths.add_row({std::string("mpi"), std::string("libmpi.so+0x2"), kMiB, kMiB, 2 * kPiB + 1, std::int64_t{7}});
  put(content, std::move(paths));
  EXPECT_EQ(job_of(content).ranks[0].paths[0].asked, 2 * kPiB + 1);
}

// With a column of bytes on a NUMA node behind the others.
record::Content with_uses(const std::string& last_column) {
  record::Content content = rank();
  std::vector<record::ColumnName> columns{{"moment", ColumnKind::text}, {"component", ColumnKind::text}};
  for (const UseColumn& column : kUseColumns) columns.push_back({column.name, ColumnKind::integer});
  columns.push_back({last_column, ColumnKind::integer});
  Table uses(kUsesTable, columns);
  for (const char* const moment : {"after MPI_Init", "at the end"}) {
    std::vector<record::Cell> cells{std::string(moment), std::string("mpi")};
    for (std::size_t i = 0; i <= kUseColumns.size(); ++i) cells.emplace_back(static_cast<std::int64_t>(i + 1) * kMiB);
    uses.add_row(cells);
  }
  put(content, std::move(uses));
  return content;
}

TEST(MemoryJob, ComponentsHaveWhatTheyHadAtEachLookAtAllPages) {
  Job job = job_of(with_uses("node,1_bytes"));
  const auto ends = [](const std::string& text, const std::string& end) { return text.ends_with(end); };
  EXPECT_TRUE(ends(moment_rows_of(job),
                   "virtual_bytes\n0,\"after MPI_Init\",\"mpi\",1048576,2097152,3145728,4194304,"
                   "5242880,6291456,7340032,8388608,9437184,10485760\n0,\"at the end\",\"mpi\","
                   "1048576,2097152,3145728,4194304,5242880,6291456,7340032,8388608,9437184,10485760\n"))
      << moment_rows_of(job);
  job.add(1, with_uses("node1_bytes"));
  EXPECT_TRUE(says(moment_rows_of(job), "hugetlb_bytes,virtual_bytes,node1_bytes\n")) << moment_rows_of(job);
  EXPECT_TRUE(says(moment_rows_of(job), "10485760,\n1,")) << "the first rank knows no nodes";
  EXPECT_TRUE(ends(moment_rows_of(job), "10485760,11534336\n")) << moment_rows_of(job);
  const nlohmann::ordered_json told = json_of(job)["ranks"][1]["moments"];
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[1]["moment"], "at the end");
  EXPECT_EQ(told[1]["pss_bytes"], 2 * kMiB);
  EXPECT_EQ(told[1]["node1_bytes"], 11 * kMiB);
  EXPECT_TRUE(
      says(page_of(job), "  mpi                   2.00      4.00      6.00      8.00     10.00     12.00     14.00\n"))
      << page_of(job);
  EXPECT_EQ(moments_text_of(job_of(rank())), "");
}

TEST(MemoryJob, NoNodeIsBeyondWhatKernelsNumber) {
  EXPECT_TRUE(says(moment_rows_of(job_of(with_uses("node1023_bytes"))), ",node1023_bytes\n"));
  for (const char* const column : {"node1024_bytes", "node2147483647_bytes", "node01_bytes", "node-1_bytes"}) {
    const Job job = job_of(with_uses(column));
    EXPECT_TRUE(says(moment_rows_of(job), ",virtual_bytes\n")) << column;
    EXPECT_FALSE(json_of(job)["ranks"][0]["moments"][0].contains(column)) << column;
  }
}

// Its memory of "at the end" lies on node 1 alone.
record::Content with_numa(std::int64_t threads_there, const std::string& cpus_there = "4-7") {
  record::Content content = with_uses("node1_bytes");
  put(content, numa_table_of(std::vector<NodeThreads>{{0, {0, 1, 2, 3}, 2}}));
  Table& numa = content.tables.at(kNumaTable);
  numa.add_row({std::int64_t{1}, cpus_there, threads_there});
  numa.add_row({std::int64_t{1024}, std::string("9"), std::int64_t{1}});
  return content;
}

TEST(MemoryJob, ComponentsLieNearThreadsOrFarFromThem) {
  Job job = job_of(with_numa(0));
  EXPECT_TRUE(says(page_of(job),
                   "  component             near       far   no CPUs\n"
                   "  mpi                   0.00     11.00      0.00\n"))
      << page_of(job);
  job.add(1, with_numa(3));
  job.add(2, with_numa(0, ""));
  EXPECT_TRUE(says(numa_text_of(job), "  mpi                  11.00     11.00     11.00\n")) << numa_text_of(job);
  const nlohmann::ordered_json told = json_of(job)["ranks"][1]["numa"];
  ASSERT_EQ(told.size(), 2U) << "no kernel numbers a node 1024";
  EXPECT_EQ(told[0]["cpus"], "0-3");
  EXPECT_TRUE(told[0]["components"].empty());
  EXPECT_EQ(told[1]["threads"], 3);
  EXPECT_EQ(told[1]["components"]["mpi"], 11 * kMiB) << "of the last look alone";
  EXPECT_EQ(numa_rows_of(job),
            "rank,node,cpus,threads,component,bytes\n0,1,\"4-7\",0,\"mpi\",11534336\n1,1,\"4-7\",3,\"mpi\",11534336\n"
            "2,1,\"\",0,\"mpi\",11534336\n");
}

TEST(MemoryJob, OnMachinesWithOneNodeNoneIsTold) {
  const Job job = job_of(with_uses("node0_bytes"));
  EXPECT_EQ(numa_text_of(job), "");
  EXPECT_TRUE(json_of(job)["ranks"][0]["numa"].empty());
}

TEST(MemoryJob, WhatTheMpiSaysOfItsOwnMemoryStandsBeside) {
  static int left = 0;
  static std::int64_t value = 0;
  MpiVariables variables(
      [] {
        return std::vector<MpiVariable>{{"mpool_bytes", "held by \"mpool\"", value += 100}};
      },
      [] { ++left; });
  for (const Moment moment : {Moment::after_init, Moment::asked, Moment::asked, Moment::at_exit})
    variables.note(moment);
  EXPECT_EQ(left, 0);
  variables.note(Moment::at_end);
  EXPECT_EQ(left, 1) << "MPI is there no more";
  record::Content content = rank();
  put(content, variables.table());
  const Job job = job_of(content, 2);
  EXPECT_TRUE(says(page_of(job), "             800            400     0  mpool_bytes: held by \"mpool\"\n"))
      << page_of(job);
  const nlohmann::ordered_json told = json_of(job)["ranks"][1]["mpi_variables"];
  ASSERT_EQ(told.size(), 3U) << "of those that come again the last one";
  EXPECT_EQ(told[1]["moment"], "asked for");
  EXPECT_EQ(told[1]["value"], 300);
  EXPECT_TRUE(says(variable_rows_of(job), "\n1,\"at the end\",\"mpool_bytes\",\"held by \"\"mpool\"\"\",400\n"))
      << variable_rows_of(job);
}

TEST(MemoryJob, AnMpiThatSaysNothingAndOneThatNobodyAskedAreToldApart) {
  EXPECT_EQ(variables_text_of(job_of(rank())), "");
  EXPECT_TRUE(json_of(job_of(rank()))["ranks"][0]["mpi_variables"].is_null());
  MpiVariables none([] { return std::vector<MpiVariable>{}; }, [] {});
  none.note(Moment::at_end);
  record::Content content = rank();
  put(content, none.table());
  EXPECT_TRUE(says(page_of(job_of(content)), "this MPI has no variable (MPI_T)"));
  EXPECT_EQ(json_of(job_of(content))["ranks"][0]["mpi_variables"].size(), 0U);
}

TEST(MemoryJob, ANameTellsWhetherAVariableIsAboutMemory) {
  for (const char* const name : {"mpool_hugepage_bytes_allocated", "mem_pool", "heap_size"})
    EXPECT_TRUE(counts_memory(name)) << name;
  for (const char* const name : {"mtl_psm2_mq_rx_sysbuf_bytes", "unexpected_recvq_length", "members"})
    EXPECT_FALSE(counts_memory(name)) << name;
}

record::Content with_segment(const std::string& maker, std::int64_t inode, std::int64_t pss,
                             const std::string& name = "/dev/shm/window") {
  record::Content content = rank();
  content.facts[record::kHostFact] = "alpha";
  content.facts[record::kNodeFact] = "0";
  Table segments(kSegmentsTable, {{"segment", ColumnKind::text},
                                  {"maker", ColumnKind::text},
                                  {"device", ColumnKind::integer},
                                  {"inode", ColumnKind::integer},
                                  {"mapped_bytes", ColumnKind::integer},
                                  {"rss_bytes", ColumnKind::integer},
                                  {"pss_bytes", ColumnKind::integer}});
  segments.add_row({name, maker, std::int64_t{1}, inode, 64 * kMiB, 2 * pss, pss});
  put(content, std::move(segments));
  return content;
}

TEST(MemoryJob, ASegmentIsOneForTheRanksOfItsNode) {
  Job job = job_of(with_segment("shared", 7, 6 * kMiB));
  job.add(1, with_segment("mpi", 7, 2 * kMiB));
  job.add(2, with_segment("shared", 8, kMiB));  // another one of the same name
  record::Content elsewhere = with_segment("mpi", 7, kMiB / 2);
  elsewhere.facts[record::kNodeFact] = "1";
  job.add(3, elsewhere);
  const nlohmann::ordered_json told = json_of(job)["segments"];
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0]["maker"], "mpi") << "one of its ranks knew";
  EXPECT_EQ(told[0]["ranks"], 2);
  EXPECT_EQ(told[0]["pss_bytes"], 8 * kMiB);
  EXPECT_EQ(told[0]["mapped_bytes"], 64 * kMiB);
  ASSERT_EQ(told[0]["mapped_by"].size(), 2U);
  EXPECT_EQ(told[0]["mapped_by"][1]["rank"], 1);
  EXPECT_EQ(told[0]["mapped_by"][1]["pss_bytes"], 2 * kMiB);
  EXPECT_EQ(told[0]["mapped_by"][0]["rss_bytes"], 12 * kMiB);
  EXPECT_TRUE(told[1]["maker"].is_null());
  EXPECT_EQ(told[2]["node"], 1);
  EXPECT_TRUE(says(page_of(job), "        8.00     64.00      2  mpi          /dev/shm/window on alpha\n"))
      << page_of(job);
  EXPECT_TRUE(says(segments_text_of(job), "      1  (not known)  /dev/shm/window")) << segments_text_of(job);
  EXPECT_TRUE(says(segment_rows_of(job), "0,\"alpha\",\"/dev/shm/window\",1,8,,1,67108864,2097152,1048576,\"2\"\n"))
      << segment_rows_of(job);
  job.add(4, with_segment("mpi", 7, kMiB));
  EXPECT_TRUE(says(segment_rows_of(job), ",\"0-1 4\"\n")) << segment_rows_of(job);
  EXPECT_EQ(segments_text_of(job_of(rank())), "");
}

TEST(MemoryJob, ASegmentThatWasDeletedMeanwhileIsTheSame) {
  Job job = job_of(with_segment("mpi", 7, 6 * kMiB));
  job.add(1, with_segment("shared", 7, 2 * kMiB, "/dev/shm/window (deleted)"));
  job.add(2, with_segment("shared", 7, kMiB, "/dev/shm/another (deleted)"));
  const nlohmann::ordered_json told = json_of(job)["segments"];
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0]["segment"], "/dev/shm/window");
  EXPECT_EQ(told[0]["ranks"], 2);
  EXPECT_EQ(told[0]["pss_bytes"], 8 * kMiB);
}

TEST(MemoryJob, ANodeHasItsNumber) {
  record::Content content = rank();
  EXPECT_EQ(job_of(content).ranks[0].node, -1);
  content.facts[record::kNodeFact] = "12";
  EXPECT_EQ(job_of(content).ranks[0].node, 12);
  content.facts[record::kNodeFact] = "many";
  EXPECT_EQ(job_of(content).ranks[0].node, -1);
}

TEST(MemoryJob, ARecordWithoutTheseTablesIsReadAsEver) {
  const Job job = job_of(rank());
  EXPECT_EQ(job.ranks[0].samples, 0);
  EXPECT_EQ(job.ranks[0].nearness.far_bytes, 0U);
  EXPECT_FALSE(says(text_of(job), "ERROR"));
  EXPECT_FALSE(job.ranks[0].delta);
}

}  // namespace
}  // namespace comity::memory
