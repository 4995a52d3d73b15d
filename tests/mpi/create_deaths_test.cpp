// SPDX-License-Identifier: BSD-3-Clause
// One rank after the other ends in a first create, each right before another of the calls by which a create begins to wait in
// MPI, under a launcher that lets the others go on. They are told who ended, and the next context works, on a communicator
// that they had before. Who survives all says so in one line, which keep_going_test.sh counts.
#include <comity/comity_mpi.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <vector>

#include "counted_calls.hpp"
#include "lost_create.hpp"
#include "survivors.hpp"

using namespace comity::testing;

namespace {

constexpr int kNever = -1;
constexpr int kDuplicate = 2;  // the call that makes a communicator
// One victim each. After a death inside MPI_Comm_idup Open MPI makes no communicators any more: it is the last.
constexpr std::array kDeaths{3, 5, 7, 10, 1, kDuplicate};

int calls = 0;
int ends_at = kNever;

int fail(int rank, int death, const char* what) {
  std::printf("FAIL: rank %d, a death before call %d: %s: %s\n", rank, death, what, comity_last_error());
  return 1;
}

int expect_context(MPI_Comm ranks, int rank, int death) {
  comity_context* context = nullptr;
  if (comity_context_create(ranks, &context) != COMITY_OK) return fail(rank, death, "the next create");
  if (comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER) != COMITY_OK) return fail(rank, death, "quiesce");
  return comity_context_free(&context) == COMITY_OK ? 0 : fail(rank, death, "free");
}

int expect_told(MPI_Comm ranks, int rank, int death, int victim, pid_t process) {
  const std::string fault = fault_of_lost_create(ranks, victim, process);
  return fault.empty() ? 0 : fail(rank, death, fault.c_str());
}

}  // namespace

void comity::testing::before(Begins call) {
  if (++calls == ends_at && (call != Begins::duplicate || ends_at == kDuplicate)) ::raise(SIGKILL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<int> pids = pids_of_all(size);
  constexpr auto kSteps = static_cast<int>(kDeaths.size());
  std::array<MPI_Comm, kSteps> left{};  // before each death
  std::array<MPI_Comm, kSteps> next{};  // without those who have ended
  for (int i = 0; i < kSteps; ++i) {
    const auto step = static_cast<std::size_t>(i);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size - i ? 0 : MPI_UNDEFINED, rank, &left[step]);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size - i - 1 ? 0 : MPI_UNDEFINED, rank, &next[step]);
  }
  comity_context* old = nullptr;  // on a communicator that has its duplicate
  if (comity_context_create(next.back() == MPI_COMM_NULL ? MPI_COMM_SELF : next.back(), &old) != COMITY_OK) {
    return fail(rank, 0, "the first create");
  }

  int failed = 0;
  for (int i = 0; i < kSteps && failed == 0; ++i) {
    const auto step = static_cast<std::size_t>(i);
    const int death = kDeaths[step];
    const int victim = size - 1 - i;
    calls = 0;
    if (rank == victim) {
      ends_at = death;
      comity_context* context = nullptr;
      (void)comity_context_create(left[step], &context);
      return fail(rank, death, "the victim has survived its create");
    }
    failed = expect_told(left[step], rank, death, victim, pids[static_cast<std::size_t>(victim)]);
    if (failed == 0 && rank == 0) std::printf("death before call %d: told after %d calls\n", death, calls);
    if (failed == 0) failed = expect_context(next[step], rank, death);
  }
  end_as_survivor(rank, kSteps, failed);
}
