// SPDX-License-Identifier: BSD-3-Clause
// Tasks on all cores of the process: a tree of them, an order by data, a loop and a sum, an exception that reaches who waits.
//   tasks
#include <algorithm>
#include <comity/sched.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <vector>

namespace sched = comity::sched;

namespace {

// Sorts halves as tasks; small ones are not worth it.
void merge_sort(std::vector<int>& values, std::size_t first, std::size_t last) {
  if (last - first < 1000) {
    std::sort(values.begin() + first, values.begin() + last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
  sched::Group halves;
  halves.run([&, middle] { merge_sort(values, first, middle); });
  merge_sort(values, middle, last);
  halves.wait();
  std::inplace_merge(values.begin() + first, values.begin() + middle, values.begin() + last);
}

// Blocks of a chain: each needs its left neighbour of this sweep, which its dependence says.
double sweep(int blocks) {
  std::vector<double> chain(blocks, 1);
  sched::Group group;
  for (int i = 1; i < blocks; ++i) {
    group.run_after({sched::reads(chain[i - 1]), sched::writes(chain[i])},
                    [&chain, i] { chain[i] += chain[i - 1] / 2; });
  }
  group.wait();
  return chain.back();
}

double pi(std::int64_t steps) {
  const double width = 1 / static_cast<double>(steps);
  const auto part = [width](std::int64_t first, std::int64_t last) {
    double sum = 0;
    for (std::int64_t i = first; i < last; ++i) {
      const double x = (static_cast<double>(i) + 0.5) * width;
      sum += 4 / (1 + x * x) * width;
    }
    return sum;
  };
  return sched::parallel_reduce(0, steps, 0.0, part, std::plus<>());
}

}  // namespace

int main() {
  sched::Harts harts;  // this thread is the first of them
  return harts.run([] {
    std::vector<int> values(100'000);
    sched::parallel_for(0, 100'000, [&](std::int64_t i) { values[i] = static_cast<int>(i * 7919 % 100'003); });
    merge_sort(values, 0, values.size());
    const bool sorted = std::is_sorted(values.begin(), values.end());

    const sched::Future<double> third = sched::async([] { return sweep(50); });
    const double sum = pi(1'000'000);

    bool caught = false;
    try {
      sched::parallel_for(0, 100, [](std::int64_t i) { i == 42 ? throw std::runtime_error("no") : void(); });
    } catch (const std::runtime_error&) {
      caught = true;
    }
    std::printf("%d harts: sorted %d, sweep %.4f, pi %.6f, caught %d\n", sched::harts(), sorted, third.get(), sum,
                caught);
    return sorted && caught ? 0 : 1;
  });
}
