// SPDX-License-Identifier: BSD-3-Clause
// The record of a large job, multiplied from real ranks' files, is read up to its summaries; seconds and memory are printed.
//
// RECORD_RANKS (200 without it): how many ranks of 64 KB.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/clock.hpp"
#include "multiply.hpp"
#include "record/run/run_reader.hpp"
#include "record/writer.hpp"
#include "sanitizer.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

constexpr std::uint32_t kSources = 4;
constexpr std::size_t kBody_bytes = 65536;
constexpr long kMostMemory_kb = 1L << 20U;

std::uint32_t wanted_ranks() {
  const char* const text = std::getenv("RECORD_RANKS");
  return text == nullptr ? 200 : static_cast<std::uint32_t>(std::atoi(text));
}

// A real rank's file: as much over time as fits into the body, and tables of a usual size.
std::string record_rank(const os::Folder& folder, std::uint32_t rank) {
  record::Writer writer(folder, {.rank = rank, .ranks = kSources, .node = 0}, 512U << 10U);
  for (int i = 0; i < 40; ++i) writer.set_fact("environment VARIABLE_" + std::to_string(i), std::string(60, 'v'));
  record::Table calls("calls", {{"function", record::ColumnKind::text},
                                {"region", record::ColumnKind::text},
                                {"count", record::ColumnKind::integer},
                                {"wait_s", record::ColumnKind::real}});
  for (int row = 0; row < 100; ++row) {
    calls.add_row({"MPI_Function_" + std::to_string(row % 25), "region " + std::to_string(row / 25),
                   std::int64_t{rank + 1}, 0.001 * row});
  }
  EXPECT_TRUE(writer.put_table(calls));
  const record::SeriesRef memory = writer.series("memory_bytes");
  const record::SpansRef solve = writer.spans("main", "solve");
  for (std::int64_t i = 0; i < 575; ++i) {
    writer.sample(memory, 1'000'000 * i, static_cast<double>(i));
    writer.span(solve, 1'000'000 * i, 1'000'000 * i + 500'000);
  }
  writer.close();
  EXPECT_EQ(writer.generations(), 0U);
  return writer.path();
}

long most_memory_kb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

// Prints what the reading took; run in a process of its own, so that its memory is that of a reader.
void read_up_to_summaries(const std::string& folder, std::uint32_t ranks) {
  const long before_kb = most_memory_kb();
  const std::int64_t begin_ns = now_ns();
  const record::RunReader run(folder);
  const record::TableSummary& calls = run.all().table("calls");
  const double seconds = 1e-9 * static_cast<double>(now_ns() - begin_ns);
  EXPECT_EQ(run.ranks().size(), ranks);
  EXPECT_EQ(calls.rows.size(), 100U);
  std::int64_t expected = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) expected += rank % kSources + 1;
  const auto& count = std::get<record::Spread<std::int64_t>>(calls.at({"MPI_Function_3", "region 0"}, "count"));
  EXPECT_EQ(count.sum, expected);
  EXPECT_EQ(run.nodes().size(), (ranks + 63) / 64);
  EXPECT_EQ(run.rank(ranks - 1).content.facts.at("rank"), std::to_string(ranks - 1));
  const long most_kb = most_memory_kb();
  std::printf("%u ranks, %.0f MB: read up to the summaries in %.4f s, %ld MB of memory at most\n", ranks,
              1e-6 * static_cast<double>(std::filesystem::file_size(folder + "/run.comity")), seconds, most_kb / 1024);
  EXPECT_LT(most_kb, kMostMemory_kb);
  const long bodies_kb = static_cast<long>(ranks * (kBody_bytes / 1024));
  if (!kHasSanitizer) {
    EXPECT_LT(most_kb - before_kb, bodies_kb / 2) << "it holds what it need not";
  }
}

TEST(LargeRun, IsReadUpToItsSummaries) {
  const std::uint32_t ranks = wanted_ranks();
  const TemporaryFolder temporary;
  const os::Folder folder(temporary.path());
  std::vector<std::string> sources;
  for (std::uint32_t rank = 0; rank < kSources; ++rank) sources.push_back(record_rank(folder, rank));
  multiply(sources, {.ranks = ranks, .body_bytes = kBody_bytes}, temporary / "run");
  EXPECT_GT(std::filesystem::file_size(temporary / "run/run.comity"), std::uint64_t{ranks} * kBody_bytes * 3 / 4);
  const pid_t reader = ::fork();
  if (reader == 0) {
    read_up_to_summaries(temporary / "run", ranks);
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 1;
  ::waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace comity::testing
