// SPDX-License-Identifier: BSD-3-Clause
// Which threads sleep in poll: by the system call that a helper of some library waits in, whichever it is; and where they
// begin.
#include "os/threads/threads.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <functional>
#include <string>
#include <thread>

#include "os/code/loaded_object.hpp"
#include "os/files/descriptor.hpp"
#include "os/threads/thread_origins.hpp"
#include "sanitizer.hpp"

namespace comity::os {
namespace {

// Waits for the event that it is given; the call itself, for the C library may make another of it.
struct Call {
  const char* name;
  std::function<long(int event)> wait;
};

Descriptor watcher_of(int event) {
  Descriptor watcher(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event wanted{.events = EPOLLIN, .data = {}};
  EXPECT_EQ(::epoll_ctl(watcher.number(), EPOLL_CTL_ADD, event, &wanted), 0);
  return watcher;
}

long in_epoll(long number, int event, auto... rest) {
  const Descriptor watcher = watcher_of(event);
  epoll_event found{};
  return ::syscall(number, watcher.number(), &found, 1, rest...);
}

long in_select(long number, int event, auto... rest) {
  fd_set wanted;
  FD_ZERO(&wanted);
  FD_SET(event, &wanted);
  return ::syscall(number, event + 1, &wanted, nullptr, nullptr, rest...);
}

long in_poll(long number, int event, auto... rest) {
  pollfd wanted{.fd = event, .events = POLLIN, .revents = 0};
  return ::syscall(number, &wanted, 1, rest...);
}

const std::vector<Call> kPollCalls{
#ifdef SYS_poll
    {"poll", [](int event) { return in_poll(SYS_poll, event, -1); }},
#endif
#ifdef SYS_select
    {"select", [](int event) { return in_select(SYS_select, event, nullptr); }},
#endif
#ifdef SYS_epoll_wait
    {"epoll_wait", [](int event) { return in_epoll(SYS_epoll_wait, event, -1); }},
#endif
#ifdef SYS_epoll_pwait2
    {"epoll_pwait2", [](int event) { return in_epoll(SYS_epoll_pwait2, event, nullptr, nullptr, 0UL); }},
#endif
    {"ppoll", [](int event) { return in_poll(SYS_ppoll, event, nullptr, nullptr, 0UL); }},
    {"pselect6", [](int event) { return in_select(SYS_pselect6, event, nullptr, nullptr); }},
    {"epoll_pwait", [](int event) { return in_epoll(SYS_epoll_pwait, event, -1, nullptr, 0UL); }},
};

// A thread in such a call, until it is dropped.
class Waiter {
 public:
  explicit Waiter(std::function<long(int event)> wait)
      : thread_([this, wait = std::move(wait)] {
          id_.store(this_thread());
          errno = 0;
          if (wait(event_.number()) < 0 && errno == ENOSYS) unknown_.store(true);
        }) {
    while (id_.load() == 0) std::this_thread::yield();
  }
  ~Waiter() {
    const std::uint64_t one = 1;
    EXPECT_EQ(::write(event_.number(), &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
    thread_.join();
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  [[nodiscard]] pid_t id() const { return id_.load(); }
  // The kernel is older than the call: nobody can sleep in it here.
  [[nodiscard]] bool unknown() const { return unknown_.load(); }

 private:
  Descriptor event_{::eventfd(0, EFD_CLOEXEC)};
  std::atomic<pid_t> id_{0};
  std::atomic<bool> unknown_{false};
  std::thread thread_;
};

bool sleeps(pid_t thread) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("State:")) return line.find('S', 6) != std::string::npos;
  }
  return false;
}

template <typename Condition>
bool becomes_true(Condition&& condition) {
  for (int look = 0; look < 50'000; ++look) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return false;
}

class SleepInPoll : public ::testing::TestWithParam<Call> {};

TEST_P(SleepInPoll, IsToldByItsSystemCall) {
  const Waiter waiter(GetParam().wait);
  EXPECT_TRUE(becomes_true([&] { return waiter.unknown() || sleeps_in_poll(waiter.id()); }));
}

INSTANTIATE_TEST_SUITE_P(Calls, SleepInPoll, ::testing::ValuesIn(kPollCalls),
                         [](const auto& call) { return std::string(call.param.name); });

TEST(SleepElsewhere, IsNoSleepInPoll) {
  const Waiter reader([](int event) {
    std::uint64_t count = 0;
    return static_cast<long>(::read(event, &count, sizeof(count)));
  });
  ASSERT_TRUE(becomes_true([&] { return sleeps(reader.id()); }));
  EXPECT_FALSE(sleeps_in_poll(reader.id()));
  EXPECT_FALSE(sleeps_in_poll(this_thread()));
}

// A thread that stays until it is dropped.
class Standing {
 public:
  Standing() { pthread_create(&thread_, nullptr, stand, this); }
  ~Standing() {
    ends_.store(true);
    ends_.notify_one();
    pthread_join(thread_, nullptr);
  }
  Standing(const Standing&) = delete;
  Standing& operator=(const Standing&) = delete;
  [[nodiscard]] pid_t id() const {
    id_.wait(0);
    return id_.load();
  }

 private:
  static void* stand(void* self) {
    auto& me = *static_cast<Standing*>(self);
    me.id_.store(this_thread());
    me.id_.notify_one();
    me.ends_.wait(false);
    return nullptr;
  }

  std::atomic<pid_t> id_{0};
  std::atomic<bool> ends_{false};
  pthread_t thread_{};
};

#ifdef __GLIBC__
constexpr bool kIsTold = !testing::kHasSanitizer;
#else
constexpr bool kIsTold = false;
#endif

TEST(Origin, IsTheProgramOfAThreadThatItBeginsByEitherCall) {
  if (!kIsTold) GTEST_SKIP() << "NOT TESTED: the C library does not tell, or a sanitizer begins all threads";
  const Standing by_c;
  const Waiter by_cpp([](int event) {
    std::uint64_t count = 0;
    return static_cast<long>(::read(event, &count, sizeof(count)));
  });
  const ThreadOrigins origins;
  EXPECT_TRUE(origins.is_in_program(by_c.id()));
  EXPECT_TRUE(origins.is_in_program(by_cpp.id()));
}

// An event of the C library's own: its thread begins there.
TEST(Origin, IsTheLibraryOfAThreadThatALibraryBegins) {
  if (!kIsTold) GTEST_SKIP() << "NOT TESTED: the C library does not tell, or a sanitizer begins all threads";
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_notify_function = [](sigval) {};
  timer_t timer{};
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  std::vector<pid_t> threads;
  list_threads(threads);
  std::erase(threads, getpid());
  ASSERT_EQ(threads.size(), 1U);
  ASSERT_TRUE(becomes_true([&] { return sleeps(threads.front()); }));  // it has begun
  const ThreadOrigins origins;
  const auto library = loaded_object_at(reinterpret_cast<std::uintptr_t>(&timer_create));
  ASSERT_TRUE(library);
  EXPECT_EQ(origins.of(threads.front()), library->start);
  EXPECT_FALSE(origins.is_in_program(threads.front()));
  EXPECT_EQ(timer_delete(timer), 0);
}

TEST(Origin, IsUnknownOfTheMainThreadAndOfWhatIsNoThread) {
  constexpr pid_t kNoThread = 1 << 30;
  const ThreadOrigins origins;
  EXPECT_FALSE(origins.of(getpid()));
  EXPECT_FALSE(origins.of(kNoThread));
}

}  // namespace
}  // namespace comity::os
