// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: several threads of each rank create, use and free contexts at once, each on a communicator of its
// own, of all ranks or of some; and a thread that makes a communicator of the ranks on its object meanwhile.
#include <barrier>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "capi/thread_use.hpp"
#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

constexpr int kThreads = 3;

// Waits as the library does: where ranks share cores, threads that spin in MPI take the core from those they wait for.
std::int64_t sum_of(std::int64_t mine, MPI_Comm communicator) {
  std::int64_t sum = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, communicator, &request);
  for (int done = 0; done == 0; std::this_thread::yield()) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return sum;
}

// Threads begin in another order on each rank.
void run_threads(const std::vector<MPI_Comm>& lanes, const std::function<void(std::size_t lane)>& body) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    threads.emplace_back([&, lane = (i + static_cast<std::size_t>(world_rank)) % lanes.size()] {
      try {
        body(lane);
      } catch (const std::exception& error) {
        fail_from_thread("lane " + std::to_string(lane) + ": " + error.what());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

void each_thread_on_its_own_communicator(const std::vector<MPI_Comm>& lanes, int rounds) {
  const World w = world();
  run_threads(lanes, [&](std::size_t lane) {
    for (int round = 0; round < rounds; ++round) {
      Context context = make_context(lanes[lane]);
      const std::string wrong =
          use_once(context, w.rank, w.size, [&](std::int64_t mine) { return sum_of(mine, lanes[lane]); });
      if (!wrong.empty()) fail_from_thread("round " + std::to_string(round) + ": " + wrong);
    }
  });
}

// Ranks of one colour are together: in halves, in pairs of which one has ranks of both halves, and all.
int color_in(std::size_t lane, const World& w) {
  if (lane == 0) return 2 * w.rank < w.size ? 0 : 1;
  return lane == 1 ? (w.rank + 1) / 2 : 0;
}

// Each thread's ranks are others than those of its neighbours, whose contexts live meanwhile.
void each_thread_on_its_own_division(const std::vector<MPI_Comm>& lanes, int rounds) {
  const World w = world();
  run_threads(lanes, [&](std::size_t lane) {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(lanes[lane], color_in(lane, w), w.rank, &part);
    const World mine = world(part);
    for (int round = 0; round < rounds; ++round) {
      Context context = make_context(part);
      const std::string wrong =
          use_once(context, mine.rank, mine.size, [&](std::int64_t one) { return sum_of(one, part); });
      if (!wrong.empty()) fail_from_thread("division " + std::to_string(lane) + ": " + wrong);
    }
    MPI_Comm_free(&part);
  });
}

void contexts_made_at_once_share_a_segment(const std::vector<MPI_Comm>& lanes) {
  std::vector<std::uint64_t> ids(lanes.size());
  std::barrier all_alive(static_cast<std::ptrdiff_t>(lanes.size()));
  run_threads(lanes, [&](std::size_t lane) {
    const Context context = make_context(lanes[lane]);
    ids[lane] = context.node_id();
    all_alive.arrive_and_wait();
  });
  expect_equal(std::set(ids.begin(), ids.end()).size(), 1U, "segments");
}

void a_thread_divides_its_communicator(const std::vector<MPI_Comm>& lanes) {
  run_threads(lanes, [&](std::size_t lane) {
    Context context = make_context(lanes[lane]);
    MPI_Comm node = shared_communicator(context, lanes[lane], Resource::machine);
    int size = 0;
    MPI_Comm_size(node, &size);
    if (size != context.size()) fail_from_thread("ranks of the node's communicator: " + std::to_string(size));
    MPI_Comm_free(&node);
  });
}

// The first rank comes late, and the others have taken what MPI makes an id of until it is there.
void duplicate_with_one_late(MPI_Comm lane) {
  if (world_rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(lane, &twin);
  MPI_Comm_free(&twin);
}

std::vector<MPI_Comm> duplicates_of_self(int count) {
  std::vector<MPI_Comm> made(static_cast<std::size_t>(count), MPI_COMM_NULL);
  for (MPI_Comm& one : made) MPI_Comm_dup(MPI_COMM_SELF, &one);
  return made;
}

// MPICH gives one communicator its id at a time: who is alone and cannot have one yet must let the others go on.
void contexts_of_one_rank_beside_duplicates(const std::vector<MPI_Comm>& lanes) {
  const int duplicates = world().size > 4 ? 5 : 40;
  constexpr int kContexts = 300;  // MPICH has 2,048 communicators, and each of these takes two
  std::vector<MPI_Comm> alone = duplicates_of_self(kContexts);
  run_threads({lanes[0], lanes[1]}, [&](std::size_t lane) {
    for (int i = 0; lane == 0 && i < duplicates; ++i) duplicate_with_one_late(lanes[lane]);
    for (std::size_t i = 0; lane == 1 && i < alone.size(); ++i) {
      if (make_context(alone[i]).size() != 1) fail_from_thread("a context of one rank has others");
    }
  });
  for (MPI_Comm& one : alone) MPI_Comm_free(&one);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  world_rank = world().rank;
  expect_equal(provided, MPI_THREAD_MULTIPLE, "threads that MPI allows");
  std::vector<MPI_Comm> lanes(kThreads, MPI_COMM_NULL);
  for (MPI_Comm& lane : lanes) MPI_Comm_dup(MPI_COMM_WORLD, &lane);
  contexts_made_at_once_share_a_segment(lanes);
  each_thread_on_its_own_communicator(lanes, world().size > 4 ? 2 : 10);
  each_thread_on_its_own_division(lanes, world().size > 4 ? 2 : 10);
  a_thread_divides_its_communicator(lanes);
  contexts_of_one_rank_beside_duplicates(lanes);
  for (MPI_Comm& lane : lanes) MPI_Comm_free(&lane);
  MPI_Finalize();
  return finish();
}
