// SPDX-License-Identifier: BSD-3-Clause
// death_test barrier|distribution|query|communicator|first-create|later-create [first]: the last rank, or the first, dies where
// the others meet it or ask for it, under a launcher that keeps the job going. QUO tells them within a second, by QUO_ERR_SYS. Each survivor says so
// in one line, which death_test.sh counts. LIBQUO names another library; whom that leaves waiting for 20 s says so and ends.
#include <quo.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "judged.hpp"
#include "mpi/counted_calls.hpp"
#include "mpi/death_watch.hpp"
#include "told_in_time.hpp"

using comity::testing::DeathWatch;
using comity::testing::kTellWithin_ns;
using comity::testing::ToldInTime;

namespace {

int rank = 0;
int ranks = 0;
int victim = 0;
pid_t process = 0;  // the victim's
int calls = 0;      // of MPI, by which a wait begins
int ends_at = -1;   // the victim, before that call

void say_it_waits(int /*signal*/) {
  constexpr std::string_view kWords = "FAIL: a survivor waits for the dead rank\n";
  (void)!write(STDOUT_FILENO, kWords.data(), kWords.size());
  _exit(1);
}

void expect(bool holds, const std::string& what) {
  if (holds) return;
  std::printf("FAIL: rank %d: %s\n", rank, what.c_str());
  (void)std::fflush(stdout);
  _exit(1);
}

void expect(int found, int wanted, const std::string& call) {
  expect(found == wanted, call + " returned " + std::to_string(found) + ", expected " + std::to_string(wanted));
}

// `call` is over and over where it may still succeed, until it is told of the death.
template <typename Call>
void expect_told(const std::string& name, Call&& call, int before = QUO_ERR_SYS) {
  const DeathWatch death(process);
  const ToldInTime told;
  int code = call();
  while (code == before && before != QUO_ERR_SYS) code = call();
  const std::int64_t after_ns = told.after_ns(death.died_ns());
  expect(code, QUO_ERR_SYS, name);
  expect(after_ns < kTellWithin_ns, name + " told only after " + std::to_string(after_ns / 1'000'000) + " ms");
}

QUO_context create() {
  QUO_context q = nullptr;
  expect(QUO_create(&q, MPI_COMM_WORLD), QUO_SUCCESS, "QUO_create");
  return q;
}

// When somebody dies nobody is in the create any more, whatever the library's barrier does. The others may still be in that one,
// and hear of the death there.
QUO_context create_and_meet() {
  QUO_context q = create();
  MPI_Barrier(MPI_COMM_WORLD);
  const int met = QUO_barrier(q);
  expect(met == QUO_ERR_SYS ? QUO_SUCCESS : met, QUO_SUCCESS, "QUO_barrier of all");
  return q;
}

void expect_no_list(QUO_context q, int code) {
  int length = -1;
  int* list = &length;
  expect(QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &length, &list), code, "QUO_qids_in_type");
  expect(length, 0, "the count of QUO_qids_in_type");
  expect(list == nullptr, "QUO_qids_in_type left a list");
}

void expect_the_rest_to_work(QUO_context q) {
  expect(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, 0), QUO_SUCCESS, "QUO_bind_push");
  expect(QUO_bind_pop(q), QUO_SUCCESS, "QUO_bind_pop");
  expect(QUO_free(q), QUO_SUCCESS, "QUO_free");
}

void in_a_barrier() {
  QUO_context q = create_and_meet();
  if (rank == victim) (void)std::raise(SIGKILL);
  expect_told("QUO_barrier", [&] { return QUO_barrier(q); });
  expect(QUO_barrier(q), QUO_ERR_SYS, "QUO_barrier again");
  int selected = -1;
  expect(QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected), QUO_ERR_SYS, "QUO_auto_distrib");
  expect(selected, 0, "the result of QUO_auto_distrib");
  MPI_Comm made = MPI_COMM_NULL;
  expect(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made), QUO_ERR_SYS, "QUO_get_mpi_comm_by_type");
  expect(made == MPI_COMM_NULL, "QUO_get_mpi_comm_by_type made a communicator with the dead");
  expect_no_list(q, QUO_ERR_SYS);
  expect_the_rest_to_work(q);
}

// Of all ranks, to the victim: nobody waits for it there.
std::vector<pid_t> gather_processes() {
  const pid_t mine = getpid();
  std::vector<pid_t> all(static_cast<std::size_t>(ranks));
  MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, victim, MPI_COMM_WORLD);
  return all;
}

// A library that waits without a sleep has 5 s.
void wait_until_the_others_sleep(const std::vector<pid_t>& all) {
  using namespace std::chrono_literals;
  const auto sleeps = [](pid_t other) { return other == process || comity::testing::state_of(other) == 'S'; };
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (!std::ranges::all_of(all, sleeps) && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
}

// What MPI waits by does not sleep: who does is inside the distribution.
void in_a_distribution() {
  QUO_context q = create_and_meet();
  const std::vector<pid_t> all = gather_processes();
  if (rank == victim) {
    wait_until_the_others_sleep(all);
    (void)std::raise(SIGKILL);
  }
  int selected = -1;
  const auto distribute = [&] { return QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected); };
  expect_told("QUO_auto_distrib", distribute);
  expect(selected, 0, "the result of QUO_auto_distrib");
  selected = -1;
  expect(distribute(), QUO_ERR_SYS, "QUO_auto_distrib again");
  expect(selected, 0, "the result of QUO_auto_distrib again");
  expect(QUO_barrier(q), QUO_ERR_SYS, "QUO_barrier");
  expect_the_rest_to_work(q);
}

// Nobody has waited for it. Until it is known to have ended, questions are answered.
void in_a_query() {
  QUO_context q = create_and_meet();
  if (rank == victim) (void)std::raise(SIGKILL);
  expect_told(
      "QUO_qids_in_type",
      [&] {
        int length = 0;
        int* list = nullptr;
        const int code = QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &length, &list);
        expect(length == (code == QUO_SUCCESS ? length : 0) && (list == nullptr) == (length == 0), "the list");
        std::free(list);
        return code;
      },
      QUO_SUCCESS);
  expect_no_list(q, QUO_ERR_SYS);
  int length = 0;
  int* list = nullptr;
  expect(QUO_qids_in_type(q, QUO_OBJ_PU, -1, &length, &list), QUO_ERR_INVLD_ARG, "QUO_qids_in_type of no PU");
  expect_the_rest_to_work(q);
}

// Inside the call of MPI that makes it, where MPI itself would wait for ever.
void in_a_communicator() {
  QUO_context q = create_and_meet();
  calls = 0;
  if (rank == victim) ends_at = 1;
  MPI_Comm made = MPI_COMM_NULL;
  const auto make = [&] { return QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made); };
  expect_told("QUO_get_mpi_comm_by_type", make);
  expect(make(), QUO_ERR_SYS, "QUO_get_mpi_comm_by_type again");
  expect(made == MPI_COMM_NULL, "QUO_get_mpi_comm_by_type made a communicator with the dead");
  expect_the_rest_to_work(q);
}

void expect_no_context() {
  QUO_context q = nullptr;
  expect_told("QUO_create", [&] { return QUO_create(&q, MPI_COMM_WORLD); });
  expect(q == nullptr, "QUO_create left a context");
}

void in_a_first_create() {
  MPI_Barrier(MPI_COMM_WORLD);
  calls = 0;
  if (rank == victim) ends_at = 3;
  expect_no_context();
}

// Before the last of its calls.
void in_a_later_create() {
  expect(QUO_free(create()), QUO_SUCCESS, "QUO_free");
  calls = 0;
  expect(QUO_free(create()), QUO_SUCCESS, "QUO_free");
  const int of_a_create = calls;
  expect(of_a_create > 1, "a create makes no calls of MPI that could be counted");
  calls = 0;
  if (rank == victim) ends_at = of_a_create;
  expect_no_context();
}

}  // namespace

void comity::testing::before(Begins /*call*/) {
  if (++calls == ends_at) (void)std::raise(SIGKILL);
}

// What other libquos begin to wait by, and Comity's does not call.
COMITY_TEST_CALL int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm communicator) {
  comity::testing::before(comity::testing::Begins::message);
  return PMPI_Bcast(data, count, type, root, communicator);
}

COMITY_TEST_CALL int MPI_Allgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                                   MPI_Datatype all_type, MPI_Comm communicator) {
  comity::testing::before(comity::testing::Begins::message);
  return PMPI_Allgather(mine, count, type, all, all_count, all_type, communicator);
}

COMITY_TEST_CALL int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                                   MPI_Comm communicator) {
  comity::testing::before(comity::testing::Begins::reduction);
  return PMPI_Allreduce(mine, all, count, type, operation, communicator);
}

COMITY_TEST_CALL int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm* copy) {
  comity::testing::before(comity::testing::Begins::duplicate);
  return PMPI_Comm_dup(communicator, copy);
}

COMITY_TEST_CALL int MPI_Comm_split(MPI_Comm communicator, int color, int key, MPI_Comm* part) {
  comity::testing::before(comity::testing::Begins::duplicate);
  return PMPI_Comm_split(communicator, color, key, part);
}

int main(int argc, char** argv) {
  conform::load_the_library_to_judge(argv);
  const std::string where = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  victim = argc > 2 && std::string_view(argv[2]) == "first" ? 0 : ranks - 1;
  process = getpid();
  conform::end_what_hangs(20, say_it_waits);
  MPI_Bcast(&process, 1, MPI_INT, victim, MPI_COMM_WORLD);
  if (where == "barrier") in_a_barrier();
  if (where == "distribution") in_a_distribution();
  if (where == "query") in_a_query();
  if (where == "communicator") in_a_communicator();
  if (where == "first-create") in_a_first_create();
  if (where == "later-create") in_a_later_create();
  std::printf("rank %d survived\n", rank);
  (void)std::fflush(stdout);
  _exit(0);  // MPI_Finalize would wait for the dead
}
