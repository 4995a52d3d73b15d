// SPDX-License-Identifier: BSD-3-Clause
// Threads that sleep in poll at a create: those of a library are left alone, those of the program are moved.
#include <comity/comity.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "context/begun_in_library.hpp"
#include "context/threads/held.hpp"
#include "context/threads/process.hpp"
#include "node/process_state.hpp"
#include "os/threads/threads.hpp"

namespace {

using comity::Context;
using comity::Resource;
using comity::testing::Cpus;
using comity::testing::cpus_of;
using comity::testing::Held;
using comity::testing::kNoOrigins;
using comity::testing::LibraryThread;
using comity::testing::mask_of;
using comity::testing::origins_are_known;
using comity::testing::ThreadsOnTwoCores;

constexpr const char* kNotSeen = "NOT TESTED: this kernel does not tell what a thread sleeps in";

// A thread that sleeps in poll, of a library: as the progress threads of MPI, PMIx and UCX do.
class Poller {
 public:
  enum class Begin { at_once, when_told };
  explicit Poller(Begin begin = Begin::at_once) {
    if (pipe2(pipe_.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
    thread_.emplace([this] {
      id_.store(gettid());
      while (!begun_.load()) std::this_thread::yield();
      pollfd wait{pipe_[0], POLLIN, 0};
      (void)poll(&wait, 1, -1);
      awake_.store(true);
      while (!done_.load()) std::this_thread::yield();
    });
    if (begin == Begin::at_once) start();
  }
  // Sleeps in poll from here on, or until it is known that the kernel does not tell.
  void start() {
    begun_.store(true);
    constexpr int kLongest_ms = 10'000;
    for (int asleep_ms = 0; asleep_ms < kLongest_ms && !(is_seen_ = in_poll());) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (id_.load() != 0 && comity::testing::state_of(id_.load()) == 'S') ++asleep_ms;
    }
  }
  ~Poller() {
    end();
    close(pipe_[0]);
    close(pipe_[1]);
  }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  // What a create sees too.
  [[nodiscard]] bool is_seen() const { return is_seen_; }
  [[nodiscard]] Cpus mask() { return mask_of(*thread_); }
  // From here on it works, as a progress thread does while there are messages.
  void wake() {
    (void)!write(pipe_[1], "x", 1);
    while (!awake_.load()) std::this_thread::yield();
  }
  // Back when the kernel lists the thread no more, which may be after the join.
  void end() {
    if (!thread_->joinable()) return;
    done_.store(true);
    begun_.store(true);
    wake();
    thread_->join();
    while (std::filesystem::exists("/proc/self/task/" + std::to_string(id_.load()))) std::this_thread::yield();
  }

 private:
  [[nodiscard]] bool in_poll() const { return id_.load() != 0 && comity::os::sleeps_in_poll(id_.load()); }

  bool is_seen_ = false;
  std::array<int, 2> pipe_{};
  std::atomic<pid_t> id_{0};
  std::atomic<bool> begun_{false};
  std::atomic<bool> awake_{false};
  std::atomic<bool> done_{false};
  std::optional<LibraryThread> thread_;
};

TEST_F(ThreadsOnTwoCores, AThreadThatSleptInPollAtCreateIsLeftAlone) {
  Poller helper;
  if (!helper.is_seen()) GTEST_SKIP() << kNotSeen;
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_EQ(helper.mask(), before_);
  context.pop();
  EXPECT_EQ(helper.mask(), before_);
}

TEST_F(ThreadsOnTwoCores, AThreadThatSleptInPollAtTheFirstCreateIsLeftAloneThoughItIsAwakeAtALaterOne) {
  Poller helper;
  if (!helper.is_seen()) GTEST_SKIP() << kNotSeen;
  const Context first = Context::local();
  helper.wake();
  Context second = Context::local();
  second.push(Resource::core, 1);
  EXPECT_EQ(helper.mask(), before_);
  second.pop();
  EXPECT_EQ(helper.mask(), before_);
}

// Half of the time in poll, half of it at work: as a progress thread that has just been asked for something.
class OftenAwake {
 public:
  OftenAwake() {
    while (id_.load() == 0) std::this_thread::yield();
  }
  ~OftenAwake() { done_.store(true); }
  OftenAwake(const OftenAwake&) = delete;
  OftenAwake& operator=(const OftenAwake&) = delete;
  [[nodiscard]] Cpus mask() { return mask_of(thread_); }

 private:
  std::atomic<pid_t> id_{0};
  std::atomic<bool> done_{false};
  LibraryThread thread_{[this] {
    id_.store(gettid());
    while (!done_.load()) {
      const timespec rest{0, 100'000};
      (void)ppoll(nullptr, 0, &rest, nullptr);
      const std::int64_t end_ns = comity::now_ns() + 100'000;
      while (comity::now_ns() < end_ns) {
      }
    }
  }};
};

// A look at one moment would take every second of them for a thread that works.
TEST_F(ThreadsOnTwoCores, AHelperThatIsAwakeAtCreateIsWaitedFor) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  if (!Poller().is_seen()) GTEST_SKIP() << kNotSeen;
  constexpr int kHelpers = 40;
  int moved = 0;
  for (int i = 0; i < kHelpers; ++i) {
    OftenAwake helper;
    Context context = Context::local();
    context.push(Resource::core, 1);
    moved += helper.mask() == before_ ? 0 : 1;
  }
  EXPECT_LT(moved, kHelpers / 4);
}

TEST_F(ThreadsOnTwoCores, AThreadOfTheProgramThatSleptInPollAtCreateIsMoved) {
  if (!origins_are_known()) GTEST_SKIP() << kNoOrigins;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  std::atomic<pid_t> id{0};
  std::thread poller([&] {
    id.store(gettid());
    pollfd wait{ends[0], POLLIN, 0};
    (void)poll(&wait, 1, -1);
  });
  while (id.load() == 0 || comity::testing::state_of(id.load()) != 'S') std::this_thread::yield();
  Context context = Context::local();
  context.push(Resource::core, 1);
  EXPECT_EQ(mask_of(poller), cpus_of(0));
  context.pop();
  EXPECT_EQ(mask_of(poller), before_);
  close(ends[1]);
  poller.join();
  close(ends[0]);
}

// There are as many threads as before then.
TEST_F(ThreadsOnTwoCores, AThreadBornAfterTheEndOfAHelperIsReached) {
  Poller helper;
  if (!helper.is_seen()) GTEST_SKIP() << kNotSeen;
  Context context = Context::local();
  context.push(Resource::core, 1);
  context.pop();
  helper.end();
  Held thread([] {});
  context.push(Resource::core, 1);
  EXPECT_EQ(thread.mask(), cpus_of(0));
  context.pop();
  EXPECT_EQ(thread.mask(), before_);
}

TEST_F(ThreadsOnTwoCores, AThreadThatSleepsInPollAtALaterCreateGetsItsMaskBackWhateverIsFreedFirst) {
  Poller late(Poller::Begin::when_told);
  std::optional<Context> first = Context::local();
  first->push(Resource::core, 1);
  EXPECT_EQ(late.mask(), cpus_of(0));
  late.start();
  if (!late.is_seen()) GTEST_SKIP() << kNotSeen;
  Context second = Context::local();
  second.push(Resource::core, 0);
  first.reset();
  EXPECT_EQ(late.mask(), before_);
  second.pop();
  EXPECT_EQ(late.mask(), before_);
  EXPECT_EQ(cpus_of(0), before_);
}

}  // namespace
