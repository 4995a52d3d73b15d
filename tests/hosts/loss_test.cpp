// SPDX-License-Identifier: BSD-3-Clause
// The last rank of a job on several hosts ends in a call that the others make too. Who is told says so, and how late, and stays.
//   test_hosts_loss first CALLS   in the first create on a communicator, before so many of its calls of MPI that begin a wait
//   test_hosts_loss some CALLS    the same, on a communicator that not all ranks of the job are in
//   test_hosts_loss later|divide  before a later create, before a division of the ranks
//   test_hosts_loss share|quo LAST  in the call that tells who shares a node, in a later QUO_create: so many of its calls follow
//   test_hosts_loss barrier|distribution|query  before QUO's call of that name, which is one of a node
#include <comity/comity_mpi.h>
#include <quo.h>
#include <unistd.h>

#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mpi/counted_calls.hpp"
#include "mpi/survivors.hpp"
#include "told_in_time.hpp"

using namespace comity::testing;

namespace {

constexpr const char* kDied = "died";  // the file where the victim leaves the time of its end
int calls = 0;
int ends_at = -1;

[[noreturn]] void end() {
  std::FILE* const file = std::fopen(kDied, "w");
  (void)std::fprintf(file, "%" PRId64, ToldInTime::clock_ns());
  (void)std::fclose(file);
  (void)::raise(SIGKILL);
  std::abort();
}

std::int64_t died_ns() {
  std::int64_t time_ns = 0;
  std::FILE* const file = std::fopen(kDied, "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%" SCNd64, &time_ns) != 1) time_ns = 0;
  (void)std::fclose(file);
  return time_ns;
}

// Until somebody ends it: MPICH's launcher tells of deaths by signals.
[[noreturn]] void rest() {
  while (true) pause();
}

MPI_Comm ranks_of(bool all, int rank) {
  MPI_Comm some = MPI_COMM_WORLD;
  if (!all) MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &some);
  return some;
}

// Collective, as the others are; the code by its name.
std::string told_by_sharers(comity_context* context) {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Group sharers = MPI_GROUP_NULL;
  const comity_status status = comity_context_sharers(context, MPI_COMM_WORLD, COMITY_MACHINE, &all, &sharers);
  if (status == COMITY_OK) MPI_Comm_free(&all);
  if (status == COMITY_OK) MPI_Group_free(&sharers);
  return comity_status_name(status);
}

std::string name_of_quo(int code) {
  if (code == QUO_SUCCESS) return "QUO_SUCCESS";
  return code == QUO_ERR_SYS ? "QUO_ERR_SYS" : "QUO's code " + std::to_string(code);
}

std::string told_by_quo() {
  QUO_context q = nullptr;
  const int code = QUO_create(&q, MPI_COMM_WORLD);
  (void)QUO_free(q);
  return name_of_quo(code);
}

int ask_quo(QUO_context q) {
  int length = 0;
  int* list = nullptr;
  const int code = QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &length, &list);
  std::free(list);
  return code;
}

// Questions are answered until the death is known: who is of its node asks until then.
int ask_quo_until_told(QUO_context q, bool is_of_its_node) {
  int code = ask_quo(q);
  while (is_of_its_node && code == QUO_SUCCESS) code = ask_quo(q);
  return code;
}

std::string told_by_quo_of_a_node(const std::string& where, QUO_context q, bool is_of_its_node) {
  int selected = 0;
  if (where == "barrier") return name_of_quo(QUO_barrier(q));
  if (where == "distribution") return name_of_quo(QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected));
  return name_of_quo(ask_quo_until_told(q, is_of_its_node));
}

// Collective.
bool is_of_the_node_of(int other) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = rank == other ? 1 : 0;
  int found = 0;
  MPI_Allreduce(&mine, &found, 1, MPI_INT, MPI_MAX, node);
  MPI_Comm_free(&node);
  return found == 1;
}

std::string told(const std::string& where, MPI_Comm ranks, comity_context* context) {
  if (where == "share") return told_by_sharers(context);
  if (where == "quo") return told_by_quo();
  MPI_Comm machine = MPI_COMM_NULL;
  return comity_status_name(where == "divide" ? comity_context_communicator(context, ranks, COMITY_MACHINE, &machine)
                                              : comity_context_create(ranks, &context));
}

// The calls by which it begins a wait, where all goes well.
int calls_of(const std::string& where, comity_context* context) {
  (void)told(where, MPI_COMM_WORLD, context);
  calls = 0;
  (void)told(where, MPI_COMM_WORLD, context);
  return calls;
}

}  // namespace

void comity::testing::before(Begins /*call*/) {
  if (++calls == ends_at) end();
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string where = words[1];
  const bool first = where == "first" || where == "some";
  const bool inside = where == "share" || where == "quo";
  const bool victim = rank == size - 1;
  const bool of_a_node = where == "barrier" || where == "distribution" || where == "query";
  const bool is_of_its_node = of_a_node && is_of_the_node_of(size - 1);
  QUO_context q = nullptr;
  if (of_a_node && QUO_create(&q, MPI_COMM_WORLD) != QUO_SUCCESS) std::printf("FAIL: QUO_create\n");
  comity_context* context = nullptr;
  if (!first && !of_a_node && comity_context_create(MPI_COMM_WORLD, &context) != COMITY_OK)
    std::printf("FAIL: %s\n", comity_last_error());
  if (where == "later") (void)comity_context_free(&context);
  const int all_calls = inside ? calls_of(where, context) : 0;
  const MPI_Comm ranks = ranks_of(where != "some", rank);
  leave_barrier_last(MPI_COMM_WORLD, size - 1);
  calls = 0;
  if (victim && first) ends_at = std::atoi(words[2]);
  if (victim && inside) ends_at = all_calls - std::atoi(words[2]);
  if (victim && (where == "later" || where == "divide" || of_a_node)) end();
  if (ranks == MPI_COMM_NULL) rest();  // in none of it

  const ToldInTime watch;
  const std::string code = of_a_node ? told_by_quo_of_a_node(where, q, is_of_its_node) : told(where, ranks, context);
  const bool in_time = watch.after_ns(died_ns()) < kTellWithin_ns;
  std::printf("rank %d: %s: %s: %s\n", rank, code.c_str(), in_time ? "in time" : "late", comity_last_error());
  (void)std::fflush(stdout);
  rest();  // whoever ended here would be a death of its own to who is answered later, and to the launcher
}
