// SPDX-License-Identifier: BSD-3-Clause
// Pushes for a team under whatever policy the environment has: with "last" only the last rank does, with "all" each does,
// after a context of its own; with "none" nobody does, and there is no such context. What is said is counted outside.
#include <omp.h>

#include <optional>
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
    const std::string_view who = argc > 1 ? argv[1] : "last";
    std::optional<Context> own;
    if (who != "none") own.emplace(Context::local());
    Context context = make_context(MPI_COMM_WORLD);
    int members = 0;
    if (who == "all" || (who == "last" && world_rank == ranks - 1)) {
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
