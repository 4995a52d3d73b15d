// SPDX-License-Identifier: BSD-3-Clause
// libcomity_record as programs have it: what ranks recorded comes out in typed columns, what is not whole is opened where that was asked
// for, handles that are no longer any are refused, and threads load what another closes.
#include <gtest/gtest.h>
#include <comity/record.hpp>

#include <cstring>
#include <filesystem>
#include <latch>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "made_up_job.hpp"
#include "record/format/header.hpp"

extern "C" std::int64_t calls_counted_in_c(const char* folder);  // library_in_c.c

namespace comity {
namespace {

using How = Record::How;
using testing::MadeUpJob;
using testing::TemporaryFolder;

constexpr std::uint32_t kRanks = 3;

// A job of three ranks on two nodes, none of which came to its close.
class RecordLibrary : public ::testing::Test {
 protected:
  RecordLibrary() {
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      const auto writer = job_.writer(rank);
      testing::record_something(*writer, rank);
      if (rank == 0) continue;  // the others' clocks were compared once: rank 0's is 500 ahead of rank 1's
      writer->set_fact(record::kOffsetBeginFact, rank == 1 ? "500" : "0");
      writer->set_fact(record::kOffsetBeginAtFact, "0");
      if (rank == 1) writer->set_fact(record::kOffsetBeginErrorFact, "7");
    }
  }

  [[nodiscard]] std::string run() const { return user_ / "run"; }
  [[nodiscard]] std::string file() const { return run() + "/run.comity"; }
  [[nodiscard]] Record recovered() const { return Record(run(), How::recover); }
  // The file with one of its bytes changed, and without its last ones.
  void damage(std::size_t place, std::size_t cut_off_bytes) const {
    record::Bytes bytes = testing::read_bytes(file());
    bytes[place] ^= std::byte{1};
    bytes.resize(bytes.size() - cut_off_bytes);
    testing::write_bytes(file(), bytes);
  }

  TemporaryFolder user_;
  MadeUpJob job_{kRanks, 2, {user_ / "run"}};
};

// The code of what `call` throws; its sentence says `words`.
template <typename Call>
comity_status code_of(Call&& call, const std::string& words) {
  try {
    call();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find(words), std::string::npos) << failure.what();
    return failure.code();
  }
  return COMITY_OK;
}

TEST_F(RecordLibrary, DescribesTheJobThatLeftIt) {
  const Record opened = recovered();
  EXPECT_EQ(opened.job().path, file());
  EXPECT_STREQ(opened.job().name, MadeUpJob::kName);
  EXPECT_EQ(opened.job().job_ranks, 3);
  EXPECT_STREQ(opened.job().index_damage, "");
  ASSERT_EQ(opened.ranks().size(), kRanks);
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    const comity_record_entry& entry = opened.ranks()[static_cast<std::size_t>(rank)];
    EXPECT_EQ(entry.rank, rank);
    EXPECT_EQ(entry.node, rank == 2 ? 1 : 0);
    EXPECT_EQ(entry.end, COMITY_RECORD_DID_NOT_END);
    EXPECT_GT(entry.opened_wall_ns, entry.opened_ns);
  }
}

TEST_F(RecordLibrary, ShowsEveryTableInTypedColumns) {
  const Record opened = recovered();
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    const RankRecord loaded = opened.load(static_cast<std::int32_t>(rank), Record::Parts::fixed);
    ASSERT_EQ(loaded.tables().size(), 2U);
    EXPECT_STREQ(loaded.tables()[0].name, "calls");
    EXPECT_STREQ(loaded.tables()[1].name, "peers");
    const record::Table written = testing::calls_of(rank);
    const RecordTable calls = loaded.table("calls");
    ASSERT_EQ(calls.columns().size(), 3U);
    EXPECT_EQ(calls.columns()[2].kind, COMITY_RECORD_REAL);
    ASSERT_EQ(calls.rows(), written.rows());
    for (std::size_t row = 0; row < calls.rows(); ++row) {
      EXPECT_EQ(calls.texts("function")[row], written.text(row, "function"));
      EXPECT_EQ(calls.integers("count")[row], written.integer(row, "count"));
      EXPECT_EQ(calls.reals("wait_s")[row], written.real(row, "wait_s"));
    }
    EXPECT_EQ(loaded.table("peers").integers("peer")[0], static_cast<std::int64_t>(rank) + 1);
    EXPECT_EQ(loaded.fact("binding"), std::to_string(rank));
    EXPECT_EQ(loaded.fact("host of nobody"), std::nullopt);
  }
}

TEST_F(RecordLibrary, ShowsWhatHappenedOverTimeUnlessThatIsNotAskedFor) {
  const Record opened = recovered();
  const RankRecord loaded = opened.load(2);
  ASSERT_EQ(loaded.series().size(), 1U);
  EXPECT_STREQ(loaded.series()[0].name, "memory_bytes");
  const RecordView<comity_record_sample> samples(loaded.series()[0].samples, loaded.series()[0].sample_count);
  std::int64_t sampled = 0;
  for (const comity_record_sample& one : samples) sampled += one.count;
  EXPECT_EQ(sampled, 500);
  EXPECT_EQ(samples[0].minimum, 2);
  EXPECT_EQ(samples[samples.size() - 1].last, 501);
  ASSERT_EQ(loaded.spans().size(), 1U);
  EXPECT_STREQ(loaded.spans()[0].lane, "main");
  std::int64_t sum_ns = 0;
  for (std::int64_t i = 0; i < loaded.spans()[0].span_count; ++i) sum_ns += loaded.spans()[0].spans[i].sum_ns;
  EXPECT_EQ(sum_ns, 1000);
  const RankRecord fixed = opened.load(2, Record::Parts::fixed);
  EXPECT_TRUE(fixed.series().empty() || fixed.series()[0].sample_count == 0);
  EXPECT_TRUE(fixed.spans().empty() || fixed.spans()[0].span_count == 0);
}

TEST_F(RecordLibrary, BringsTimesOntoTheClockOfRankZero) {
  const Record opened = recovered();
  const RankRecord compared = opened.load(1);
  EXPECT_EQ(compared.on_rank_0_ns(1000), 1500);
  EXPECT_EQ(compared.clock_error_ns(), 7);
  for (const std::int32_t rank : {0, 2}) {  // never compared, and compared by who did not tell how well
    const RankRecord untold = opened.load(rank);
    EXPECT_EQ(untold.on_rank_0_ns(1000), 1000);
    EXPECT_EQ(untold.clock_error_ns(), std::nullopt);
  }
}

TEST_F(RecordLibrary, RefusesColumnsTablesAndRanksThatAreNotThere) {
  const Record opened = recovered();
  const RankRecord loaded = opened.load(0);
  const RecordTable calls = loaded.table("calls");
  EXPECT_EQ(code_of([&] { (void)calls.reals("count"); }, "the table calls has that column in another kind"),
            COMITY_ERR_ARGUMENT);
  EXPECT_EQ(code_of([&] { (void)calls.integers("bytes"); }, "read the column bytes: the table calls"),
            COMITY_ERR_NOT_FOUND);
  EXPECT_EQ(code_of([&] { (void)loaded.table("call"); }, "read the table call: rank 0"), COMITY_ERR_NOT_FOUND);
  EXPECT_EQ(code_of([&] { (void)opened.load(3); }, "has no rank 3; it has 3 of the job's 3"), COMITY_ERR_NOT_FOUND);
  EXPECT_FALSE(calls.has("bytes"));
}

TEST_F(RecordLibrary, LeavesTheFilesOfAKilledJobAloneUnlessItIsToRecoverThem) {
  EXPECT_EQ(code_of([&] { Record(run(), How::salvage); }, "merge what its job left first"), COMITY_ERR_NOT_FOUND);
  EXPECT_FALSE(std::filesystem::exists(file()));
  for (const auto& [path, how] :
       {std::pair(run(), How::recover), std::pair(run(), How::recover),  // the second finds it merged
        std::pair(file(), How::whole)}) {
    const Record opened(path, how);
    EXPECT_EQ(opened.ranks().size(), kRanks);
  }
}

TEST_F(RecordLibrary, RefusesAFileWithoutItsIndexUnlessItIsToSalvageIt) {
  (void)recovered();
  damage(sizeof(record::RunHeader), 20);
  EXPECT_EQ(code_of([&] { Record{run()}; }, file()), COMITY_ERR_ARGUMENT);
  const Record salvaged(run(), How::salvage);
  EXPECT_NE(std::string(salvaged.job().index_damage), "");
  ASSERT_GE(salvaged.ranks().size(), 1U);  // all but that whose first chunk was changed
  const RankRecord loaded = salvaged.load(1);
  EXPECT_EQ(loaded.table("peers").integers("peer")[0], 2);
}

TEST_F(RecordLibrary, TellsOfARankWhosePartWasChanged) {
  std::size_t last = 0;  // in the body of rank 0
  {
    const Record opened = recovered();
    last = testing::read_bytes(file()).size() / kRanks / 2;
    EXPECT_FALSE(opened.load(0).is_damaged());
  }
  damage(last, 0);
  const Record opened(run());
  EXPECT_TRUE(opened.load(0).is_damaged());
  EXPECT_FALSE(opened.load(2).is_damaged());
}

TEST_F(RecordLibrary, OpensAFolderThroughALinkButNoFileAndNothingThatIsNotThere) {
  (void)recovered();
  std::filesystem::create_directory_symlink(run(), user_ / "folder");
  std::filesystem::create_symlink(file(), user_ / "file");
  std::filesystem::create_symlink(user_ / "absent", user_ / "nowhere");
  for (const How how : {How::whole, How::salvage, How::recover}) {
    const auto opening = [&](const std::string& path) { return [path, how] { Record(path, how); }; };
    EXPECT_EQ(code_of(opening(user_ / "folder"), ""), COMITY_OK);
    EXPECT_EQ(code_of(opening(user_ / "file"), "links to files are not followed"), COMITY_ERR_SYSTEM);
    EXPECT_EQ(code_of(opening(user_ / "nowhere"), "links to files are not followed"), COMITY_ERR_SYSTEM);
    for (const std::string& path :
         {user_ / "absent", user_ / "absent/run.comity", file() + "/run.comity", std::string()})
      EXPECT_EQ(code_of(opening(path), "there is no such file or folder"), COMITY_ERR_NOT_FOUND) << path;
  }
}

TEST_F(RecordLibrary, IsReadFromC) {
  EXPECT_EQ(calls_counted_in_c(run().c_str()), (10 + 1) + 11 + (12 + 1));
  EXPECT_EQ(calls_counted_in_c((user_ / "absent").c_str()), -COMITY_ERR_NOT_FOUND);
}

TEST_F(RecordLibrary, KeepsALoadedRankWhenItsRecordIsClosed) {
  std::optional<Record> opened(recovered());
  RankRecord loaded = opened->load(1);
  opened.reset();
  EXPECT_EQ(loaded.table("peers").integers("peer")[0], 2);
  const RankRecord moved = std::move(loaded);
  EXPECT_EQ(moved.fact("binding"), "1");
  static_assert(!std::is_copy_constructible_v<RankRecord> && !std::is_copy_constructible_v<Record>);
}

// What points into an object of which a name stays, or does not.
template <typename Rank>
concept ShowsAnyOfARank = requires(Rank&& rank) {
  std::forward<Rank>(rank).entry();
}
|| requires(Rank&& rank) { std::forward<Rank>(rank).facts(); }
|| requires(Rank&& rank) { std::forward<Rank>(rank).fact(""); }
|| requires(Rank&& rank) { std::forward<Rank>(rank).tables(); }
|| requires(Rank&& rank) { std::forward<Rank>(rank).table(""); }
|| requires(Rank&& rank) { std::forward<Rank>(rank).series(); }
|| requires(Rank&& rank) { std::forward<Rank>(rank).spans(); };
template <typename Opened>
concept ShowsAnyOfAJob = requires(Opened&& opened) {
  std::forward<Opened>(opened).job();
}
|| requires(Opened&& opened) { std::forward<Opened>(opened).ranks(); }
|| requires(Opened&& opened) { std::forward<Opened>(opened).notes(); };
static_assert(ShowsAnyOfARank<RankRecord&> && ShowsAnyOfAJob<const Record&>);
static_assert(!ShowsAnyOfARank<RankRecord> && !ShowsAnyOfARank<const RankRecord>);
static_assert(!ShowsAnyOfAJob<Record> && !ShowsAnyOfAJob<const Record>);

// Whether the record was still open.
bool load_as_recorded(const comity_record* opened, std::int32_t rank) {
  const comity_record_rank* shown = nullptr;
  const comity_status status = comity_record_load(opened, rank, COMITY_RECORD_ALL, &shown);
  if (status != COMITY_OK) {
    EXPECT_EQ(status, COMITY_ERR_HANDLE) << comity_last_error();
    return false;
  }
  const RankRecord loaded(shown);
  EXPECT_EQ(loaded.fact("binding"), std::to_string(rank));
  EXPECT_EQ(loaded.table("peers").integers("peer")[0], rank + 1);
  EXPECT_EQ(loaded.on_rank_0_ns(0), rank == 1 ? 500 : 0);
  return true;
}

TEST_F(RecordLibrary, IsLoadedByThreadsUntilAnotherClosesIt) {
  constexpr std::int32_t kThreads = 4;
  comity_record* opened = nullptr;
  ASSERT_EQ(comity_record_open(run().c_str(), COMITY_RECORD_RECOVER, &opened), COMITY_OK);
  std::latch at_work(kThreads);
  std::vector<std::thread> threads;
  for (std::int32_t thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&at_work, record = opened, rank = thread % 3] {
      bool loads = load_as_recorded(record, rank);
      at_work.count_down();
      while (loads) loads = load_as_recorded(record, rank);
    });
  }
  at_work.wait();
  EXPECT_EQ(comity_record_close(&opened), COMITY_OK);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(RecordLibrary, RefusesHandlesThatAreClosedAndPointersThatAreNull) {
  comity_record* opened = nullptr;
  ASSERT_EQ(comity_record_open(run().c_str(), COMITY_RECORD_RECOVER, &opened), COMITY_OK);
  const comity_record_rank* loaded = nullptr;
  ASSERT_EQ(comity_record_load(opened, 0, COMITY_RECORD_FIXED, &loaded), COMITY_OK);
  const comity_record_rank* freed = loaded;
  EXPECT_EQ(comity_record_load(opened, 0, COMITY_RECORD_ALL, nullptr), COMITY_ERR_ARGUMENT);
  EXPECT_EQ(comity_record_load(opened, 3, COMITY_RECORD_ALL, &freed), COMITY_ERR_NOT_FOUND);
  EXPECT_EQ(comity_record_load(opened, -1, COMITY_RECORD_ALL, &freed), COMITY_ERR_NOT_FOUND);
  EXPECT_STREQ(std::strstr(comity_last_error(), "load rank -1: "), comity_last_error());
  EXPECT_EQ(freed, loaded);  // untouched on failure
  EXPECT_EQ(comity_record_release(&loaded), COMITY_OK);
  EXPECT_EQ(loaded, nullptr);
  EXPECT_EQ(comity_record_release(&loaded), COMITY_ERR_ARGUMENT);
  EXPECT_EQ(comity_record_release(&freed), COMITY_ERR_HANDLE);
  std::int64_t time_ns = 0;
  EXPECT_EQ(comity_record_time(freed, 0, &time_ns), COMITY_ERR_HANDLE);
  comity_record* closed = opened;
  EXPECT_EQ(comity_record_close(&opened), COMITY_OK);
  EXPECT_EQ(opened, nullptr);
  const comity_record_job* job = nullptr;
  EXPECT_EQ(comity_record_describe(closed, &job), COMITY_ERR_HANDLE);
  EXPECT_EQ(comity_record_describe(nullptr, &job), COMITY_ERR_ARGUMENT);
  EXPECT_EQ(comity_record_close(&closed), COMITY_ERR_HANDLE);
  EXPECT_EQ(comity_record_open(nullptr, COMITY_RECORD_WHOLE, &opened), COMITY_ERR_ARGUMENT);
  EXPECT_EQ(comity_record_open(run().c_str(), static_cast<comity_record_how>(3), &opened), COMITY_ERR_ARGUMENT);
  EXPECT_STREQ(std::strstr(comity_last_error(), "see comity_record_how"), "see comity_record_how");
}

}  // namespace
}  // namespace comity
