// SPDX-License-Identifier: BSD-3-Clause
// A merge in a rank whose record is full: bodies go in pieces, for the memory is the program's, and come out as they were.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "made_up_job.hpp"
#include "os/memory/totals.hpp"
#include "os/proc.hpp"
#include "record/merge/own_body.hpp"
#include "record/rank_reader.hpp"
#include "record/run/run_reader.hpp"
#include "sanitizer.hpp"
#include "shared.hpp"
#include "thread_exchange.hpp"

namespace comity::record {
namespace {

using testing::MadeUpJob;
using testing::TemporaryFolder;

constexpr std::uint32_t kSpans = 45'000;  // of 40 bytes: most of a half of the default budget

// Streams of all kinds, one of them with its samples not in order, and facts and tables that are replaced.
void fill(const os::Folder& folder, const Identity& who) {
  Writer writer(folder, who);
  const SpansRef step = writer.spans("main", "step");
  const SpansRef other = writer.spans("main", "other");
  const SeriesRef series = writer.series("series");
  for (std::uint32_t i = 0; i < kSpans; ++i) {
    writer.span(i % 1000 == 0 ? other : step, i, i + 1);
    if (i % 100 == 0) writer.sample(series, i % 200 == 0 ? i : i - 150, who.rank);
    if (i % 10'000 == 0) writer.put_table(testing::calls_of(i));
    if (i % 10'000 == 0) writer.set_fact("at", std::to_string(i));
  }
  writer.put_table(testing::calls_of(who.rank));
  writer.close();
}

void fill_all(const MadeUpJob& job) {
  const auto ranks = static_cast<std::uint32_t>(job.node_of_rank().size());
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::uint32_t node = job.node_of_rank()[rank];
    fill(job.job_folder(node), {.rank = rank, .ranks = ranks, .node = node});
  }
}

// Tells how long its messages are, and may fail at one of them.
class WatchedExchange final : public Exchange {
 public:
  WatchedExchange(Exchange& exchange, std::atomic<std::size_t>& longest, int fails_at = -1)
      : exchange_(exchange), longest_(longest), fails_at_(fails_at) {}
  [[nodiscard]] int rank() const override { return exchange_.rank(); }
  [[nodiscard]] int size() const override { return exchange_.size(); }
  void send(int to, std::span<const std::byte> bytes) override {
    if (sent_++ == fails_at_) throw std::bad_alloc();
    std::size_t known = longest_.load();
    while (known < bytes.size() && !longest_.compare_exchange_weak(known, bytes.size())) {
    }
    exchange_.send(to, bytes);
  }
  [[nodiscard]] Bytes receive(int from) override { return exchange_.receive(from); }

 private:
  Exchange& exchange_;
  std::atomic<std::size_t>& longest_;
  int fails_at_;
  int sent_ = 0;
};

TEST(MergeOfFullRecords, SendsBodiesInPiecesAndLeavesThemAsTheyWere) {
  const TemporaryFolder user;
  const MadeUpJob job(3, 2, {user / "run"});  // rank 2 leads a node, and passes on what it has
  fill_all(job);
  std::vector<Content> before;
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    before.push_back(RankReader(job.job_folder(job.node_of_rank()[rank]), rank_file_name(rank)).content());
  }
  std::atomic<std::size_t> longest{0};
  EXPECT_TRUE(testing::run_exchange(3, [&](testing::ThreadExchange& exchange) {
    WatchedExchange watched(exchange, longest);
    EXPECT_EQ(merge(watched, job.plan(static_cast<std::uint32_t>(exchange.rank()))).problem, "");
  }));
  EXPECT_LE(longest.load(), OwnBody::kPiece_bytes + 64);
  const RunReader run(user / "run");
  EXPECT_EQ(run.all().ranks(), 3U);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    const RankBody body = run.rank(rank);
    EXPECT_FALSE(body.is_damaged);
    EXPECT_EQ(body.entry.end, RankEnd::ended);
    EXPECT_GT(body.entry.body_bytes, 40U * kSpans);
    EXPECT_TRUE(body.content == before[rank]) << "of rank " << rank;
  }
  job.expect_nothing_in_scratch();
}

TEST(MergeOfFullRecords, LeavesOutABodyThatBreaksOffAndSaysWhy) {
  const TemporaryFolder user;
  const MadeUpJob job(3, 1, {user / "run"});
  fill_all(job);
  std::atomic<std::size_t> longest{0};
  EXPECT_TRUE(testing::run_exchange(3, [&](testing::ThreadExchange& exchange) {
    constexpr int kThirdPiece = 3;
    WatchedExchange watched(exchange, longest, exchange.rank() == 1 ? kThirdPiece : -1);
    EXPECT_EQ(merge(watched, job.plan(static_cast<std::uint32_t>(exchange.rank()))).problem, "");
  }));
  const RunReader run(user / "run");
  EXPECT_EQ(run.notes(), std::vector<std::string>{"rank 1: std::bad_alloc"});
  EXPECT_EQ(run.missing_ranks(), 1U);
  EXPECT_EQ(run.all().ranks(), 2U);
  for (const std::uint32_t rank : {0U, 2U}) EXPECT_FALSE(run.rank(rank).is_damaged);
  EXPECT_EQ(job.job_folder(0).names(), std::vector<std::string>{rank_file_name(1)});  // for whoever looks for it
}

// [bytes] The most that this process ever had.
std::uint64_t peak_now() {
  const auto totals = os::parse_totals(os::read_text("/proc/self/status").value_or(""));
  return totals ? totals->peak_resident : 0;
}

// By how much it rises.
template <typename Step>
std::uint64_t rise_of_peak(Step&& step) {
  const std::uint64_t before = peak_now();
  step();
  return peak_now() - before;
}

TEST(MergeOfFullRecords, TakesLittleMemoryWhileTheProgramHasItsOwn) {
  if (testing::kHasSanitizer) GTEST_SKIP() << "a sanitizer keeps what is freed";
  const TemporaryFolder user;
  const MadeUpJob job(1, 1, {user / "run"});
  testing::Shared<std::uint64_t> rise;
  const pid_t process = ::fork();
  if (process == 0) {
    fill_all(job);
    *rise = rise_of_peak([&] {
      testing::Mail mail;
      testing::ThreadExchange alone(mail, 0, 1);
      (void)merge(alone, job.plan(0));
    });
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(process, &status, 0);
  ASSERT_EQ(status, 0);
  std::printf("%llu KB more\n", static_cast<unsigned long long>(*rise / 1024));
  EXPECT_LT(*rise, 1500U << 10U) << "the whole record would be 2 MB, and its content as much again";
}

}  // namespace
}  // namespace comity::record
