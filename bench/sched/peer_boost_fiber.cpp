// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cases.hpp"
#include "common/timing.hpp"
#include "pinned.hpp"

#ifdef COMITY_BENCH_BOOST_FIBER
#include <boost/fiber/algo/work_stealing.hpp>
#include <boost/fiber/condition_variable.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/mutex.hpp>
#include <boost/fiber/operations.hpp>
#endif

namespace bench::boost_fiber {

#ifdef COMITY_BENCH_BOOST_FIBER

namespace {

// Two threads that steal fibers from each other: it has them once in a process. Between two measurements they sleep.
class TwoThreads {
 public:
  static TwoThreads& one() {
    static TwoThreads threads;
    return threads;
  }
  TwoThreads(const TwoThreads&) = delete;
  TwoThreads& operator=(const TwoThreads&) = delete;
  ~TwoThreads() {
    hand_over({});
    first_.join();
    second_.join();
  }

  // In a fiber of the first of them.
  void run(const std::function<void()>& work) {
    hand_over(work);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !given_; });
  }

 private:
  TwoThreads() = default;

  void hand_over(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    work_ = work;
    given_ = true;
    changed_.notify_all();
  }
  void take_work() {
    pinned_.pin(0);
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::work_stealing>(kThreads, true);
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return given_; });
      if (!work_) break;
      work_();
      given_ = false;
      changed_.notify_all();
    }
    const std::lock_guard lock(over_mutex_);
    over_ = true;
    over_changed_.notify_all();
  }
  void help() {
    pinned_.pin(1);
    boost::fibers::use_scheduling_algorithm<boost::fibers::algo::work_stealing>(kThreads, true);
    std::unique_lock lock(over_mutex_);
    over_changed_.wait(lock, [this] { return over_; });
  }

  const Pinned pinned_;
  std::mutex mutex_;  // what follows
  std::condition_variable changed_;
  std::function<void()> work_;
  bool given_ = false;
  boost::fibers::mutex over_mutex_;  // what follows
  boost::fibers::condition_variable over_changed_;
  bool over_ = false;
  std::thread first_{[this] { take_work(); }};
  std::thread second_{[this] { help(); }};
};

constexpr int kSmallerFib = 20;  // each task has a stack from its start: of a larger tree more than there is room for

long fib_of(const Grain& grain, int n) {
  if (n < 2) return n;
  long left = 0;
  boost::fibers::fiber half([&left, &grain, n] { left = fib_of(grain, n - 1); });
  if (grain.ns > 0.0) compute(grain.ns);
  const long right = fib_of(grain, n - 2);
  half.join();
  return left + right;
}

}  // namespace

Once yield() {
  return [] {
    const Pinned pinned;
    constexpr int kSwitches = 500'000;
    const auto yields = [] {
      for (int i = 0; i < kSwitches / 2; ++i) boost::this_fiber::yield();
    };
    const double start = now_ns();
    boost::fibers::fiber first(yields);
    boost::fibers::fiber second(yields);
    first.join();
    second.join();
    return (now_ns() - start) / kSwitches;
  };
}

Once create_join() {
  return [] {
    const Pinned pinned;
    return time_loop(20'000, [] { boost::fibers::fiber([] {}).join(); });
  };
}

Once fib(const Grain& grain) {
  return [&grain] {
    const int n = std::min(grain.fib, kSmallerFib);
    double ns = 0.0;
    TwoThreads::one().run([&] { ns = time_second([&] { use(fib_of(grain, n)); }); });
    return ns / static_cast<double>(tasks_of_fib(n));
  };
}

// As many at a time as their stacks have room for.
Once one_producer(const Grain& grain) {
  return [&grain] {
    constexpr int kAtOnce = 1000;
    const int tasks = std::min(grain.tasks, 20'000);
    double ns = 0.0;
    TwoThreads::one().run([&] {
      ns = time_second([&] {
        for (int first = 0; first < tasks; first += kAtOnce) {
          std::vector<boost::fibers::fiber> made;
          for (int i = first; i < std::min(first + kAtOnce, tasks); ++i) {
            made.emplace_back([&grain, i] { compute_grain(grain, i); });
          }
          for (boost::fibers::fiber& fiber : made) fiber.join();
        }
      });
    });
    return ns / tasks;
  };
}

#else

Once yield() { return {}; }
Once create_join() { return {}; }
Once fib(const Grain&) { return {}; }
Once one_producer(const Grain&) { return {}; }

#endif

}  // namespace bench::boost_fiber
