// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <vector>

#include "cases.hpp"
#include "common/timing.hpp"
#include "in_child.hpp"

#ifdef COMITY_BENCH_QTHREADS
#include <qthread/barrier.h>
#include <qthread/qthread.h>
#endif

namespace bench::qthreads {

#ifdef COMITY_BENCH_QTHREADS

namespace {

// So many shepherds of one worker each; it binds them to CPUs by itself. In a child, for it has them once in a process.
template <typename Work>
double on_workers(int count, const Work& work) {
  return in_child([&] {
    qthread_init(static_cast<qthread_shepherd_id_t>(count));
    return work();
  });
}

struct Half {
  const Grain* grain;
  int n;
};

aligned_t fib_of(void* argument) {
  const Half& mine = *static_cast<const Half*>(argument);
  if (mine.n < 2) return static_cast<aligned_t>(mine.n);
  Half left{mine.grain, mine.n - 1};
  Half right{mine.grain, mine.n - 2};
  aligned_t of_left = 0;
  qthread_fork(fib_of, &left, &of_left);
  if (mine.grain->ns > 0.0) compute(mine.grain->ns);
  const aligned_t of_right = fib_of(&right);
  qthread_readFF(nullptr, &of_left);
  return of_left + of_right;
}

aligned_t nothing(void*) { return 0; }

void make_and_join(qthread_shepherd_id_t shepherd) {
  aligned_t ended = 0;
  qthread_fork_to(nothing, nullptr, &ended, shepherd);
  qthread_readFF(nullptr, &ended);
}

double switches() {
  constexpr int kSwitches = 500'000;
  const auto yields = [](void*) -> aligned_t {
    for (int i = 0; i < kSwitches / 2; ++i) qthread_yield();
    return 0;
  };
  aligned_t first = 0;
  aligned_t second = 0;
  const double start = now_ns();
  qthread_fork(yields, nullptr, &first);
  qthread_fork(yields, nullptr, &second);
  qthread_readFF(nullptr, &first);
  qthread_readFF(nullptr, &second);
  return (now_ns() - start) / kSwitches;
}

double barriers() {
  return rounds_of_a_barrier([](int rounds) {
    struct Both {
      qt_barrier_t* barrier;
      int rounds;
    } both{qt_barrier_create(kThreads, REGION_BARRIER), rounds};
    const auto meet = [](void* argument) -> aligned_t {
      const Both& with = *static_cast<const Both*>(argument);
      for (int round = 0; round < with.rounds; ++round) qt_barrier_enter(with.barrier);
      return 0;
    };
    std::vector<aligned_t> ended(kThreads);
    const double start = now_ns();
    for (int i = 0; i < kThreads; ++i) {
      qthread_fork_to(meet, &both, &ended[static_cast<std::size_t>(i)], static_cast<qthread_shepherd_id_t>(i));
    }
    for (aligned_t& one : ended) qthread_readFF(nullptr, &one);
    const double ns = (now_ns() - start) / rounds;
    qt_barrier_destroy(both.barrier);
    return ns;
  });
}

double produce(const Grain& grain) {
  const auto work = [](void* argument) -> aligned_t {
    compute_grain(*static_cast<const Grain*>(argument), 1);
    return 0;
  };
  std::vector<aligned_t> ended(static_cast<std::size_t>(std::min(grain.tasks, 50'000)));
  const double ns = time_second([&] {
    for (aligned_t& one : ended) qthread_fork(work, &grain, &one);
    for (aligned_t& one : ended) qthread_readFF(nullptr, &one);
  });
  return ns / static_cast<double>(ended.size());
}

}  // namespace

Once yield() {
  return [] { return on_workers(1, switches); };
}
Once create_join(int harts) {
  return [harts] {
    return on_workers(harts, [harts] {
      return time_loop(20'000, [harts] { make_and_join(static_cast<qthread_shepherd_id_t>(harts - 1)); });
    });
  };
}
Once barrier() {
  return [] { return on_workers(kThreads, barriers); };
}
Once fib(const Grain& grain) {
  return [&grain] {
    return on_workers(kThreads, [&grain] {
      Half all{&grain, std::min(grain.fib, 20)};
      return time_second([&] { use(static_cast<long>(fib_of(&all))); }) / static_cast<double>(tasks_of_fib(all.n));
    });
  };
}
Once one_producer(const Grain& grain) {
  return [&grain] { return on_workers(kThreads, [&grain] { return produce(grain); }); };
}

#else

Once yield() { return {}; }
Once create_join(int) { return {}; }
Once barrier() { return {}; }
Once fib(const Grain&) { return {}; }
Once one_producer(const Grain&) { return {}; }

#endif

}  // namespace bench::qthreads
