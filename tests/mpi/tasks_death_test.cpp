// SPDX-License-Identifier: BSD-3-Clause
// A rank is killed while its tasks run, under a launcher that keeps the others. Their first fibers wait for all ranks; that wait
// ends with COMITY_ERR_PEER_LOST and the name of the dead, and their tasks go on. Who survives says so in one line, which
// keep_going_test.sh counts.
#include <comity/comity_mpi.h>
#include <unistd.h>

#include <atomic>
#include <comity/sched.hpp>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "survivors.hpp"

using namespace comity::testing;

namespace {

namespace sched = comity::sched;

int fib(int n) {
  if (n < 2) return n;
  int left = 0;
  sched::Group group;
  group.run([&left, n] { left = fib(n - 1); });
  const int right = fib(n - 2);
  group.wait();
  return left + right;
}

int fail(int rank, const char* what, const char* why) {
  std::printf("FAIL: rank %d, %s: %s\n", rank, what, why);
  return 1;
}

// The sentence names the victim.
int expect_told(comity_context* context, int rank, int victim) {
  const comity_status status = comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER);
  if (status != COMITY_ERR_PEER_LOST) return fail(rank, "the wait ended with", comity_status_name(status));
  return last_error_names(victim) ? 0 : fail(rank, "the sentence does not name the dead", comity_last_error());
}

// In the first fiber, which is the thread that called MPI_Init, while tasks of another one run.
int lose_the_last(comity_context* context, int rank, const std::vector<int>& pids) {
  const int victim = static_cast<int>(pids.size()) - 1;
  sched::Harts harts;
  sched::Below tasks(sched::Kind::stealing);
  std::atomic<int> trees{0};
  std::atomic<bool> over{false};
  std::atomic<bool> right{true};
  sched::Fiber work(
      [&] {
        for (; !over; ++trees) {
          if (fib(12) != 144) right = false;
          sched::yield();
        }
      },
      "work", tasks.handle());
  while (trees == 0) sched::yield();
  if (comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER) != COMITY_OK) {
    over = true;
    return fail(rank, "first wait", "failed");
  }
  while (rank == victim) sched::yield();
  if (rank == 0) ::kill(pids.back(), SIGKILL);
  const int told = expect_told(context, rank, victim);
  const int seen = trees;
  while (trees < seen + 3) sched::yield();  // and they go on
  over = true;
  work.join();
  return right ? told : fail(rank, "tasks", "a wrong sum");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<int> pids = pids_of_all(size);
  // The survivors', to end together: who has ended is one more that the others miss.
  MPI_Comm survivors = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size - 1 ? 0 : 1, rank, &survivors);
  comity_context* end = nullptr;
  comity_context* all = nullptr;
  int failed =
      comity_context_create(survivors, &end) == COMITY_OK && comity_context_create(MPI_COMM_WORLD, &all) == COMITY_OK
          ? lose_the_last(all, rank, pids)
          : fail(rank, "create", comity_last_error());
  if (comity_context_free(&all) != COMITY_OK) failed = fail(rank, "free", comity_last_error());
  if (comity_context_quiesce(end, nullptr, 0, COMITY_FOREVER) != COMITY_OK)
    failed = fail(rank, "end", comity_last_error());
  end_as_survivor(rank, 1, failed);
}
