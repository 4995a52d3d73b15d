// SPDX-License-Identifier: BSD-3-Clause
// What a rank records is what a reader finds: small and large, while it runs and after its end, from many threads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/error.hpp"
#include "record/merge/names.hpp"
#include "record/rank_reader.hpp"
#include "record/writer.hpp"
#include "temporary_folder.hpp"

namespace comity::record {
namespace {

using testing::TemporaryFolder;

class Recording : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return temporary_ / rank_file_name(kWho.rank); }
  [[nodiscard]] RankReader read() const { return RankReader(file()); }

  static constexpr Identity kWho{.rank = 3, .ranks = 8, .node = 1};
  TemporaryFolder temporary_;
  os::Folder folder_{temporary_.path()};
};

Table table_of(std::int64_t rows, std::int64_t value = 1) {
  Table table("calls", {{"function", ColumnKind::text}, {"count", ColumnKind::integer}});
  for (std::int64_t row = 0; row < rows; ++row) table.add_row({"function " + std::to_string(row), value});
  return table;
}

TEST_F(Recording, IsReadAsItWasWritten) {
  {
    Writer writer(folder_, kWho);
    EXPECT_TRUE(writer.set_fact("program", "a"));
    EXPECT_TRUE(writer.set_fact("program", "twomesh"));
    EXPECT_TRUE(writer.put_table(table_of(1)));
    EXPECT_TRUE(writer.put_table(table_of(3)));
    const SeriesRef memory = writer.series("memory_bytes");
    const SpansRef solve = writer.spans("thread 1", "solve");
    writer.sample(memory, 10, 1.5);
    writer.sample(memory, 20, 2.5);
    writer.span(solve, 11, 19);
    EXPECT_EQ(writer.path(), file());
    writer.close();
  }
  const RankReader reader = read();
  EXPECT_EQ(reader.who().rank, 3U);
  EXPECT_EQ(reader.who().ranks, 8U);
  EXPECT_EQ(reader.who().node, 1U);
  EXPECT_EQ(reader.state(), "ended");
  EXPECT_EQ(reader.content().facts.at("program"), "twomesh");
  EXPECT_EQ(reader.content().tables.at("calls"), table_of(3));
  ASSERT_EQ(reader.content().series.size(), 1U);
  EXPECT_EQ(reader.content().series.begin()->second,
            (Series{.name = "memory_bytes", .entries = {sample_entry(10, 1.5), sample_entry(20, 2.5)}}));
  ASSERT_EQ(reader.content().spans.size(), 1U);
  EXPECT_EQ(reader.content().spans.begin()->second,
            (Spans{.lane = "thread 1", .name = "solve", .entries = {span_entry(11, 19)}}));
}

TEST_F(Recording, CanBeReadWhileItRuns) {
  Writer writer(folder_, kWho);
  writer.sample(writer.series("x"), 1, 1);
  const RankReader reader = read();
  EXPECT_TRUE(reader.is_in_use());
  EXPECT_EQ(reader.state(), "in use");
  EXPECT_EQ(reader.content().series.at(0).entries.size(), 1U);
}

TEST_F(Recording, ThatWasNotClosedSaysSo) {
  {
    Writer writer(folder_, kWho);
    writer.set_fact("a", "b");
  }
  EXPECT_EQ(read().state(), "did not end");
  EXPECT_FALSE(read().ended_well());
}

TEST_F(Recording, AfterTheCloseIsOver) {
  Writer writer(folder_, kWho);
  const SeriesRef x = writer.series("x");
  writer.close();
  writer.sample(x, 1, 1);
  EXPECT_FALSE(writer.set_fact("a", "b"));
  EXPECT_FALSE(writer.is_recording());
  writer.close();
  EXPECT_TRUE(read().content().series.at(0).entries.empty());
}

TEST_F(Recording, GivesOneStreamForOneName) {
  Writer writer(folder_, kWho);
  EXPECT_EQ(writer.series("x").id, writer.series("x").id);
  EXPECT_NE(writer.series("x").id, writer.series("y").id);
  EXPECT_EQ(writer.spans("a", "bc").id, writer.spans("a", "bc").id);
  EXPECT_NE(writer.spans("a", "bc").id, writer.spans("ab", "c").id);
  EXPECT_NE(writer.spans("a", "x").id, writer.series("x").id);
}

TEST_F(Recording, StaysWithinItsBudgetAndCoversTheWholeRun) {
  constexpr std::uint64_t kBudget = 64U << 10U;
  constexpr std::int64_t kSamples = 100'000;
  Writer writer(folder_, kWho, kBudget);
  writer.set_fact("program", "twomesh");
  const SeriesRef x = writer.series("x");
  const SpansRef region = writer.spans("main", "region");
  for (std::int64_t i = 0; i < kSamples; ++i) {
    writer.sample(x, i, static_cast<double>(i % 1000));
    writer.span(region, i, i + 1);
    if (i % 1000 == 0) {
      ASSERT_TRUE(writer.put_table(table_of(20, i)));
    }
  }
  writer.close();
  EXPECT_GT(writer.generations(), 10U);
  EXPECT_LE(std::filesystem::file_size(file()), kBudget);
  const RankReader reader = read();
  EXPECT_TRUE(reader.ended_well());
  EXPECT_EQ(reader.content().facts.at("program"), "twomesh");
  EXPECT_EQ(reader.content().tables.at("calls"), table_of(20, kSamples - 1000));
  const auto& entries = reader.content().series.at(0).entries;
  EXPECT_GT(entries.size(), 50U);
  EXPECT_EQ(entries.front().first_ns, 0);
  EXPECT_EQ(entries.back().last_ns, kSamples - 1);
  std::uint64_t samples = 0;
  for (const SampleEntry& entry : entries) samples += entry.count;
  EXPECT_EQ(samples, static_cast<std::uint64_t>(kSamples));
  std::int64_t spans_ns = 0;
  for (const SpanEntry& entry : reader.content().spans.at(1).entries) spans_ns += entry.sum_ns;
  EXPECT_EQ(spans_ns, kSamples);
}

TEST_F(Recording, OfTheLeastBudgetTakesWhateverComesInWhateverOrder) {
  Writer writer(folder_, kWho, kLeastBudget_bytes);
  for (int i = 0; i < 3000; ++i) {
    writer.set_fact("fact " + std::to_string(i % 70), std::string(static_cast<std::size_t>(i % 90), 'f'));
    Table table("table " + std::to_string(i % 9), {{"n", ColumnKind::integer}});
    for (int row = 0; row < i % 200; ++row) table.add_row({std::int64_t{i}});
    writer.put_table(table);
    writer.sample(writer.series("series " + std::to_string(i % 50)), i, i);
    writer.span(writer.spans("lane " + std::to_string(i % 5), "name " + std::to_string(i % 7)), i, i + 1);
  }
  EXPECT_TRUE(writer.is_recording());
  writer.close();
  const RankReader reader = read();
  EXPECT_EQ(reader.state(), "ended");
  EXPECT_TRUE(reader.content().facts.contains(kIncompleteFact));
  EXPECT_LE(std::filesystem::file_size(file()), kLeastBudget_bytes);
}

TEST_F(Recording, RefusesWhatIsLargerThanItsShareAndKeepsTheSnapshotBefore) {
  Writer writer(folder_, kWho, kLeastBudget_bytes);
  EXPECT_TRUE(writer.put_table(table_of(50)));
  EXPECT_FALSE(writer.put_table(table_of(1000)));
  EXPECT_FALSE(writer.set_fact("big", std::string(10'000, 'x')));
  EXPECT_TRUE(writer.set_fact("small", "x"));
  EXPECT_TRUE(writer.is_recording());
  writer.close();
  const RankReader reader = read();
  EXPECT_EQ(reader.content().tables.at("calls"), table_of(50));
  EXPECT_FALSE(reader.content().facts.contains("big"));
  EXPECT_EQ(reader.content().facts.at(kIncompleteFact), "the table calls did not fit; the fact big did not fit");
  EXPECT_TRUE(found_no_room(reader.content().facts, the_table("calls")));
  EXPECT_FALSE(found_no_room(reader.content().facts, the_table("call")));
}

TEST_F(Recording, LeavesRoomBehindTablesForFactsThatComeLater) {
  Writer writer(folder_, kWho, kLeastBudget_bytes);
  for (int rows = 1; writer.put_table(table_of(rows)); ++rows) {
  }
  EXPECT_TRUE(writer.set_fact("end", "MPI_Finalize"));
}

TEST_F(Recording, TellsOfNoLackOfRoomOnceThereIsSome) {
  Writer writer(folder_, kWho, kLeastBudget_bytes);
  EXPECT_FALSE(writer.put_table(table_of(1000)));
  EXPECT_FALSE(writer.set_fact("big", std::string(10'000, 'x')));
  EXPECT_TRUE(writer.put_table(table_of(5)));
  EXPECT_EQ(read().content().facts.at(kIncompleteFact), "the fact big did not fit");
  EXPECT_TRUE(writer.set_fact("big", "x"));
  EXPECT_EQ(read().content().facts.at(kIncompleteFact), "");
}

TEST(WithoutRoom, AreSoManyAtTheMostAndTablesFirst) {
  Incomplete incomplete;
  for (int i = 0; i < 100; ++i) incomplete.refuse(the_fact(std::to_string(i) + std::string(100, 'x')));
  EXPECT_TRUE(incomplete.refuse(the_table("calls")));
  EXPECT_FALSE(incomplete.refuse(the_table("calls"))) << "no news";
  EXPECT_TRUE(incomplete.words().starts_with("the table calls did not fit; the fact 0xx"));
  EXPECT_TRUE(incomplete.words().ends_with("; and more"));
  EXPECT_LT(incomplete.words().size(), kMostWithoutRoom * (kLongestWithoutRoom_bytes + 20));
  EXPECT_TRUE(found_no_room({{kIncompleteFact, incomplete.words()}}, the_table("calls")));
}

TEST_F(Recording, RefusesABudgetOutOfRange) {
  for (const std::uint64_t budget : {std::uint64_t{0}, kLeastBudget_bytes - 1, kMostBudget_bytes + 1}) {
    try {
      const Writer writer(folder_, kWho, budget);
      FAIL() << budget;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::range);
    }
  }
  EXPECT_TRUE(folder_.names().empty());
}

TEST_F(Recording, NeverTakesAFileThatIsThere) {
  testing::write_bytes(file(), Bytes(10));
  try {
    const Writer writer(folder_, kWho);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("left by an earlier job"), std::string::npos) << error.what();
  }
  EXPECT_EQ(std::filesystem::file_size(file()), 10U);
}

TEST_F(Recording, OfManyThreadsLosesNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 5000;
  Writer writer(folder_, kWho, 64U << 10U);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&writer, thread] {
      const SpansRef mine = writer.spans("thread " + std::to_string(thread), "region");
      const SeriesRef shared = writer.series("shared");
      for (int i = 0; i < kEach; ++i) {
        writer.span(mine, i, i + 2);
        writer.sample(shared, i, thread);
        if (i % 500 == 0) writer.set_fact("thread " + std::to_string(thread), std::to_string(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.close();
  const RankReader reader = read();
  ASSERT_EQ(reader.content().spans.size(), static_cast<std::size_t>(kThreads));
  for (const auto& [id, spans] : reader.content().spans) {
    std::uint64_t count = 0;
    for (const SpanEntry& entry : spans.entries) count += entry.count;
    EXPECT_EQ(count, static_cast<std::uint64_t>(kEach)) << spans.lane;
  }
  std::uint64_t samples = 0;
  for (const SampleEntry& entry : reader.content().series.begin()->second.entries) samples += entry.count;
  EXPECT_EQ(samples, static_cast<std::uint64_t>(kThreads * kEach));
}

TEST_F(Recording, IsReadWhileItsGenerationsChange) {
  Writer writer(folder_, kWho, kLeastBudget_bytes);
  const SeriesRef x = writer.series("x");
  std::atomic<bool> over = false;
  std::thread recorder([&] {
    for (std::int64_t i = 0; !over.load(); ++i) writer.sample(x, i, 1);
  });
  const struct Stop {  // also where the body throws
    std::atomic<bool>& over;
    std::thread& recorder;
    ~Stop() {
      over.store(true);
      recorder.join();
    }
  } stop{over, recorder};
  std::int64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const RankReader reader = read();
    EXPECT_FALSE(reader.is_damaged()) << reader.state();
    const auto& entries = reader.content().series.at(0).entries;
    if (entries.empty()) continue;
    EXPECT_GE(entries.back().last_ns, last);
    EXPECT_EQ(entries.front().first_ns, 0);
    last = entries.back().last_ns;
  }
}

TEST_F(Recording, OfAForkChildGoesNowhere) {
  Writer writer(folder_, kWho);
  const SeriesRef x = writer.series("x");
  writer.sample(x, 1, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    writer.sample(x, 2, 2);
    const bool quiet = !writer.set_fact("child", "1") && !writer.is_recording();
    writer.close();
    ::_exit(quiet ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  writer.sample(x, 3, 3);
  writer.close();
  const RankReader reader = read();
  EXPECT_EQ(reader.content().series.at(0).entries.size(), 2U);
  EXPECT_FALSE(reader.content().facts.contains("child"));
}

TEST_F(Recording, DamagedByAStoreOfTheProgramGoesOnBehindTheDamage) {
  Writer writer(folder_, kWho, kLeastBudget_bytes);
  const SeriesRef x = writer.series("x");
  for (int i = 0; i < 100; ++i) writer.sample(x, i, 1);
  {
    std::fstream file(this->file(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(sizeof(RankHeader) + 1000);
    file.put('?');
  }
  for (int i = 100; i < 1000; ++i) writer.sample(x, i, 1);
  writer.close();
  const RankReader reader = read();
  EXPECT_TRUE(reader.ended_well());
  EXPECT_EQ(reader.content().series.at(x.id).name, "x");
  EXPECT_EQ(reader.content().series.at(x.id).entries.back().last_ns, 999);
}

// --- files that are no record, or not whole ---

Status refusal_of(const std::string& path) {
  try {
    const RankReader reader(path);
    return Status::ok;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    return error.status();
  }
}

TEST_F(Recording, CutOffAnywhereIsReadAsFarAsItGoes) {
  {
    Writer writer(folder_, kWho, kLeastBudget_bytes);
    for (int i = 0; i < 20; ++i) writer.set_fact(std::to_string(i), "value");
    writer.close();
  }
  const Bytes whole = testing::read_bytes(file());
  std::size_t facts = 0;
  for (std::size_t length = 0; length < 1000; ++length) {
    testing::write_bytes(temporary_ / "cut", Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)));
    if (length < sizeof(RankHeader)) {
      ASSERT_EQ(refusal_of(temporary_ / "cut"), Status::argument) << length;
      continue;
    }
    const RankReader reader(temporary_ / "cut");
    ASSERT_GE(reader.content().facts.size(), facts);
    facts = reader.content().facts.size();
  }
  EXPECT_EQ(facts, 20U);
}

TEST_F(Recording, ForeignNewerAndOfAnotherByteOrderIsRefusedEachInItsOwnWords) {
  { const Writer writer(folder_, kWho, kLeastBudget_bytes); }
  const Bytes good = testing::read_bytes(file());
  const auto changed = [&](std::size_t at, std::uint32_t value) {
    Bytes bytes = good;
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    testing::write_bytes(temporary_ / "changed", bytes);
    return temporary_ / "changed";
  };
  EXPECT_EQ(refusal_of(changed(0, 0x464C457F)), Status::argument);
  EXPECT_EQ(refusal_of(changed(offsetof(RankHeader, version), kVersion + 1)), Status::version);
  EXPECT_EQ(refusal_of(changed(offsetof(RankHeader, byte_order), 0x04030201)), Status::unsupported);
  EXPECT_EQ(refusal_of(changed(offsetof(RankHeader, ranks), 5)), Status::argument);
  testing::write_bytes(temporary_ / "zeroes", Bytes(4096));
  EXPECT_EQ(refusal_of(temporary_ / "zeroes"), Status::argument);
  std::filesystem::create_symlink(file(), temporary_ / "link");
  EXPECT_NE(refusal_of(temporary_ / "link"), Status::ok);
  EXPECT_EQ(refusal_of(temporary_ / "none"), Status::system);
}

}  // namespace
}  // namespace comity::record
