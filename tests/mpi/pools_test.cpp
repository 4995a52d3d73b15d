// SPDX-License-Identifier: BSD-3-Clause
// Pools that are no OpenMP team, in an MPI program, made before MPI begins: a spread, a phase and their ends reach each of
// their threads, says the kernel of their masks and of where they ran; and in each of a phase's regions the members have the
// cores of the phase.
#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string_view>

#include "context/pool.hpp"
#include "expect.hpp"
#include "phases.hpp"
#include "sanitizer.hpp"

#ifdef COMITY_TEST_TBB
#include "context/tbb_pool.hpp"
#endif
#ifdef COMITY_TEST_OPENBLAS
#include "context/openblas_pool.hpp"
#endif

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kRegions = kHasSanitizer ? 200 : 1000;  // of a phase

// `members`: those of the pool, and the main thread. `regions`: what the rank of a phase does.
struct Subject {
  std::string name;
  Threads members;
  std::function<void(const Context&, const Threads& members)> regions;
};

template <typename Make>
Threads members_born_by(const Make& make) {
  const Threads before = threads_of_this_process();
  make();
  const Threads after = threads_of_this_process();
  Threads members{getpid()};
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(members));
  return members;
}

// A pool whose members do not place themselves has all the pushed cores, and the kernel chooses. `run`: a region, which tells
// where members ran.
void expect_regions_on_the_binding(const Context& context, const Threads& members, int regions,
                                   const std::function<std::vector<int>(int region)>& run) {
  const Cpus binding = cpus_in(context.binding());
  int elsewhere = 0;
  for (int i = 0; i < regions; ++i) {
    elsewhere += ran_elsewhere(run(i), binding);
    elsewhere += threads_elsewhere(members, binding);
  }
  expect_equal(elsewhere, 0, "members that left the binding in some region");
}

// A pool may run a region with fewer members than it has, for as long as others have the cores, but not each.
void expect_regions_with_a_core_each(int size, const std::function<std::vector<int>()>& region) {
  int shared = 0;
  std::size_t most = 0;
  for (int i = 0; i < kRegions || most < static_cast<std::size_t>(size); ++i) {
    const std::vector<int> cpus = region();
    most = std::max(most, cpus.size());
    shared += have_a_core_each(cpus) ? 0 : 1;
  }
  expect_equal(shared, 0, "regions with two members on a core");
  expect_equal(static_cast<int>(most), size, "members of the largest region");
}

Subject standard_threads(Pool& pool, int size, int cores, Threads members) {
  return {std::to_string(size) + " std::threads", std::move(members),
          [&pool, size, cores](const auto& context, const auto& all) {
            expect_regions_on_the_binding(context, all, kRegions, [&](int) { return pool.run(nullptr); });
            if (size <= cores) expect_regions_with_a_core_each(size, [&] { return pool.run(&context); });
          }};
}

#ifdef COMITY_TEST_TBB
Subject tbb_arena(tbb::task_arena& arena, int size, int cores, Threads members) {
  return {"oneTBB's " + std::to_string(size), std::move(members),
          [&arena, size, cores](const auto& context, const auto& all) {
            expect_regions_on_the_binding(context, all, kRegions, [&](int) { return run_region(arena, size); });
            if (size > cores) return;
            const Places places(arena, context);
            expect_regions_with_a_core_each(size, [&] { return run_region(arena, size); });
          }};
}
#endif

#ifdef COMITY_TEST_OPENBLAS
// OpenBLAS puts them on a core each, where they stay, says the kernel, in each region. `region` tells where members ran.
void expect_products_on_placed_members(const Context& context, const Threads& all, int size, int regions,
                                       const std::function<std::vector<int>(int region)>& region) {
  if (!place_members(context, size)) return (void)std::puts("NOT TESTED: this OpenBLAS does not place its members");
  const std::vector<Cpus> cores = pushed_cores(context);
  const Masks placed = masks_of(all);
  std::multiset<int> taken;
  for (const auto& [thread, mask] : placed) taken.insert(core_around(cores, mask));
  taken.erase(-1);  // threads that are no members now
  expect_equal(static_cast<int>(taken.size()), size, "members on one core");
  expect_equal(static_cast<int>(std::set(taken.begin(), taken.end()).size()), size, "cores with a member");
  int astray = 0;
  for (int i = 0; i < regions; ++i) astray += have_a_core_each(region(i)) && masks_of(all) == placed ? 0 : 1;
  expect_equal(astray, 0, "regions with a member that left its core");
}

// Its threads are born when it is loaded, or when it is told of more. In every tenth region, for which they must have slept, all
// that can be at work must be, as far as the kernel counts what threads ran.
Subject openblas(int size, int cores) {
  constexpr int kWatchedEvery = 10;
  constexpr int kRegionsAPhase = kRegions / kPhases;  // a thousand in all phases
  const auto prepare = [size] {
    openblas_set_num_threads(size);
    expect(multiply(size), "a wrong product");
  };
  const auto watched = [size](const Threads& workers) {
    const std::vector<int> cpus = cpus_of_product(size, workers);
    expect(static_cast<int>(cpus.size()) >= members_at_work(size), "members of OpenBLAS's pool that took no part");
    return cpus;
  };
  prepare();
  return {"OpenBLAS's " + std::to_string(size), threads_of_this_process(), [=](const auto& context, const auto& all) {
            Threads workers = all;
            std::erase(workers, getpid());
            const auto region = [&](int number) {
              prepare();
              const bool is_watched = number % kWatchedEvery == 0 && kernel_counts_work();
              return is_watched ? watched(workers) : std::vector<int>{sched_getcpu()};
            };
            expect_regions_on_the_binding(context, all, kRegionsAPhase, region);
            if (size <= cores && cores > 1) {
              expect_products_on_placed_members(context, all, size, kRegionsAPhase, region);
            }
          }};
}
#endif

// Collective.
void expect_reached(Context& context, const Subject& subject) {
  const int failures_before = failures;
  const Masks before = masks_of(subject.members);
  context.spread(Resource::core);
  const Cpus mine = cpus_in(context.cpuset(Resource::core, context.rank() % context.count(Resource::core)));
  expect_equal(threads_elsewhere(subject.members, mine), 0, "members that a spread did not reach");
  expect_one_rank_a_phase(context, [&] {
    const Cpus machine = cpus_in(context.cpuset(Resource::machine, 0));
    expect_equal(threads_elsewhere(subject.members, machine), 0, "members that a phase did not reach");
    subject.regions(context, subject.members);
  });
  expect_equal(threads_elsewhere(subject.members, mine), 0, "members that the phases did not give back");
  context.pop();
  expect(masks_of(subject.members) == before, "a pop did not give each member its mask back");
  expect(failures == failures_before, "so it was with " + subject.name);
}

// Pools are made before MPI begins, each kind by a function that is named on the command line.
struct Pools {
  std::vector<Subject> subjects;
  std::vector<std::shared_ptr<void>> owned;
};

Pools standard_pools(int cores) {
  Pools made;
  for (const int size : {std::max(cores / 2, 1), cores, 2 * cores}) {
    std::shared_ptr<Pool> pool;
    Threads members = members_born_by([&] { pool = std::make_shared<Pool>(size); });
    expect_equal(static_cast<int>(members.size()), size, "threads of a pool");
    made.subjects.push_back(standard_threads(*pool, size, cores, std::move(members)));
    made.owned.push_back(std::move(pool));
  }
  return made;
}

#ifdef COMITY_TEST_TBB
Pools tbb_pools(int cores) {
  const std::shared_ptr<tbb::global_control> workers(new tbb::global_control(allow(2 * cores)));
  const int half = std::max(cores / 2, 1);
  const auto small = std::make_shared<tbb::task_arena>(half);
  const auto arena = std::make_shared<tbb::task_arena>(cores);
  const auto large = std::make_shared<tbb::task_arena>(2 * cores);
  const std::size_t wanted = threads_of_this_process().size() + static_cast<std::size_t>(2 * cores - 1);
  const Threads members =
      members_born_by([&] { expect(start_workers(*large, 2 * cores, wanted), "oneTBB lacks workers"); });
  return {{tbb_arena(*small, half, cores, members), tbb_arena(*arena, cores, cores, members),
           tbb_arena(*large, 2 * cores, cores, members)},
          {workers, small, arena, large}};
}
#endif

#ifdef COMITY_TEST_OPENBLAS
Pools openblas_pools(int cores) {
  return {{openblas(std::max(cores / 2, 1), cores), openblas(cores, cores), openblas(2 * cores, cores)}, {}};
}
#endif

Pools pools_of(std::string_view kind, int cores) {
#ifdef COMITY_TEST_TBB
  if (kind == "tbb") return tbb_pools(cores);
#endif
#ifdef COMITY_TEST_OPENBLAS
  if (kind == "openblas") return openblas_pools(cores);
#endif
  expect(kind == "standard", "usage: pools_test standard|tbb|openblas, as far as it was built with them");
  return standard_pools(cores);
}

}  // namespace

int main(int argc, char** argv) {
  const Pools pools = pools_of(argc > 1 ? argv[1] : "", Context::local().count(Resource::core));
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  {
    Context context = make_context(MPI_COMM_WORLD);
    for (const Subject& subject : pools.subjects) expect_reached(context, subject);
  }
  MPI_Finalize();
  return finish();
}
