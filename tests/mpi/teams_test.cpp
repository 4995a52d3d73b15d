// SPDX-License-Identifier: BSD-3-Clause
// OpenMP teams in an MPI program, made before MPI begins: as large as a phase has cores, larger, smaller, and nested, with
// both levels active. Built once a runtime (GNU, LLVM). Each member says what the kernel lets it run on, in each of a thousand regions.
#include <omp.h>

#include "context/regions.hpp"
#include "expect.hpp"
#include "phases.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kRegions = 1000;

std::string of(int members, const std::string& what) { return std::to_string(members) + " members: " + what; }

// A phase sizes the team to its cores; other sizes are the user's, said before a push.
void flat_teams(Context& context, int cores) {
  expect_equal(omp_get_max_threads(), cores, "team size");
  expect_equal(regions_not_even(context, kRegions, cores), 0, of(cores, "regions without a core each"));
  for (const int team : {std::max(cores / 2, 1), std::max(cores - 1, 1), 2 * cores}) {
    omp_set_num_threads(team);
    const BindingGuard pushed = context.bound(Resource::machine, 0);
    expect_equal(regions_not_even(context, kRegions, team), 0, of(team, "regions that are not even"));
  }
  omp_set_num_threads(cores);
  const BindingGuard pushed = context.bound(Resource::core, cores - 1);
  expect_equal(regions_not_even(context, kRegions, cores), 0, of(cores, "regions not on the one core"));
}

void nested_teams(Context& context, int cores) {
  omp_set_max_active_levels(2);
  for (int outer = 1; outer <= cores; outer *= 2) {
    omp_set_num_threads(outer);
    const BindingGuard pushed = context.bound(Resource::machine, 0);
    const int astray = nested_regions_astray(context, kRegions, outer, cores / outer);
    expect_equal(astray, 0, of(outer, "regions with an inner member astray"));
  }
  omp_set_max_active_levels(1);
}

// Both levels have members on two cores, too, where the other shapes have but one outside or inside. A thousand in all phases.
void nested_teams_of_more_members_than_cores(Context& context, int cores) {
  omp_set_max_active_levels(2);
  omp_set_num_threads(cores);
  {
    const BindingGuard pushed = context.bound(Resource::machine, 0);
    const int outside = nested_regions_outside(context, kRegions / kPhases, cores, 2);
    expect_equal(outside, 0, of(2 * cores, "regions with an inner member outside its share"));
  }
  omp_set_max_active_levels(1);
}

// Outside a phase, whose end rests the team: the same threads afterwards.
void a_pop_gives_the_team_back(Context& context, int cores) {
  (void)masks_of_nested_teams(cores, 1);
  const Masks before = masks_of(threads_of_this_process());
  context.push(Resource::machine, 0);
  expect_equal(regions_not_even(context, 1, cores), 0, "regions without a core each under a push");
  context.pop();
  expect_equal(threads_moved_since(before), 0, "members that a pop did not give back");
}

}  // namespace

int main(int argc, char** argv) {
  const int cores = Context::local().count(Resource::core);
  for (const int team : {cores, 2 * cores}) (void)masks_of_nested_teams(team, 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  {
    Context context = make_context(MPI_COMM_WORLD);
    context.spread(Resource::core);
    a_pop_gives_the_team_back(context, cores);
    expect_one_rank_a_phase(context, [&] { flat_teams(context, cores); });
    expect_one_rank_a_phase(context, [&] { nested_teams(context, cores); });
    expect_one_rank_a_phase(context, [&] { nested_teams_of_more_members_than_cores(context, cores); });
    context.pop();
  }
  MPI_Finalize();
  return finish();
}
