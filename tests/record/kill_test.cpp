// SPDX-License-Identifier: BSD-3-Clause
// A rank that records is killed before and after each of its system calls, from its first folder to its merged file, and at
// any moment while threads record; so is one whose file cannot be mapped. What it had recorded is read, and nothing but the
// record stays.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "faults/interrupter.hpp"
#include "faults/refusal.hpp"
#include "made_up_job.hpp"
#include "node/namespaces.hpp"
#include "os/kernel.hpp"
#include "record/merge/merge.hpp"
#include "record/merge/names.hpp"
#include "record/places.hpp"
#include "record/rank_reader.hpp"
#include "record/run/recover.hpp"
#include "record/run/run_reader.hpp"
#include "record/writer.hpp"
#include "sanitizer.hpp"
#include "shared.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

using record::Content;
using Names = std::vector<std::string>;

constexpr const char* kJob = "job-1";
constexpr record::Identity kAlone{.rank = 0, .ranks = 1, .node = 0};
constexpr int kSamples = 1000;
constexpr int kMostStops = 4000;
constexpr int kLeastStops = 60;  // of a life: what was counted, less a margin; a sweep that finds fewer is blind

// How what is recorded gets into its file. Where it is written, up to 4 KB of samples may be on their way.
enum class Way { mapped, written };
constexpr Refusal kNoSharedMapping{SYS_mmap, ENODEV, Argument{3, MAP_SHARED}};
constexpr std::uint64_t kSamplesOnTheirWay = 4096 / 40 + 1;

struct Scene {
  InterruptWords blow;
  std::atomic<int> done;  // stages of the life that are over
};

class NobodyElse final : public record::Exchange {
 public:
  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  void send(int, std::span<const std::byte>) override { throw Error(Status::internal, "there is nobody to send to"); }
  [[nodiscard]] record::Bytes receive(int) override {
    throw Error(Status::internal, "there is nobody to receive from");
  }
};

record::Table small_table() {
  record::Table table("calls", {{"n", record::ColumnKind::integer}});
  table.add_row({std::int64_t{42}});
  return table;
}

enum Stage { claimed = 1, opened, fact_set, table_put, sampled, closed, merged };

void live(Scene& scene, const std::string& user, const std::string& scratch) {
  const auto over = [&](Stage stage) { scene.done.store(stage); };
  record::claim(user, {.job = kJob,
                       .node = 0,
                       .job_ranks = 1,
                       .host = os::host_name(),
                       .boot = os::boot_id(),
                       .folder = record::job_folder_path(scratch, kJob)});
  over(claimed);
  const os::Folder folder = record::make_job_folder(scratch, kJob);
  {
    record::Writer writer(folder, kAlone, record::kLeastBudget_bytes);
    over(opened);
    writer.set_fact("program", "x");
    over(fact_set);
    writer.put_table(small_table());
    over(table_put);
    const record::SeriesRef series = writer.series("s");
    for (int i = 0; i < kSamples; ++i) writer.sample(series, i, i);
    over(sampled);
    writer.close();
    over(closed);
    NobodyElse alone;
    const auto outcome =
        record::merge(alone, {.node_of_rank = {0}, .job = kJob, .folder = user, .job_folder = folder.path()});
    if (!outcome.problem.empty()) ::_exit(3);
  }
  over(merged);
}

std::uint64_t samples_in(const Content& content) {
  std::uint64_t count = 0;
  for (const auto& [id, series] : content.series) {
    for (const record::SampleEntry& entry : series.entries) count += entry.count;
  }
  return count;
}

void expect_all_of(int done, const Content& content, Way way) {
  if (done >= fact_set) {
    EXPECT_EQ(content.facts.count("program"), 1U);
  }
  if (done >= table_put) {
    EXPECT_EQ(content.tables.at("calls"), small_table());
  }
  if (done >= sampled) {
    const std::uint64_t on_their_way = way == Way::written && done < closed ? kSamplesOnTheirWay : 0;
    EXPECT_GE(samples_in(content) + on_their_way, static_cast<std::uint64_t>(kSamples));
    EXPECT_LE(samples_in(content), static_cast<std::uint64_t>(kSamples));
  }
  if (done < sampled) {
    EXPECT_FALSE(content.ended_ns.has_value()) << "nobody had begun to close it";
  }
  if (done >= closed) {
    EXPECT_TRUE(content.ended_ns.has_value());
  }
}

// What a reader makes of what the victim left.
void expect_recovered(int done, const std::string& user, const std::string& scratch, Way way) {
  std::optional<record::Recovery> recovery;
  try {
    recovery = record::recover(user);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_found) << error.what();
    EXPECT_LT(done, opened) << error.what();
  }
  const Names in_user = os::Folder(user).names();
  EXPECT_EQ(in_user, recovery ? Names{"run.comity"} : Names{}) << "after stage " << done;
  EXPECT_EQ(os::Folder(scratch).names(), Names{}) << "after stage " << done;
  if (!recovery) return;
  const record::RankBody body = record::RunReader(user).rank(0);
  EXPECT_FALSE(body.is_damaged);
  EXPECT_NE(body.entry.end, record::RankEnd::damaged);
  expect_all_of(done, body.content, way);
}

// The n-th system-call stop of a life. Returns false where it has fewer, nothing where the kernel refuses to trace.
std::optional<bool> kill_at_stop(int nth, Way way) {
  const TemporaryFolder user;
  const TemporaryFolder scratch;
  Shared<Scene> scene;
  const pid_t victim = ::fork();
  if (victim == 0) {
    if (way == Way::written && !refuse(kNoSharedMapping)) ::_exit(3);
    const Step step(scene->blow);
    live(*scene, user.path(), scratch.path());
    scene->blow.counting.store(0);
    ::_exit(0);
  }
  Interrupter interrupter(scene->blow, nth, Blow::kill, Grain::system_calls);
  interrupter.finish();
  int status = 0;
  ::waitpid(victim, &status, 0);
  if (scene->blow.refused.load()) return std::nullopt;
  const bool struck = scene->blow.struck.load();
  EXPECT_EQ(struck ? WTERMSIG(status) : WEXITSTATUS(status), struck ? SIGKILL : 0);
  expect_recovered(scene->done.load(), user.path(), scratch.path(), way);
  return struck;
}

class KilledRecorder : public ::testing::TestWithParam<Way> {};

TEST_P(KilledRecorder, AtEachSystemCallLeavesWhatItHadRecordedAndNothingElse) {
  if (GetParam() == Way::written && !would_work([] { return refuse({SYS_getrandom, ENOSYS}); })) {
    GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
  }
  int stop = 1;
  for (; stop < kMostStops && !::testing::Test::HasFailure(); ++stop) {
    SCOPED_TRACE("stop " + std::to_string(stop));
    const std::optional<bool> struck = kill_at_stop(stop, GetParam());
    if (!struck) GTEST_SKIP() << "NOT TESTED: the kernel lets no process trace another here (ptrace)";
    if (!*struck) break;
  }
  std::printf("%d kills\n", stop - 1);
  EXPECT_GE(stop - 1, kLeastStops);
}

INSTANTIATE_TEST_SUITE_P(IntoAFile, KilledRecorder, ::testing::Values(Way::mapped, Way::written), [](const auto& way) {
  return std::string(way.param == Way::mapped ? "ThatIsMapped" : "ThatIsWritten");
});

// Where the sweep over a reader begins, which takes a stop in three: 1, or STOP_FIRST.
int first_stop() {
  const char* const text = std::getenv("STOP_FIRST");
  return text == nullptr ? 1 : std::max(1, std::atoi(text));
}

// --- a reader that merges what a killed job left ---

std::optional<bool> kill_reader_at_stop(int nth) {
  const TemporaryFolder user;
  const MadeUpJob job(3, 2, {user / "run"});
  job.record_all();
  Shared<Scene> scene;
  const pid_t victim = ::fork();
  if (victim == 0) {
    const Step step(scene->blow);
    static_cast<void>(record::recover(user / "run"));
    scene->blow.counting.store(0);
    ::_exit(0);
  }
  Interrupter interrupter(scene->blow, nth, Blow::kill, Grain::system_calls);
  interrupter.finish();
  ::waitpid(victim, nullptr, 0);
  if (scene->blow.refused.load()) return std::nullopt;
  EXPECT_EQ(record::recover(user / "run").ranks, 3U);
  EXPECT_EQ(os::Folder(user / "run").names(), Names{"run.comity"});
  job.expect_nothing_in_scratch();
  const record::RunReader run(user / "run");
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(run.rank(rank).content.tables.at("calls"), calls_of(rank));
  }
  return scene->blow.struck.load();
}

TEST(KilledReader, AtEachSystemCallLeavesAllToTheNext) {
  constexpr int kLeast = 150;
  const int step = kHasSanitizer ? 7 : 3;
  int stop = first_stop();
  for (; stop < kMostStops && !::testing::Test::HasFailure(); stop += step) {
    SCOPED_TRACE("stop " + std::to_string(stop));
    const std::optional<bool> struck = kill_reader_at_stop(stop);
    if (!struck) GTEST_SKIP() << "NOT TESTED: the kernel lets no process trace another here (ptrace)";
    if (!*struck) break;
  }
  std::printf("%d kills\n", stop / step);
  EXPECT_GE(stop, kLeast);
}

// --- at any moment, while many threads record ---

TEST(KilledRecorders, WhileManyThreadsRecordLeavesAReadableFile) {
  constexpr int kKills = 40;
  for (int kill = 0; kill < kKills; ++kill) {
    const TemporaryFolder folder;
    Shared<Scene> scene;
    const pid_t victim = ::fork();
    if (victim == 0) {
      record::Writer writer(os::Folder(folder.path()), kAlone, record::kLeastBudget_bytes);
      for (int thread = 0; thread < 3; ++thread) {
        std::thread([&writer, &scene, thread] {
          const record::SeriesRef series = writer.series(std::to_string(thread));
          for (int i = 0;; ++i) {
            writer.sample(series, i, i);
            if (i % 100 == 0) writer.set_fact("at", std::to_string(i));
            scene->done.fetch_add(1);
          }
        }).detach();
      }
      while (true) ::pause();
    }
    while (scene->done.load() < 50 * kill) std::this_thread::yield();
    ::kill(victim, SIGKILL);
    ::waitpid(victim, nullptr, 0);
    if (!os::Folder(folder.path()).has(record::rank_file_name(0))) continue;
    try {
      const record::RankReader reader(folder / record::rank_file_name(0));
      EXPECT_FALSE(reader.is_damaged()) << reader.state();
      EXPECT_FALSE(reader.is_in_use());
      EXPECT_GE(samples_in(reader.content()) + 3, static_cast<std::uint64_t>(scene->done.load()));
    } catch (const Error& error) {
      EXPECT_EQ(scene->done.load(), 0) << error.what();  // killed while it made the file
    }
  }
}

}  // namespace
}  // namespace comity::testing
