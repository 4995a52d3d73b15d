// SPDX-License-Identifier: BSD-3-Clause
// A recorder is walked instruction by instruction, and its file is read after each store that changed it: what a kill between
// two instructions leaves is what the file's mapping holds then. Some of the kills are made in earnest.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>

#include "faults/interrupter.hpp"
#include "os/files/mapping.hpp"
#include "record/merge/names.hpp"
#include "record/rank_reader.hpp"
#include "record/writer.hpp"
#include "shared.hpp"
#include "temporary_folder.hpp"

namespace comity::testing {
namespace {

using record::Content;
using record::Writer;

constexpr record::Identity kAlone{.rank = 0, .ranks = 1, .node = 0};

struct StepScene {
  std::atomic<int> in_step;
  std::atomic<std::uint64_t> samples;  // before the step
};

record::Table table_of(std::int64_t n) {
  record::Table table("calls", {{"n", record::ColumnKind::integer}});
  for (std::int64_t row = 0; row < 3; ++row) table.add_row({n + row});
  return table;
}

// A recorder that has used both halves of its file, so that old chunks stand behind the end of new ones.
class Recorder {
 public:
  explicit Recorder(const std::string& folder) : folder_(folder), writer_(folder_, kAlone, record::kLeastBudget_bytes) {
    writer_.set_fact("program", "x");
    for (int i = 0; i < 3; ++i) writer_.set_fact(std::to_string(i), "value");
    writer_.set_fact(
        "long", std::string(3340, 'l'));  // so that the walk over the rest is short; tables leave a sixteenth to facts
    writer_.put_table(table_of(0));
    series_ = writer_.series("s");
    while (writer_.generations() < 3) sample();
  }
  void sample() {
    writer_.sample(series_, static_cast<std::int64_t>(samples_), 1);
    ++samples_;
  }
  [[nodiscard]] Writer& writer() { return writer_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }

 private:
  os::Folder folder_;
  Writer writer_;
  record::SeriesRef series_;
  std::uint64_t samples_ = 0;
};

// The same up to the sample that finds no room.
void fill(Recorder& recorder, const std::string& trial_folder) {
  Recorder trial(trial_folder);
  const std::uint64_t generation = trial.writer().generations();
  std::uint64_t most = 0;
  for (; trial.writer().generations() == generation; ++most) trial.sample();
  for (std::uint64_t i = 0; i + 1 < most; ++i) recorder.sample();
}

std::uint64_t samples_in(const Content& content) {
  std::uint64_t count = 0;
  for (const auto& [id, series] : content.series) {
    for (const record::SampleEntry& entry : series.entries) count += entry.count;
  }
  return count;
}

// Looks at a rank's file through a mapping of its own, and reads it after each store that changed it.
class Watcher {
 public:
  using Check = std::function<void(const Content&)>;
  Watcher(const std::string& path, Check check)
      : mapping_(os::Mapping::shared(os::open_existing(path), std::filesystem::file_size(path))),
        check_(std::move(check)) {}

  void look() {
    ++instructions_;
    const auto now = mapping_.bytes();
    if (before_.size() == now.size() && std::memcmp(before_.data(), now.data(), now.size()) == 0) return;
    before_.assign(now.begin(), now.end());
    ++stores_;
    SCOPED_TRACE("store " + std::to_string(stores_));
    record::RankHeader header{};
    std::memcpy(&header, now.data(), sizeof(header));
    Content content;
    const auto half = now.subspan(sizeof(header) + header.generation % 2 * header.half_bytes, header.half_bytes);
    const record::Scan scan = record::decode(half, content);
    ASSERT_NE(scan.end, record::ScanEnd::damaged);
    ASSERT_EQ(content.facts["program"], "x");
    check_(content);
  }
  [[nodiscard]] int instructions() const { return instructions_; }
  [[nodiscard]] int stores() const { return stores_; }

 private:
  os::Mapping mapping_;
  Check check_;
  record::Bytes before_;
  int instructions_ = 0;
  int stores_ = 0;
};

using Prepare = std::function<void(Recorder&)>;

// Walks the step of a recorder in a child. Empty where the kernel refuses to trace.
std::optional<Watcher> walk(const Prepare& prepare, const Prepare& step,
                            const std::function<void(const Content&, std::uint64_t samples)>& check) {
  const TemporaryFolder folder;
  Shared<StepScene> scene;
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
    ::raise(SIGSTOP);
    Recorder recorder(folder.path());
    prepare(recorder);
    scene->samples.store(recorder.samples());
    scene->in_step.store(1);
    ::sched_yield();  // a stop at which the walk begins
    step(recorder);
    scene->in_step.store(0);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFSTOPPED(status)) return std::nullopt;
  std::optional<Watcher> watcher;
  while (true) {
    const bool inside = scene->in_step.load() != 0;
    if (::ptrace(inside ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, child, nullptr, nullptr) != 0) break;
    if (::waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) break;
    if (scene->in_step.load() == 0) continue;
    if (!watcher) {
      watcher.emplace(folder / record::rank_file_name(0),
                      [&, samples = scene->samples.load()](const Content& content) { check(content, samples); });
    }
    watcher->look();
    if (::testing::Test::HasFailure()) ::kill(child, SIGKILL);
  }
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  return watcher;
}

void expect_samples(const Content& content, std::uint64_t before) {
  EXPECT_GE(samples_in(content), before);
  EXPECT_LE(samples_in(content), before + 1);
}

void expect_walked(const std::optional<Watcher>& watcher, int least_instructions, int least_stores) {
  if (!watcher) GTEST_SKIP() << "NOT TESTED: the kernel lets no process trace another here (ptrace)";
  std::printf("%d instructions, %d stores\n", watcher->instructions(), watcher->stores());
  EXPECT_GE(watcher->instructions(), least_instructions);
  EXPECT_GE(watcher->stores(), least_stores);
}

TEST(SteppedRecorder, IsReadableAfterEachStoreOfASample) {
  const auto watcher = walk([](Recorder&) {}, [](Recorder& recorder) { recorder.sample(); },
                            [](const Content& content, std::uint64_t before) {
                              EXPECT_EQ(content.tables.at("calls"), table_of(0));
                              expect_samples(content, before);
                            });
  expect_walked(watcher, 50, 4);
}

TEST(SteppedRecorder, HasTheOldOrTheNewTableAfterEachStoreOfASnapshot) {
  const auto watcher = walk([](Recorder&) {}, [](Recorder& recorder) { recorder.writer().put_table(table_of(7)); },
                            [](const Content& content, std::uint64_t before) {
                              const record::Table& table = content.tables.at("calls");
                              EXPECT_TRUE(table == table_of(0) || table == table_of(7));
                              expect_samples(content, before);
                            });
  expect_walked(watcher, 300, 5);
}

TEST(SteppedRecorder, IsReadableAfterEachStoreOfAWholeMergeIntoTheOtherHalf) {
  const TemporaryFolder trial;
  const auto watcher =
      walk([&](Recorder& recorder) { fill(recorder, trial.path()); }, [](Recorder& recorder) { recorder.sample(); },
           [](const Content& content, std::uint64_t before) {
             EXPECT_EQ(content.tables.at("calls"), table_of(0));
             expect_samples(content, before);
           });
  expect_walked(watcher, 5000, 40);
}

// --- the same by kills ---

constexpr int kMostInstructions = 2000;

// Returns false where the step has fewer instructions, nothing where the kernel refuses to trace.
std::optional<bool> kill_in_sample(int nth) {
  const TemporaryFolder folder;
  Shared<InterruptWords> words;
  Shared<StepScene> scene;
  const pid_t victim = ::fork();
  if (victim == 0) {
    Recorder recorder(folder.path());
    scene->samples.store(recorder.samples());
    {
      const Step step(*words);
      recorder.sample();
    }
    ::_exit(0);
  }
  Interrupter interrupter(*words, nth, Blow::kill, Grain::instructions);
  interrupter.finish();
  ::waitpid(victim, nullptr, 0);
  if (words->refused.load()) return std::nullopt;
  const record::RankReader reader(folder / record::rank_file_name(0));
  EXPECT_FALSE(reader.is_damaged()) << reader.state();
  expect_samples(reader.content(), scene->samples.load());
  return words->struck.load();
}

TEST(SteppedRecorder, KilledBetweenInstructionsOfASampleIsReadable) {
  int kills = 0;
  for (int nth = 1; nth < kMostInstructions && !::testing::Test::HasFailure(); nth += 3) {
    SCOPED_TRACE("instruction " + std::to_string(nth));
    const std::optional<bool> struck = kill_in_sample(nth);
    if (!struck) GTEST_SKIP() << "NOT TESTED: the kernel lets no process trace another here (ptrace)";
    if (!*struck) break;
    ++kills;
  }
  std::printf("%d kills\n", kills);
  EXPECT_GE(kills, 20);
}

}  // namespace
}  // namespace comity::testing
