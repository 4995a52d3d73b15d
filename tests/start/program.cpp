// SPDX-License-Identifier: BSD-3-Clause
// One line of JSON: what the library saw at load, what a constructor of this program and main() see, and how often the
// process slept in as many regions of two members as its argument says, each on a CPU of its own, and how long a region took.
#include <comity/comity.hpp>

#include <omp.h>
#include <sched.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "library.h"

namespace {

std::vector<int> cpus() {
  cpu_set_t mask;
  sched_getaffinity(0, sizeof(mask), &mask);
  std::vector<int> found;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &mask)) found.push_back(cpu);
  }
  return found;
}

const std::size_t cpus_in_constructor = cpus().size();

void work() {
  volatile double sum = 0;
  for (int i = 0; i < 2000; ++i) sum = sum + i;
}

long sleeps() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return used.ru_nvcsw;
}

struct Regions {
  long sleeps;
  double each_us;
};

void region() {
#pragma omp parallel num_threads(2)
  work();
}

Regions run_regions(int count) {
  comity::Context context = comity::Context::local();
  context.push(comity::Resource::machine, 0);
  region();  // the team is there
  const long sleeps_before = sleeps();
  const double start_s = omp_get_wtime();
  for (int i = 0; i < count; ++i) region();
  const double took_s = omp_get_wtime() - start_s;
  const long slept = sleeps() - sleeps_before;
  context.pop();
  return {slept, count > 0 ? took_s / count * 1e6 : 0.0};
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<int> mine = cpus();
  library_returns_files();  // LLVM's runtime needs some, and starts with the next line
  const int team = omp_get_max_threads();
  const int thread = library_thread_cpus();
  std::printf("{\"at_load\": %d, \"in_constructor\": %zu, \"in_main\": %zu, \"first_cpu\": %d, \"of_thread\": %d, ",
              library_cpus_at_load(), cpus_in_constructor, mine.size(), mine.front(), thread);
  const Regions regions = run_regions(argc > 1 ? std::atoi(argv[1]) : 0);
  std::printf("\"team\": %d, \"sleeps\": %ld, \"region_us\": %.2f}\n", team, regions.sleeps, regions.each_us);
}
