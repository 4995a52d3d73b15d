// SPDX-License-Identifier: BSD-3-Clause
// The record of a large job, multiplied from the files of a few ranks as record-multiply does it, is read up to its summaries; seconds
// and memory are printed beside their goals. Seconds decide nothing here.
//
// RECORD_RANKS (200 without it): how many ranks of 64 KB. RECORD_FILES: the files of a real job's ranks, with ':' between; without it
// they are of ranks that this test makes up.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "base/clock.hpp"
#include "multiply.hpp"
#include "record/run/run_reader.hpp"
#include "record/writer.hpp"
#include "sanitizer.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

constexpr std::uint32_t kMadeUp = 4;
constexpr const char* kCalls = "metrics.calls";  // as a real rank has them
constexpr const char* kCount = "calls";
constexpr std::size_t kBody_bytes = 65536;
constexpr long kMostMemory_kb = 1L << 20U;
constexpr double kGoal_s = 5.0;  // of 10,000 ranks

std::uint32_t wanted_ranks() {
  const char* const text = std::getenv("RECORD_RANKS");
  return text == nullptr ? 200 : static_cast<std::uint32_t>(std::atoi(text));
}

// As much over time as fits into the body, and tables of a usual size.
std::string make_up_rank(const os::Folder& folder, std::uint32_t rank) {
  record::Writer writer(folder, {.rank = rank, .ranks = kMadeUp, .node = 0}, 512U << 10U);
  for (int i = 0; i < 40; ++i) writer.set_fact("environment VARIABLE_" + std::to_string(i), std::string(60, 'v'));
  record::Table calls(kCalls, {{"function", record::ColumnKind::text},
                               {"region", record::ColumnKind::text},
                               {kCount, record::ColumnKind::integer},
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

std::vector<std::string> rank_files(const os::Folder& folder) {
  std::vector<std::string> files;
  if (const char* const given = std::getenv("RECORD_FILES")) {
    std::istringstream words(given);
    for (std::string file; std::getline(words, file, ':');) files.push_back(file);
    return files;
  }
  for (std::uint32_t rank = 0; rank < kMadeUp; ++rank) files.push_back(make_up_rank(folder, rank));
  return files;
}

// All calls that a file's rank has made.
std::int64_t calls_in(const std::string& file) {
  const record::RankReader reader(file);
  const record::Table& calls = reader.content().tables.at(kCalls);
  std::int64_t sum = 0;
  for (std::size_t row = 0; row < calls.rows(); ++row) sum += calls.integer(row, kCount);
  return sum;
}

long most_memory_kb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

// Prints what the reading took; run in a process of its own, so that its memory is that of a reader.
void read_up_to_summaries(const std::string& folder, std::uint32_t ranks, const std::vector<std::int64_t>& calls_of) {
  const long before_kb = most_memory_kb();
  const std::int64_t begin_ns = now_ns();
  const record::RunReader run(folder);
  const record::TableSummary& calls = run.all().table(kCalls);
  const double seconds = 1e-9 * static_cast<double>(now_ns() - begin_ns);
  EXPECT_EQ(run.ranks().size(), ranks);
  std::int64_t expected = 0, found = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) expected += calls_of[rank % calls_of.size()];
  for (const auto& [key, row] : calls.rows) found += std::get<record::Spread<std::int64_t>>(calls.at(key, kCount)).sum;
  EXPECT_EQ(found, expected);
  EXPECT_EQ(run.nodes().size(), (ranks + 63) / 64);
  EXPECT_EQ(run.rank(ranks - 1).content.facts.at("rank"), std::to_string(ranks - 1));
  const long most_kb = most_memory_kb();
  std::printf(
      "%u ranks, %.0f MB: read up to the summaries in %.4f s (goal %.0f s for 10,000: %s), %ld MB of memory (%ld MB)\n",
      ranks, 1e-6 * static_cast<double>(std::filesystem::file_size(folder + "/run.comity")), seconds, kGoal_s,
      seconds <= kGoal_s ? "met" : "missed", most_kb / 1024, kMostMemory_kb / 1024);
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
  const std::vector<std::string> sources = rank_files(folder);
  std::vector<std::int64_t> calls;
  for (const std::string& source : sources) calls.push_back(calls_in(source));
  multiply(sources, {.ranks = ranks, .body_bytes = kBody_bytes}, temporary / "run");
  EXPECT_GT(std::filesystem::file_size(temporary / "run/run.comity"), std::uint64_t{ranks} * kBody_bytes * 3 / 4)
      << "the files have too little to tell to fill bodies of " << kBody_bytes << " bytes";
  const pid_t reader = ::fork();
  if (reader == 0) {
    read_up_to_summaries(temporary / "run", ranks, calls);
    std::fflush(nullptr);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 1;
  ::waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace comity::testing
