// SPDX-License-Identifier: BSD-3-Clause
// The caller decides: a rank on every core computes, then one rank a NUMA node computes wide while the others rest.
//   mpirun -n 4 phase
// Source of the pattern: 000_e1ccbc1c9e2b7238, Example 1.
#include <omp.h>

#include <comity/comity_mpi.hpp>
#include <cstdio>

namespace {

// A library that is threaded: it uses as many threads as it is given.
double threaded_sum(int count) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= count; ++i) sum += 1.0 / i / i;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    comity::Context context = comity::make_context(MPI_COMM_WORLD);
    context.spread(comity::Resource::core);  // one rank a core, whatever the launcher did

    double sum = 0;
    context.phase(comity::Resource::numa, 1, [&] {
      sum = threaded_sum(1'000'000);
      std::printf("node rank %d computed on CPUs %s with %d threads: %.4f\n", context.rank(),
                  context.binding_string().c_str(), omp_get_max_threads(), sum);
    });

    context.pop();  // the spread
  }
  MPI_Finalize();
}
