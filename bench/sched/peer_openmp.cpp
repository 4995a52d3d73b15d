// SPDX-License-Identifier: BSD-3-Clause
#include "cases.hpp"
#include "common/timing.hpp"

#ifdef COMITY_BENCH_OPENMP
#include <omp.h>
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

long tasks_of_fib(int n) { return n < 2 ? 0 : 1 + tasks_of_fib(n - 1) + tasks_of_fib(n - 2); }

constexpr int kSmallerFib = 22;  // it takes ten times as long

}  // namespace

std::string_view name() { return COMITY_BENCH_OPENMP; }

Once barrier() {
  return [] {
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

Once fib() {
  return [] {
    double ns = 0.0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
      const double start = now_ns();
      use(fib_of(kSmallerFib));
      ns = (now_ns() - start) / static_cast<double>(tasks_of_fib(kSmallerFib));
    }
    return ns;
  };
}

Once one_producer() {
  return [] {
    double ns = 0.0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
      const double start = now_ns();
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task firstprivate(i)
        use(i);
      }
#pragma omp taskwait
      ns = (now_ns() - start) / kTasks;
    }
    return ns;
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
    return 1e3 * time_loop(1, all) / 1e9;
  };
}

#else

std::string_view name() { return "OpenMP"; }
Once barrier() { return {}; }
Once fib() { return {}; }
Once one_producer() { return {}; }
Once nest(double) { return {}; }

#endif

}  // namespace bench::openmp
