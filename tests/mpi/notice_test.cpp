// SPDX-License-Identifier: BSD-3-Clause
// Pushes for a team under whatever policy the environment has: with "last" only the last rank does, with "all" each does,
// after a context of its own. What is said about the policy is counted outside.
#include <omp.h>

#include <string_view>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  {
    const Context own = Context::local();
    Context context = make_context(MPI_COMM_WORLD);
    const bool all = argc > 1 && std::string_view(argv[1]) == "all";
    int members = 0;
    if (all || world_rank == ranks - 1) {
      const auto wide = context.bound(Resource::machine, 0);
#pragma omp parallel reduction(+ : members)
      members += 1;
      expect(members > 0, "a team ran");
    }
    context.quiesce();
  }
  MPI_Finalize();
  return finish();
}
