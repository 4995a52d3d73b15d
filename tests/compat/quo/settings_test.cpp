// SPDX-License-Identifier: BSD-3-Clause
// What libquo over Comity says beyond QUO's rules, of this one alone.   settings_test fork|bad-setting|policy|kept|placed|refused
// fork: a child of a rank may ask its parent's context, and not move, meet or distribute by it. bad-setting, policy, kept, placed:
// with a variable in the environment that means nothing, that fights a push, that has teams kept or placed; what is written is
// counted outside. refused: of what no context is made.
#include <omp.h>
#include <quo.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "binding_text.hpp"
#include "context/masks.hpp"
#include "mpi/expect.hpp"
#include "sanitizer.hpp"

using namespace comity::testing;

namespace {

constexpr int kSkipped = 77;
constexpr const char* kTeams = "COMITY_CONTEXT_OPENMP";
const char* why_not = nullptr;

QUO_context created() {
  QUO_context q = nullptr;
  const int code = QUO_create(&q, MPI_COMM_WORLD);
  expect_equal(code, QUO_SUCCESS, "QUO_create");
  if (code != QUO_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
  return q;
}

void freed(QUO_context q) { expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free"); }

int push_machine(QUO_context q) { return QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0); }

void pushed(QUO_context q) { expect_equal(push_machine(q), QUO_SUCCESS, "QUO_bind_push"); }

void popped(QUO_context q) { expect_equal(QUO_bind_pop(q), QUO_SUCCESS, "QUO_bind_pop"); }

void expect_communicator(QUO_context q) {
  MPI_Comm made = MPI_COMM_NULL;
  expect_equal(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made), QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
}

// All that QUO counts, and who this rank is.
std::vector<int> numbers_of(QUO_context q) {
  std::vector<int> numbers;
  int number = -1;
  for (const auto call : {QUO_nnumanodes, QUO_nsockets, QUO_ncores, QUO_npus, QUO_nnodes, QUO_nqids, QUO_id}) {
    expect_equal(call(q, &number), QUO_SUCCESS, "a count");
    numbers.push_back(number);
  }
  expect_equal(QUO_nobjs_in_type_by_type(q, QUO_OBJ_MACHINE, 0, QUO_OBJ_PU, &number), QUO_SUCCESS, "a count inside");
  numbers.push_back(number);
  return numbers;
}

struct Answers {
  std::vector<int> numbers;
  std::string binding;
};

void expect_refusals(QUO_context q) {
  int selected = -1;
  MPI_Comm made = MPI_COMM_NULL;
  const std::pair<const char*, int> codes[] = {
      {"QUO_bind_push", push_machine(q)},
      {"QUO_bind_push of what is touched", QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_PU, -1)},
      {"QUO_bind_pop", QUO_bind_pop(q)},
      {"QUO_barrier", QUO_barrier(q)},
      {"QUO_auto_distrib", QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected)},
      {"QUO_get_mpi_comm_by_type", QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made)},
  };
  for (const auto& [call, code] : codes) expect_equal(code, QUO_ERR_INVLD_ARG, std::string(call) + " in a child");
  expect_equal(selected, 0, "the result of QUO_auto_distrib in a child");
  expect(made == MPI_COMM_NULL, "a child has made a communicator");
}

// As docs/quo-migration.md has it: without MPI.
void expect_context_of_its_own() {
  comity::Context own = comity::Context::local();
  own.push(comity::Resource::machine, 0);
  own.pop();
}

// `last_cpu`: another than the parent's, where there are two.
void be_the_child(QUO_context q, const Answers& of_parent, int last_cpu) {
  expect(bind_this_thread({last_cpu}), "the child cannot bind itself");
  const Cpus mask = cpus_of(0);
  expect_refusals(q);
  expect(cpus_of(0) == mask, "a refused call has moved the child");
  expect_equal(conform::binding(q), of_parent.binding, "the binding that a child is told");
  expect(numbers_of(q) == of_parent.numbers, "a child counts otherwise than its parent");
  expect_context_of_its_own();
  freed(q);
}

// It has what the parent has printed and not yet written, and ends without it.
void expect_child_to_hold(QUO_context q, int last_cpu) {
  const Answers answers{numbers_of(q), conform::binding(q)};
  const pid_t child = fork();
  if (child == 0) {
    failures = 0;
    be_the_child(q, answers, last_cpu);
    _exit(finish());
  }
  int status = -1;
  expect(child > 0 && waitpid(child, &status, 0) == child, "there is no child");
  expect_equal(status, 0, "how the child ended");
}

void fork_a_child() {
  const int last_cpu = cpus_of(0).back();
  QUO_context q = created();
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, 0), QUO_SUCCESS, "QUO_bind_push");
  const std::string before = conform::binding(q);
  expect_child_to_hold(q, last_cpu);
  expect_equal(conform::binding(q), before, "the parent's binding");
  expect_equal(QUO_barrier(q), QUO_SUCCESS, "the parent's QUO_barrier");
  expect_communicator(q);
  popped(q);
  freed(q);
}

void expect_no_context(MPI_Comm communicator, int code, const std::string& of) {
  int anything = 0;
  auto* q = reinterpret_cast<QUO_context>(&anything);
  expect_equal(QUO_create(&q, communicator), code, "QUO_create of " + of);
  expect(q == nullptr, "the context is not null after a create of " + of);
}

void expect_bad_setting() {
  expect_no_context(MPI_COMM_WORLD, QUO_ERR_INVLD_ARG, "all ranks, with a setting that means nothing");
}

// On all ranks; on none; on the last alone, of which the others are told.
void meet_a_bad_setting() {
  const char* const bad = std::getenv(kTeams);
  const std::string word = bad == nullptr ? "" : bad;
  expect_bad_setting();
  expect(std::string(comity_last_error()).find(kTeams) != std::string::npos, "no sentence names the setting");
  (void)unsetenv(kTeams);
  freed(created());
  if (world_rank == world().size - 1) (void)setenv(kTeams, word.c_str(), 1);
  expect_bad_setting();
}

void push_and_pop(QUO_context q) {
  for (int time = 0; time < 2; ++time) {
    pushed(q);
    popped(q);
  }
}

// `first` before all others.
void push_in_turn(QUO_context q, int first) {
  if (world_rank == first) push_and_pop(q);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank != first) push_and_pop(q);
}

// Each context's segment is gone before the next one's is made. The rank that comes first in the second was silent in the
// first, where another had told it for all.
void push_against_a_policy() {
  for (const int first : {0, world().size - 1}) {
    QUO_context q = created();
    push_in_turn(q, first);
    freed(q);
  }
}

// Of a team with a member for each core, the calling thread first; none where there is one core, or OpenMP gives fewer.
Threads team_of_all_cores(QUO_context q) {
  int cores = 0;
  expect_equal(QUO_ncores(q, &cores), QUO_SUCCESS, "QUO_ncores");
  Threads members(static_cast<std::size_t>(cores));
#pragma omp parallel num_threads(cores)
  members[static_cast<std::size_t>(omp_get_thread_num())] = static_cast<pid_t>(syscall(SYS_gettid));
  const bool is_whole = cores > 1 && std::ranges::find(members, 0) == members.end();
  if (!is_whole) why_not = "there is one core, or OpenMP gives smaller teams";
  return is_whole ? members : Threads();
}

void expect_all_cpus(const Threads& members, const Cpus& all, const std::string& when) {
  expect_equal(threads_elsewhere(members, all), 0, "members that may not run on all CPUs " + when);
}

void expect_a_core_each(const Threads& members, const Cpus& all) {
  Cpus taken;
  for (const auto& [member, cpus] : masks_of(members)) taken.insert(taken.end(), cpus.begin(), cpus.end());
  std::ranges::sort(taken);  // what two members have is there twice
  expect(members.empty() || taken == all, "the members have not a core each");
}

void keep_a_team() {
  if (kHasSanitizer) {
    why_not = "a sanitizer begins all threads";
    return;
  }
  QUO_context q = created();
  const Cpus all = cpus_of(0);
  const Threads members = team_of_all_cores(q);
  const Threads before = threads_of_this_process();
  push_and_pop(q);  // placed from inside a region, then by thread id
  pushed(q);
  expect(threads_of_this_process() == before, "a push that keeps teams has started a thread");
  expect_a_core_each(members, all);
  popped(q);
  expect_all_cpus(members, all, "after the pop");
  freed(q);
}

// By the push, for the region behind it finds them.
void expect_started(const Threads& members, const Threads& before, const Threads& after) {
  for (const pid_t member : members) {
    const bool is_new = !std::ranges::binary_search(before, member) && std::ranges::binary_search(after, member);
    expect(is_new || member == getpid(), "the push has not started a member of the team");
  }
}

void place_a_team() {
  QUO_context q = created();
  const Cpus all = cpus_of(0);
  const Threads before = threads_of_this_process();
  pushed(q);
  const Threads after = threads_of_this_process();
  const Threads members = team_of_all_cores(q);
  expect_started(members, before, after);
  expect_a_core_each(members, all);
  popped(q);
  expect_all_cpus(members, all, "after the pop");
  freed(q);
}

// Of the first rank and the others, in a job of at least two.
MPI_Comm of_two_groups() {
  const bool is_first = world_rank == 0;
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_first ? 0 : 1, 0, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, is_first ? 1 : 0, 0, &both);
  MPI_Comm_free(&side);
  return both;
}

void be_refused() {
  expect_no_context(MPI_COMM_NULL, QUO_ERR_MPI, "no communicator");
  MPI_Comm both = of_two_groups();
  expect_no_context(both, QUO_ERR_MPI, "a communicator of two groups");
  MPI_Comm_free(&both);
  freed(created());
}

// `refused` goes on where there is no MPI any more.
void end_mpi(const std::string& what) {
  if (why_not != nullptr && world_rank == 0) std::printf("NOT TESTED: %s\n", why_not);
  MPI_Finalize();
  if (what == "refused") expect_no_context(MPI_COMM_WORLD, QUO_ERR_MPI, "all ranks after MPI_Finalize");
}

}  // namespace

int main(int argc, char** argv) {
  static const std::map<std::string, void (*)()> kTried{
      {"fork", fork_a_child},
      {"bad-setting", meet_a_bad_setting},
      {"policy", push_against_a_policy},
      {"kept", keep_a_team},
      {"placed", place_a_team},
      {"refused", be_refused},
  };
  const std::string what = argc > 1 ? argv[1] : "";
  if (!kTried.contains(what)) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  kTried.at(what)();
  end_mpi(what);
  return why_not == nullptr || failures > 0 ? finish() : kSkipped;
}
