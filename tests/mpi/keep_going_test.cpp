// SPDX-License-Identifier: BSD-3-Clause
// One rank after the other is killed under a launcher that was told to keep the job going, each inside another step of a
// context's life. The survivors get COMITY_ERR_PEER_LOST with the name of the dead within a second, and the next context,
// on those who are left, works. Who survives all says so in one line, which keep_going_test.sh counts.
//
// MPI cannot go on without a rank that its own calls wait for. So the survivors' communicators are made before the first
// kill. With KEEP_GOING_STEPS=create the victims are killed inside a create with the others, which have not come yet: a
// later create on a communicator, then the first one on another, after which MPI makes no communicators any more.
#include <comity/comity_mpi.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "lost_create.hpp"
#include "survivors.hpp"

using namespace comity::testing;

namespace {

struct Step {
  const char* name;
  void (*act)(comity_context* context);  // over and over, until the kill
};

void create_and_free(comity_context*) {
  comity_context* own = nullptr;
  (void)comity_context_create(MPI_COMM_SELF, &own);
  (void)comity_context_free(&own);
}

void push_and_pop(comity_context* context) {
  (void)comity_context_push(context, COMITY_PU, 0);
  (void)comity_context_pop(context);
}

void query(comity_context* context) {
  comity_cpuset set;
  (void)comity_context_binding(context, &set);
  int32_t count = 0;
  (void)comity_context_peers_in(context, COMITY_MACHINE, 0, COMITY_VIEW_LIVE, nullptr, 0, &count);
}

void distribute(comity_context* context) {
  static int32_t per = 0;
  per = per % 100 + 1;  // else the answer is the one that is kept
  comity_distribution mine;
  (void)comity_context_distribute(context, COMITY_PU, per, COMITY_RULE_FILL, &mine);
}

void wait(comity_context* context) { (void)comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER); }

void free_it(comity_context* context) {
  (void)comity_context_free(&context);
  ::pause();
}

constexpr std::array kSteps{Step{"create", create_and_free}, Step{"push", push_and_pop}, Step{"query", query},
                            Step{"distribute", distribute},  Step{"wait", wait},         Step{"free", free_it}};

int fail(int rank, const char* step, const char* what) {
  std::printf("FAIL: rank %d, %s: %s: %s\n", rank, step, what, comity_last_error());
  return 1;
}

// The sentence names the victim, also one that has freed its context before it died: that one has left.
int expect_told(comity_context* context, const char* step, int rank, int victim, const DeathWatch& death) {
  const ToldInTime told;
  comity_status status = comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER);
  // Who dies in a wait had come to it: that one may still be whole, but not the next.
  if (status == COMITY_OK) status = comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER);
  const std::int64_t after_ns = told.after_ns(death.died_ns());
  if (status != COMITY_ERR_PEER_LOST) return fail(rank, step, comity_status_name(status));
  if (!last_error_names(victim)) return fail(rank, step, "the sentence does not name the dead");
  return after_ns >= kTellWithin_ns ? fail(rank, step, "told only after more than a second") : 0;
}

// MPI itself would wait for the dead for ever.
int expect_no_communicator(comity_context* context, MPI_Comm ranks, const char* step, int rank) {
  MPI_Comm shared = MPI_COMM_NULL;
  const comity_status status = comity_context_communicator(context, ranks, COMITY_MACHINE, &shared);
  return status == COMITY_ERR_PEER_LOST && shared == MPI_COMM_NULL ? 0
                                                                   : fail(rank, step, "a communicator with the dead");
}

// One more context, on which the last of its ranks is killed by the first.
int lose_the_last(MPI_Comm ranks, const Step& step, const std::vector<int>& pids) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  comity_context* context = nullptr;
  if (comity_context_create(ranks, &context) != COMITY_OK) return fail(rank, step.name, "create");
  if (comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER) != COMITY_OK) return fail(rank, step.name, "quiesce");
  const int victim = size - 1;
  while (rank == victim) step.act(context);
  const pid_t process = pids[static_cast<std::size_t>(victim)];
  const DeathWatch death(process);
  if (rank == 0) {
    ::usleep(20'000);  // so that it is in its step; where in it nobody knows
    ::kill(process, SIGKILL);
  }
  const int told =
      expect_told(context, step.name, rank, victim, death) + expect_no_communicator(context, ranks, step.name, rank);
  const int freed = comity_context_free(&context) == COMITY_OK ? 0 : fail(rank, step.name, "free");
  return told + freed;
}

comity_status create_and_free_on(MPI_Comm ranks) {
  comity_context* context = nullptr;
  const comity_status status = comity_context_create(ranks, &context);
  return status == COMITY_OK ? comity_context_free(&context) : status;
}

int expect_no_context(MPI_Comm ranks, const char* step, int rank, int victim, pid_t process) {
  const std::string fault = fault_of_lost_create(ranks, victim, process);
  return fault.empty() ? 0 : fail(rank, step, fault.c_str());
}

// The last of the ranks is killed by the first while it waits for the others in a create on a communicator that has had
// `creates` of them.
int lose_the_last_in_create(MPI_Comm ranks, int creates, const std::vector<int>& pids) {
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm_size(ranks, &size);
  const char* const step = creates == 0 ? "first create" : "later create";
  const int victim = size - 1;
  for (int i = 0; i < creates; ++i) {
    if (create_and_free_on(ranks) != COMITY_OK) return fail(rank, step, "create");
  }
  leave_barrier_last(ranks, 0);
  if (rank == victim) (void)create_and_free_on(ranks);
  const pid_t process = pids[static_cast<std::size_t>(victim)];
  if (rank == 0) {
    ::usleep(20'000);  // so that it waits
    ::kill(process, SIGKILL);
  }
  const int told = expect_no_context(ranks, step, rank, victim, process);
  // At once, and without another wait in MPI.
  return told != 0 ? told : expect_no_context(ranks, step, rank, victim, process);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<int> pids = pids_of_all(size);
  const bool in_create = std::getenv("KEEP_GOING_STEPS") != nullptr;
  const int steps = in_create ? 2 : static_cast<int>(kSteps.size());
  std::array<MPI_Comm, kSteps.size()> left{};  // before each step
  for (int i = 0; i < steps; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < size - i ? 0 : MPI_UNDEFINED, rank, &left[static_cast<std::size_t>(i)]);
  }
  // The survivors', to end together: who has ended is one more that the others miss.
  MPI_Comm survivors = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size - steps ? 0 : 1, rank, &survivors);
  comity_context* end = nullptr;
  if (comity_context_create(survivors, &end) != COMITY_OK) return fail(rank, "begin", "create");
  int failed = 0;
  for (int i = 0; i < steps && failed == 0; ++i) {
    const auto step = static_cast<std::size_t>(i);
    failed = in_create ? lose_the_last_in_create(left[step], 2 - 2 * i, pids)
                       : lose_the_last(left[step], kSteps[step], pids);
  }
  if (comity_context_quiesce(end, nullptr, 0, COMITY_FOREVER) != COMITY_OK) failed = fail(rank, "end", "quiesce");
  end_as_survivor(rank, steps, failed);
}
