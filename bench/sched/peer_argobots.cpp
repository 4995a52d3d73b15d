// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <vector>

#include "cases.hpp"
#include "common/timing.hpp"
#include "in_child.hpp"
#include "pinned.hpp"

#ifdef COMITY_BENCH_ARGOBOTS
#include <abt.h>
#endif

namespace bench::argobots {

#ifdef COMITY_BENCH_ARGOBOTS

namespace {

// So many streams, that of the caller first, each with a pool that the others steal from, on a CPU each.
class Streams {
 public:
  explicit Streams(int count) : count_(static_cast<std::size_t>(count)) {
    ABT_init(0, nullptr);
    for (std::size_t i = 0; i < count_; ++i) {
      ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_TRUE, &pools_[i]);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      std::array<ABT_pool, kThreads> from_own{};
      for (std::size_t k = 0; k < count_; ++k) from_own[k] = pools_[(i + k) % count_];
      ABT_sched sched;
      ABT_sched_create_basic(ABT_SCHED_RANDWS, count, from_own.data(), ABT_SCHED_CONFIG_NULL, &sched);
      if (i == 0) {
        ABT_xstream_self(&streams_[0]);
        ABT_xstream_set_main_sched(streams_[0], sched);
      } else {
        ABT_xstream_create(sched, &streams_[i]);
        pin(static_cast<int>(i));
      }
    }
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;
  ~Streams() {
    for (std::size_t i = 1; i < count_; ++i) {
      ABT_xstream_join(streams_[i]);
      ABT_xstream_free(&streams_[i]);
    }
    ABT_finalize();
  }

  [[nodiscard]] ABT_pool pool(std::size_t stream) const { return pools_[stream]; }

 private:
  void pin(int stream) {
    int cpu = static_cast<int>(pinned_.cpu_of(stream));
    ABT_xstream_set_affinity(streams_[static_cast<std::size_t>(stream)], 1, &cpu);
  }

  const Pinned pinned_;
  const std::size_t count_;
  std::array<ABT_pool, kThreads> pools_{};
  std::array<ABT_xstream, kThreads> streams_{};
};

ABT_pool here() {
  ABT_xstream stream;
  ABT_pool pool;
  ABT_xstream_self(&stream);
  ABT_xstream_get_main_pools(stream, 1, &pool);
  return pool;
}

struct Half {
  const Grain* grain;
  int n;
  long result;
};

long fib_of(const Grain& grain, int n) {
  if (n < 2) return n;
  Half left{&grain, n - 1, 0};
  ABT_thread thread;
  ABT_thread_create(
      here(),
      [](void* argument) {
        Half& half = *static_cast<Half*>(argument);
        half.result = fib_of(*half.grain, half.n);
      },
      &left, ABT_THREAD_ATTR_NULL, &thread);
  if (grain.ns > 0.0) compute(grain.ns);
  const long right = fib_of(grain, n - 2);
  ABT_thread_free(&thread);  // which waits for its end
  return left.result + right;
}

void make_and_join(ABT_pool pool) {
  ABT_thread thread;
  ABT_thread_create(
      pool, [](void*) {}, nullptr, ABT_THREAD_ATTR_NULL, &thread);
  ABT_thread_free(&thread);
}

double switches() {
  constexpr int kSwitches = 500'000;
  const Streams streams(1);
  const auto yields = [](void*) {
    for (int i = 0; i < kSwitches / 2; ++i) ABT_thread_yield();
  };
  std::array<ABT_thread, 2> both{};
  const double start = now_ns();
  for (ABT_thread& one : both) ABT_thread_create(streams.pool(0), yields, nullptr, ABT_THREAD_ATTR_NULL, &one);
  for (ABT_thread& one : both) ABT_thread_free(&one);
  return (now_ns() - start) / kSwitches;
}

double barriers() {
  const Streams streams(kThreads);
  return rounds_of_a_barrier([&](int rounds) {
    struct Both {
      ABT_barrier barrier;
      int rounds;
    } both{nullptr, rounds};
    ABT_barrier_create(kThreads, &both.barrier);
    std::array<ABT_thread, kThreads> threads{};
    const double start = now_ns();
    for (std::size_t i = 0; i < threads.size(); ++i) {
      ABT_thread_create(
          streams.pool(i),
          [](void* argument) {
            const Both& with = *static_cast<Both*>(argument);
            for (int round = 0; round < with.rounds; ++round) ABT_barrier_wait(with.barrier);
          },
          &both, ABT_THREAD_ATTR_NULL, &threads[i]);
    }
    for (ABT_thread& thread : threads) ABT_thread_free(&thread);
    const double ns = (now_ns() - start) / rounds;
    ABT_barrier_free(&both.barrier);
    return ns;
  });
}

double produce(const Grain& grain) {
  const Streams streams(kThreads);
  std::vector<ABT_task> tasks(static_cast<std::size_t>(std::min(grain.tasks, 50'000)));
  const double ns = time_second([&] {
    for (ABT_task& task : tasks) {
      ABT_task_create(
          here(), [](void* argument) { compute_grain(*static_cast<const Grain*>(argument), 1); },
          const_cast<Grain*>(&grain), &task);
    }
    for (ABT_task& task : tasks) ABT_task_free(&task);
  });
  return ns / static_cast<double>(tasks.size());
}

}  // namespace

Once yield() {
  return [] { return in_child(switches); };
}
Once create_join(int harts) {
  return [harts] {
    return in_child([harts] {
      const Streams streams(harts);
      return time_loop(50'000, [&] { make_and_join(streams.pool(static_cast<std::size_t>(harts) - 1)); });
    });
  };
}
Once barrier() {
  return [] { return in_child(barriers); };
}
Once fib(const Grain& grain) {
  return [&grain] {
    return in_child([&grain] {
      const Streams streams(kThreads);
      const int n = std::min(grain.fib, 22);
      return time_second([&] { use(fib_of(grain, n)); }) / static_cast<double>(tasks_of_fib(n));
    });
  };
}
Once one_producer(const Grain& grain) {
  return [&grain] { return in_child([&grain] { return produce(grain); }); };
}

#else

Once yield() { return {}; }
Once create_join(int) { return {}; }
Once barrier() { return {}; }
Once fib(const Grain&) { return {}; }
Once one_producer(const Grain&) { return {}; }

#endif

}  // namespace bench::argobots
