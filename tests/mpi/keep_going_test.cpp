// SPDX-License-Identifier: BSD-3-Clause
// One rank is killed under a launcher that was told to keep the job going: each survivor gets COMITY_ERR_PEER_LOST with
// the name of the dead within a second and says so in one line, which keep_going_test.sh counts.
#include <comity/comity_mpi.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

int fail(int rank, const char* what) {
  std::printf("FAIL: rank %d: %s: %s\n", rank, what, comity_last_error());
  return 1;
}

int survive(comity_context* context, int rank, int victim) {
  const Clock::time_point start = Clock::now();
  const comity_status status = comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER);
  const std::chrono::duration<double> waited = Clock::now() - start;
  if (status != COMITY_ERR_PEER_LOST) return fail(rank, comity_status_name(status));
  if (std::strstr(comity_last_error(), ("rank " + std::to_string(victim)).c_str()) == nullptr) {
    return fail(rank, "the sentence does not name the dead");
  }
  if (waited.count() > 1.0) return fail(rank, "told only after more than a second");
  std::printf("rank %d survived rank %d\n", rank, victim);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  comity_context* context = nullptr;
  int failed = 0;
  if (comity_context_create(MPI_COMM_WORLD, &context) != COMITY_OK) failed = fail(rank, "create");
  if (rank == size - 1) static_cast<void>(std::raise(SIGKILL));
  if (failed == 0) failed = survive(context, rank, size - 1);
  std::fflush(stdout);
  _exit(failed);  // MPI_Finalize would wait for the dead
}
