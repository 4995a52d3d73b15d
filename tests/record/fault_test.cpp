// SPDX-License-Identifier: BSD-3-Clause
// What the kernel refuses a recorder: mapping, space, locks. Either it finds another way, or it says so before the run begins,
// or the recording stops with one line and keeps what it had. Never a signal.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>

#include <cerrno>
#include <functional>

#include "base/error.hpp"
#include "faults/refusal.hpp"
#include "node/namespaces.hpp"
#include "record/merge/names.hpp"
#include "record/rank_reader.hpp"
#include "record/run/run_file.hpp"
#include "record/writer.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

using record::Writer;

constexpr record::Identity kAlone{.rank = 0, .ranks = 1, .node = 0};
constexpr Refusal kNoSharedMapping{SYS_mmap, ENODEV, Argument{3, MAP_SHARED}};
constexpr Refusal kNoSpace{SYS_fallocate, ENOSPC};
constexpr Refusal kNoWrites{SYS_pwrite64, ENOSPC};
constexpr Refusal kNoLocks{SYS_fcntl, ENOLCK, Argument{1, F_OFD_SETLK}};

class RefusedRecorder : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!would_work([] { return refuse({SYS_getrandom, ENOSYS}); })) {
      GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
    }
  }
  // In a process of its own, for what is refused stays so.
  static void run(const std::function<void()>& body) {
    EXPECT_TRUE(all_good(run_ranks(1, [&](ForkBootstrap&) { body(); })));
  }
  [[nodiscard]] record::RankReader read() const { return record::RankReader(folder_ / record::rank_file_name(0)); }
  [[nodiscard]] Status status_of_open() const {
    try {
      const Writer writer(os::Folder(folder_.path()), kAlone, record::kLeastBudget_bytes);
      return Status::ok;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(folder_ / record::rank_file_name(0)), std::string::npos) << error.what();
      return error.status();
    }
  }

  TemporaryFolder folder_;
};

std::uint64_t samples_in(const record::Content& content) {
  std::uint64_t count = 0;
  for (const record::SampleEntry& entry : content.series.at(0).entries) count += entry.count;
  return count;
}

TEST_F(RefusedRecorder, WithoutMappingsWritesTheSame) {
  run([&] {
    ASSERT_TRUE(refuse(kNoSharedMapping));
    Writer writer(os::Folder(folder_.path()), kAlone, record::kLeastBudget_bytes);
    writer.set_fact("program", "x");
    EXPECT_EQ(read().content().facts.at("program"), "x");  // at once
    const record::SeriesRef series = writer.series("s");
    for (int i = 0; i < 5000; ++i) writer.sample(series, i, i);
    EXPECT_GT(writer.generations(), 3U);
    EXPECT_GT(samples_in(read().content()), 4800U);  // of samples some may be on their way
    writer.close();
    EXPECT_EQ(samples_in(read().content()), 5000U);
    EXPECT_TRUE(read().ended_well());
    EXPECT_FALSE(read().is_damaged());
  });
}

TEST_F(RefusedRecorder, WithoutSpaceSaysSoBeforeTheRunAndLeavesNoFile) {
  run([&] {
    ASSERT_TRUE(refuse(kNoSpace));
    EXPECT_EQ(status_of_open(), Status::memory);
    EXPECT_TRUE(os::Folder(folder_.path()).names().empty());
  });
}

TEST_F(RefusedRecorder, WithoutLocksSaysSoBeforeTheRunAndLeavesNoFile) {
  run([&] {
    ASSERT_TRUE(refuse(kNoLocks));
    EXPECT_EQ(status_of_open(), Status::system);
    EXPECT_TRUE(os::Folder(folder_.path()).names().empty());
  });
}

// Records until it stops. What it had then is there, and the program goes on.
void expect_stop(Writer& writer, const std::function<record::RankReader()>& read) {
  const record::SeriesRef series = writer.series("s");
  std::uint64_t recorded = 0;
  for (; recorded < 100'000 && writer.is_recording(); ++recorded) {
    writer.sample(series, static_cast<std::int64_t>(recorded), 1);
  }
  EXPECT_FALSE(writer.is_recording());
  EXPECT_FALSE(writer.set_fact("later", "x"));
  writer.close();
  EXPECT_FALSE(read().is_damaged());
  EXPECT_EQ(read().content().facts.at("program"), "x");
  EXPECT_GT(samples_in(read().content()) + 150, recorded);  // the last 4 KiB may be missing where nothing is mapped
}

TEST_F(RefusedRecorder, WhoseSecondHalfFindsNoSpaceStopsAndKeepsTheFirst) {
  run([&] {
    Writer writer(os::Folder(folder_.path()), kAlone, record::kLeastBudget_bytes);
    writer.set_fact("program", "x");
    ASSERT_TRUE(refuse(kNoSpace));
    expect_stop(writer, [&] { return read(); });
  });
}

TEST_F(RefusedRecorder, WithoutMappingsWhoseWritesFailStopsAndKeepsWhatIsWritten) {
  run([&] {
    ASSERT_TRUE(refuse(kNoSharedMapping));
    Writer writer(os::Folder(folder_.path()), kAlone, record::kLeastBudget_bytes);
    writer.set_fact("program", "x");
    const record::SeriesRef series = writer.series("s");
    writer.sample(series, 0, 0);
    ASSERT_TRUE(refuse(kNoWrites));
    expect_stop(writer, [&] { return read(); });
  });
}

TEST_F(RefusedRecorder, WhoseMergedFileFindsNoSpaceGivesItNoName) {
  run([&] {
    const os::Folder folder(folder_.path());
    record::RunFile file(folder, record::kRunFile, "job");
    ASSERT_TRUE(refuse(kNoWrites));
    try {
      file.take_rank({}, record::Bytes(100));
      FAIL() << "written without space";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::memory) << error.what();
    }
    EXPECT_TRUE(folder.names().empty());
  });
}

// --- a file system that is really full ---

bool mount_small(const std::string& folder) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("small", folder.c_str(), "tmpfs", 0, "size=48k") == 0;
}

TEST(FullFileSystem, StopsTheRecordingAtItsSecondHalfAndRaisesNoSignal) {
  const TemporaryFolder small;
  const bool ran =
      run_with([&] { return mount_small(small.path()); },
               [&] {
                 const auto ends = run_ranks(1, [&](ForkBootstrap&) {
                   ASSERT_TRUE(mount_small(small.path()));
                   Writer writer(os::Folder(small.path()), kAlone, 64U << 10U);
                   writer.set_fact("program", "x");
                   expect_stop(writer, [&] { return record::RankReader(small / record::rank_file_name(0)); });
                 });
                 EXPECT_TRUE(all_good(ends));
               });
  if (!ran) GTEST_SKIP() << "NOT TESTED: a file system of one's own is not permitted here";
}

TEST(FullFileSystem, RefusesARecordThatDoesNotFitBeforeTheRun) {
  const TemporaryFolder small;
  const bool ran = run_with([&] { return mount_small(small.path()); },
                            [&] {
                              const auto ends = run_ranks(1, [&](ForkBootstrap&) {
                                ASSERT_TRUE(mount_small(small.path()));
                                const os::Folder folder(small.path());
                                EXPECT_THROW(Writer(folder, kAlone, 256U << 10U), Error);
                                EXPECT_TRUE(folder.names().empty());
                              });
                              EXPECT_TRUE(all_good(ends));
                            });
  if (!ran) GTEST_SKIP() << "NOT TESTED: a file system of one's own is not permitted here";
}

}  // namespace
}  // namespace comity::testing
