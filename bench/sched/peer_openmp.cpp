// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <thread>

#include "cases.hpp"
#include "common/timing.hpp"
#include "pinned.hpp"

#ifdef COMITY_BENCH_OPENMP
#include <omp.h>
#endif

#ifdef COMITY_BENCH_LIBOMP
extern "C" void kmp_set_blocktime(int milliseconds);
#endif

namespace bench::openmp {

#ifdef COMITY_BENCH_OPENMP

namespace {

long fib_of(int n) {
  if (n < 2) return n;
  long left = 0;
#pragma omp task shared(left) firstprivate(n)
  left = fib_of(n - 1);
  const long right = fib_of(n - 2);
#pragma omp taskwait
  return left + right;
}

long fib_with(const Grain& grain, int n) {
  if (n < 2) return n;
  long left = 0;
#pragma omp task shared(left, grain) firstprivate(n)
  left = fib_with(grain, n - 1);
  compute(grain.ns);
  const long right = fib_with(grain, n - 2);
#pragma omp taskwait
  return left + right;
}

// Its threads, on a CPU each for the length of this; then idle and off the CPUs. Those of nested teams would inherit one.
class Team {
 public:
  Team() {
#pragma omp parallel num_threads(kThreads)
    pinned_.pin(omp_get_thread_num());
  }
  ~Team() { leave(); }

  static void leave() {
#ifdef COMITY_BENCH_LIBOMP
    kmp_set_blocktime(0);  // [ms] of spinning at the end of the region that follows
#pragma omp parallel num_threads(kThreads)
    use(omp_get_thread_num());
    kmp_set_blocktime(kUsualBlocktime);
#endif
    std::this_thread::sleep_for(std::chrono::milliseconds(kSpin));
  }

 private:
#ifdef COMITY_BENCH_LIBOMP
  static constexpr int kUsualBlocktime = 200;
  static constexpr int kSpin = 5;
#else
  static constexpr int kSpin = 50;  // libgomp's looks take some 10 ms
#endif
  const int cpus_ = omp_get_num_procs();  // first: it counts those of the thread that asks first, and never again
  Pinned pinned_;
};

}  // namespace

std::string_view name() { return COMITY_BENCH_OPENMP; }

Once barrier() {
  return [] {
    const Team team;
    return rounds_of_a_barrier([](int rounds) {
      double ns = 0.0;
#pragma omp parallel num_threads(kThreads)
      {
#pragma omp barrier
        const double start = now_ns();
        for (int i = 0; i < rounds; ++i) {
#pragma omp barrier
        }
#pragma omp master
        ns = (now_ns() - start) / rounds;
      }
      return ns;
    });
  };
}

Once fib(const Grain& grain) {
  return [&grain] {
    const Team team;
    double ns = 0.0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    ns = time_second([&grain] { use(grain.ns > 0.0 ? fib_with(grain, grain.fib) : fib_of(grain.fib)); });
    return ns / static_cast<double>(tasks_of_fib(grain.fib));
  };
}

Once one_producer(const Grain& grain) {
  return [&grain] {
    const Team team;
    double ns = 0.0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    ns = time_second([of = &grain] {
      const Grain* const each = of;
      for (int i = 0; i < each->tasks; ++i) {
#pragma omp task firstprivate(i, each)
        compute_grain(*each, i);
      }
#pragma omp taskwait
    });
    return ns / grain.tasks;
  };
}

Once nest(double work_ns) {
  return [=] {
    constexpr double kAll_ns = 40e6;
    const int calls = static_cast<int>(kAll_ns / 2 / work_ns);
    omp_set_max_active_levels(2);
    const auto all = [&] {
#pragma omp parallel num_threads(2)
      for (int call = 0; call < calls; ++call) {
#pragma omp parallel num_threads(2)
        {
          compute(work_ns / 4);
#pragma omp barrier
          compute(work_ns / 4);
#pragma omp barrier
        }
      }
    };
    all();
    const double ms = 1e3 * time_loop(1, all) / 1e9;
    Team::leave();
    return ms;
  };
}

#else

std::string_view name() { return "OpenMP"; }
Once barrier() { return {}; }
Once fib(const Grain&) { return {}; }
Once one_producer(const Grain&) { return {}; }
Once nest(double) { return {}; }

#endif

}  // namespace bench::openmp
