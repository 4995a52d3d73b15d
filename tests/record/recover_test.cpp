// SPDX-License-Identifier: BSD-3-Clause
// What a killed job left is merged afterwards: whole and torn files, near and far, and none that is still written.
#include "record/run/recover.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/error.hpp"
#include "made_up_job.hpp"
#include "record/format/header.hpp"
#include "record/run/body_start.hpp"
#include "record/run/run_file.hpp"
#include "record/run/run_reader.hpp"

namespace comity::record {
namespace {

using testing::MadeUpJob;
using testing::TemporaryFolder;
using Names = std::vector<std::string>;

class Recovering : public ::testing::Test {
 protected:
  // Ranks of a job on one node, none of which came to its close.
  void kill_all(const MadeUpJob& job, std::uint32_t ranks) const {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) testing::record_something(*job.writer(rank), rank);
  }
  [[nodiscard]] std::string run() const { return user_ / "run"; }

  TemporaryFolder user_;
};

bool any_has(const Names& notes, const std::string& words) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

Status status_of(const std::string& folder) {
  try {
    (void)recover(folder);
    return Status::ok;
  } catch (const Error& error) {
    return error.status();
  }
}

TEST_F(Recovering, OfRanksThatDidNotEndSaysSo) {
  const MadeUpJob job(2, 1, {run()});
  kill_all(job, 2);
  EXPECT_EQ(recover(run()).ranks, 2U);
  const RunReader reader(run());
  EXPECT_EQ(reader.rank(1).entry.end, RankEnd::did_not_end);
  EXPECT_EQ(reader.rank(1).content.tables.at("calls"), testing::calls_of(1));
  job.expect_nothing_in_scratch();
}

TEST_F(Recovering, WaitsForAJobThatStillRuns) {
  const MadeUpJob job(2, 1, {run()});
  const auto writer = job.writer(0);
  kill_all(job, 0);
  EXPECT_EQ(status_of(run()), Status::order);
  writer->close();
  EXPECT_EQ(status_of(run()), Status::order);  // it may be merging
  EXPECT_EQ(os::Folder(run()).names(), (Names{"node-0.comity"}));
}

TEST_F(Recovering, OfRanksThatNeverWroteCountsThemAsMissing) {
  const MadeUpJob job(3, 1, {run()});
  kill_all(job, 1);
  testing::write_bytes(job.job_folder(0).path() + "/rank-000001.comity", Bytes(4096));  // killed while it made the file
  testing::write_bytes(job.job_folder(0).path() + "/rank-000002.comity", Bytes());
  const Recovery recovery = recover(run());
  EXPECT_EQ(recovery.missing_ranks, 2U);
  EXPECT_TRUE(any_has(recovery.notes, "its process ended while it made it") || any_has(recovery.notes, "is empty"));
  job.expect_nothing_in_scratch();
}

TEST_F(Recovering, OfADamagedFileKeepsWhatStandsBeforeTheDamage) {
  const MadeUpJob job(1, 1, {run()});
  kill_all(job, 1);
  const std::string path = job.job_folder(0).path() + "/rank-000000.comity";
  Bytes bytes = testing::read_bytes(path);
  RankHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  bytes[sizeof(header) + header.generation % 2 * header.half_bytes + 4000] ^= std::byte{1};
  testing::write_bytes(path, bytes);
  const Recovery recovery = recover(run());
  EXPECT_TRUE(any_has(recovery.notes, "rank 0 is damaged at byte ")) << ::testing::PrintToString(recovery.notes);
  const RankBody body = RunReader(run()).rank(0);
  EXPECT_EQ(body.entry.end, RankEnd::damaged);
  EXPECT_FALSE(body.is_damaged);  // what is in the merged file is as it was written
  EXPECT_EQ(body.content.facts.at(kProgramFact), "twomesh");
}

TEST_F(Recovering, LeavesAFileThatItCannotReadAndSaysWhich) {
  const MadeUpJob job(2, 1, {run()});
  kill_all(job, 1);
  const std::string path = job.job_folder(0).path() + "/rank-000001.comity";
  testing::write_bytes(path, Bytes(200, std::byte{0x55}));
  EXPECT_TRUE(any_has(recover(run()).notes, path));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(Recovering, OfAnotherHostSaysWhereItsFilesAre) {
  const MadeUpJob job(2, 2, {run()});
  kill_all(job, 2);
  std::filesystem::remove(run() + "/node-1.comity");
  claim(run(),
        {.job = MadeUpJob::kName, .node = 1, .job_ranks = 2, .host = "far", .boot = "another", .folder = "/tmp/x"});
  const Recovery recovery = recover(run());
  EXPECT_EQ(recovery.ranks, 1U);
  EXPECT_EQ(recovery.missing_ranks, 1U);
  EXPECT_TRUE(any_has(recovery.notes, "on the host far, in /tmp/x"));
}

TEST_F(Recovering, TakesRanksFilesThatWereCopiedIntoTheFolder) {
  const MadeUpJob job(2, 2, {run()});
  kill_all(job, 2);
  std::filesystem::copy_file(job.job_folder(1).path() + "/rank-000001.comity", run() + "/rank-000001.comity");
  std::filesystem::remove(run() + "/node-1.comity");
  EXPECT_EQ(recover(run()).ranks, 2U);
  EXPECT_EQ(os::Folder(run()).names(), (Names{"run.comity"}));
}

TEST_F(Recovering, NeverRemovesFilesFromAFolderThatIsNoJobs) {
  const TemporaryFolder precious;
  const MadeUpJob job(1, 1, {run()});
  kill_all(job, 1);
  std::filesystem::copy_file(job.job_folder(0).path() + "/rank-000000.comity", precious / "rank-000000.comity");
  std::filesystem::remove(run() + "/node-0.comity");
  claim(run(),
        {.job = MadeUpJob::kName, .node = 0, .job_ranks = 1, .host = "here", .boot = "", .folder = precious.path()});
  EXPECT_EQ(status_of(run()), Status::not_found);
  EXPECT_TRUE(std::filesystem::exists(precious / "rank-000000.comity"));
}

TEST_F(Recovering, AfterAKillBetweenMergingAndRemovingRemovesWhatIsNeedless) {
  const MadeUpJob job(2, 1, {run()});
  kill_all(job, 2);
  const std::string rank = job.job_folder(0).path() + "/rank-000001.comity";
  const Bytes left = testing::read_bytes(rank);
  const Bytes note = testing::read_bytes(run() + "/node-0.comity");
  EXPECT_EQ(recover(run()).ranks, 2U);
  (void)make_job_folder(job.scratch(0), MadeUpJob::kName);
  testing::write_bytes(rank, left);
  testing::write_bytes(run() + "/node-0.comity", note);
  const Recovery again = recover(run());
  EXPECT_TRUE(again.was_there);
  EXPECT_EQ(again.ranks, 2U);
  EXPECT_EQ(os::Folder(run()).names(), (Names{"run.comity"}));
  job.expect_nothing_in_scratch();
}

TEST_F(Recovering, OfNothingIsAnError) {
  EXPECT_EQ(status_of(user_.path()), Status::not_found);
  EXPECT_EQ(status_of(user_ / "none"), Status::system);
}

// --- merged files that are none, or not whole ---

Status refusal_of(const std::string& path) {
  try {
    const RunReader reader(path);
    return Status::ok;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    return error.status();
  }
}

class Reading : public Recovering {
 protected:
  void SetUp() override {
    const MadeUpJob job(2, 1, {run()});
    kill_all(job, 2);
    (void)recover(run());
    whole_ = testing::read_bytes(run() + "/run.comity");
  }
  [[nodiscard]] std::string changed(const std::function<void(Bytes&)>& change) const {
    Bytes bytes = whole_;
    change(bytes);
    testing::write_bytes(user_ / "changed.comity", bytes);
    return user_ / "changed.comity";
  }

  Bytes whole_;
};

TEST_F(Reading, OfAFileCutOffAnywhereIsRefused) {
  for (std::size_t length = 0; length < whole_.size(); length += length < 60 ? 1 : 997) {
    ASSERT_EQ(refusal_of(changed([&](Bytes& bytes) { bytes.resize(length); })), Status::argument) << length;
  }
}

TEST_F(Reading, OfAFlippedIndexIsRefused) {
  std::uint64_t index_at = 0;
  std::memcpy(&index_at, whole_.data() + offsetof(RunHeader, index_at), sizeof(index_at));
  for (std::size_t at = index_at; at < whole_.size(); at += 11) {
    ASSERT_EQ(refusal_of(changed([&](Bytes& bytes) { bytes[at] ^= std::byte{4}; })), Status::argument) << at;
  }
}

void expect_whole_rank(const RunReader& reader, std::uint32_t rank) {
  const RankBody body = reader.rank(rank);
  EXPECT_FALSE(body.is_damaged) << rank;
  EXPECT_EQ(body.content.tables.at("calls"), testing::calls_of(rank));
  EXPECT_EQ(body.content.series.at(0).entries.back().last, rank + 499);
}

// All of it was refused.
TEST_F(Reading, OfAFileCutOffShowsTheRanksThatAreLeftWhereItIsAskedTo) {
  const RunReader whole(changed([](Bytes& /*bytes*/) {}));
  const std::uint64_t second_at = whole.ranks().at(1).body_at;
  const std::uint64_t index_at = second_at + whole.ranks().at(1).body_bytes;
  for (const std::uint64_t length : {whole_.size() - 1, index_at + 3, index_at}) {
    const RunReader reader(changed([&](Bytes& bytes) { bytes.resize(length); }), WithoutIndex::salvage);
    EXPECT_NE(reader.index_damage().find("is cut off: its index should end at byte"), std::string::npos);
    EXPECT_EQ(reader.job(), MadeUpJob::kName);
    ASSERT_EQ(reader.ranks(), whole.ranks()) << length;
    EXPECT_EQ(reader.all(), whole.all());
    EXPECT_EQ(reader.nodes(), whole.nodes());
    for (const std::uint32_t rank : {0U, 1U}) expect_whole_rank(reader, rank);
  }
  for (const std::uint64_t length : {index_at - 1, index_at - 8, second_at + 200}) {
    const RunReader reader(changed([&](Bytes& bytes) { bytes.resize(length); }), WithoutIndex::salvage);
    ASSERT_EQ(reader.ranks(), whole.ranks()) << length;
    expect_whole_rank(reader, 0);
    EXPECT_TRUE(reader.rank(1).is_damaged);
    EXPECT_EQ(reader.body_bytes(reader.ranks()[1]).size(), length - second_at);
  }
  for (const std::uint64_t length : {second_at + 20, second_at + 1, second_at}) {
    const RunReader reader(changed([&](Bytes& bytes) { bytes.resize(length); }), WithoutIndex::salvage);
    ASSERT_EQ(reader.ranks().size(), 1U) << length;
    expect_whole_rank(reader, 0);
  }
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{47}, std::uint64_t{60}}) {
    EXPECT_THROW(RunReader(changed([&](Bytes& bytes) { bytes.resize(length); }), WithoutIndex::salvage), Error);
  }
}

// With its own place in the body, so that no copy of one inside a rank's data is taken for one.
TEST_F(Reading, OfAFlippedIndexOrHeaderFindsAllRanksWhereItIsAskedTo) {
  const RunReader whole(changed([](Bytes& /*bytes*/) {}));
  const std::uint64_t second_at = whole.ranks().at(1).body_at;
  const std::uint64_t index_at = second_at + whole.ranks().at(1).body_bytes;
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{26}, std::uint64_t{45}, index_at, index_at + 50}) {
    const RunReader reader(changed([&](Bytes& bytes) { bytes[at] ^= std::byte{4}; }), WithoutIndex::salvage);
    EXPECT_FALSE(reader.index_damage().empty()) << at;
    ASSERT_EQ(reader.ranks(), whole.ranks()) << at;
    for (const std::uint32_t rank : {0U, 1U}) expect_whole_rank(reader, rank);
  }
  const RunReader reader(changed([&](Bytes& bytes) {
                           bytes[index_at] ^= std::byte{4};
                           std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(second_at), 200,
                                       bytes.begin() + sizeof(RunHeader));
                         }),
                         WithoutIndex::salvage);
  ASSERT_EQ(reader.ranks().size(), 1U);
  EXPECT_EQ(reader.ranks()[0], whole.ranks()[1]);
  EXPECT_TRUE(any_has(reader.notes(), "from byte 48 on nobody can tell whose they are"));
  EXPECT_TRUE(RunReader(changed([](Bytes& /*bytes*/) {}), WithoutIndex::salvage).index_damage().empty());
}

TEST_F(Reading, OfAFlippedBodySaysThatThisRankIsDamagedAndReadsTheOthers) {
  const RunReader reader(changed([&](Bytes& bytes) { bytes[sizeof(RunHeader) + 100] ^= std::byte{4}; }));
  EXPECT_TRUE(reader.rank(0).is_damaged);
  EXPECT_FALSE(reader.rank(1).is_damaged);
  EXPECT_EQ(reader.all().ranks(), 2U);
}

TEST_F(Reading, OfANewerForeignOrOtherFileSaysWhich) {
  const auto with = [&](std::size_t at, std::uint32_t value) {
    return changed([&](Bytes& bytes) { std::memcpy(bytes.data() + at, &value, sizeof(value)); });
  };
  EXPECT_EQ(refusal_of(with(offsetof(RunHeader, version), kVersion + 1)), Status::version);
  EXPECT_EQ(refusal_of(with(offsetof(RunHeader, byte_order), 0x04030201)), Status::unsupported);
  EXPECT_EQ(refusal_of(with(0, 0x464C457F)), Status::argument);
  EXPECT_EQ(refusal_of(with(offsetof(RunHeader, index_bytes), 7)), Status::argument);
}

// Readers number ranks and nodes with a sign.
TEST_F(Reading, OfAnIndexWhoseNumbersNoJobHasSaysThatItMakesNoSense) {
  const auto refusal_of_index = [](std::uint32_t job_ranks, std::uint32_t rank, std::uint32_t node) {
    RunIndex index;
    index.job_ranks = job_ranks;
    index.ranks = {{.rank = rank, .node = node, .body_at = sizeof(RunHeader)}};
    ByteWriter bytes;
    index.encode(bytes);
    try {
      ByteReader from(bytes.bytes());
      (void)RunIndex::decode(from, sizeof(RunHeader));
    } catch (const Error& error) {
      return error.status();
    }
    return Status::ok;
  };
  EXPECT_EQ(refusal_of_index(kMostRanks, kMostRanks - 1, kMostRanks - 1), Status::ok);
  EXPECT_EQ(refusal_of_index(kMostRanks + 1, 0, 0), Status::argument);
  EXPECT_EQ(refusal_of_index(kMostRanks, kMostRanks, 0), Status::argument);
  EXPECT_EQ(refusal_of_index(kMostRanks, 0, kMostRanks), Status::argument);
}

TEST_F(Reading, OfAFileThatWasGivenSuchNumbersGoesOnWithoutThem) {
  const TemporaryFolder other;
  const os::Folder folder(other.path());
  RunFile file(folder, kRunFile, "j");
  file.take_rank({.rank = 0, .node = kMostRanks}, {});
  file.take_rank({.rank = 1, .node = 0}, {});
  file.finish(kMostRanks + 1);
  const RunReader reader(other.path());
  EXPECT_EQ(reader.job_ranks(), kMostRanks);
  ASSERT_EQ(reader.ranks().size(), 1U);
  EXPECT_EQ(reader.ranks()[0].rank, 1U);
  EXPECT_TRUE(any_has(reader.notes(), "rank 0, of node 16777216, is left out"));
}

TEST_F(Reading, OfAFolderWithoutARecordSaysWhetherOneCanBeMade) {
  EXPECT_EQ(refusal_of(user_.path()), Status::not_found);
  const TemporaryFolder other;
  claim(other.path(), {.job = "j", .node = 0, .job_ranks = 1, .host = "", .boot = "", .folder = "/x"});
  EXPECT_EQ(refusal_of(other.path()), Status::not_found);
}

}  // namespace
}  // namespace comity::record
