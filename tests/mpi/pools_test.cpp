// SPDX-License-Identifier: BSD-3-Clause
// A pool that is no OpenMP team, in an MPI program: made before the context, it is on all cores in a phase and back after.
#include "context/pool.hpp"
#include "expect.hpp"
#include "phases.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

int regions_with_a_shared_cpu(Pool& pool, const Context& context, int regions) {
  int shared = 0;
  for (int region = 0; region < regions; ++region) shared += all_different(pool.run(&context)) ? 0 : 1;
  return shared;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  {
    Pool pool(Context::local().count(Resource::core));
    (void)pool.run(nullptr);
    Context context = make_context(MPI_COMM_WORLD);
    context.spread(Resource::core);
    expect_one_rank_a_phase(context, [&] {
      expect_equal(regions_with_a_shared_cpu(pool, context, 200), 0, "regions with two members on a CPU");
    });
    context.pop();
  }
  MPI_Finalize();
  return finish();
}
