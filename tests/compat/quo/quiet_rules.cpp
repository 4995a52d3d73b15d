// SPDX-License-Identifier: BSD-3-Clause
// Rules of what a libquo writes, and of what it asks for at the end of the process.
#include <bit>
#include <cstdlib>
#include <string>
#include <utility>

#include "askers.hpp"
#include "output.hpp"
#include "rules.hpp"

namespace conform {
namespace {

constexpr auto kNoType = static_cast<QUO_obj_type_t>(6);

// Every call, from the create to the free.
void use_everything(QUO_create_flags_t flags) {
  Context q(MPI_COMM_WORLD, flags);
  int number = 0;
  expect_equal(QUO_version(&number, &number), QUO_SUCCESS, "QUO_version");
  for (const auto call :
       {QUO_nnumanodes, QUO_nsockets, QUO_ncores, QUO_npus, QUO_nnodes, QUO_nqids, QUO_id, QUO_bound}) {
    expect_equal(call(q, &number), QUO_SUCCESS, "a question");
  }
  expect_equal(QUO_nobjs_in_type_by_type(q, QUO_OBJ_MACHINE, 0, QUO_OBJ_PU, &number), QUO_SUCCESS, "PUs inside");
  expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_MACHINE, 0, &number), QUO_SUCCESS, "QUO_cpuset_in_type");
  int* list = nullptr;
  expect_equal(QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &number, &list), QUO_SUCCESS, "QUO_qids_in_type");
  std::free(list);
  push(q, QUO_OBJ_PU, count(q, QUO_OBJ_PU) - 1);
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_CORE, -1), QUO_SUCCESS, "push of what is touched");
  (void)binding(q);
  pop(q);
  pop(q);
  expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  expect_equal(QUO_auto_distrib(q, QUO_OBJ_CORE, 1, &number), QUO_SUCCESS, "QUO_auto_distrib");
  MPI_Comm made = MPI_COMM_NULL;
  expect_equal(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made), QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  MPI_Comm_free(&made);
}

// What an MPI tells when it first makes a communicator is not libquo's.
void let_mpi_tell_what_it_tells_once() {
  const Context q;
  MPI_Comm made = MPI_COMM_NULL;
  expect_equal(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &made), QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  MPI_Comm_free(&made);
}

void success_is_silent() {
  let_mpi_tell_what_it_tells_once();
  Output output;
  use_everything(QUO_CREATE_NO_FLAGS);
  use_everything(QUO_CREATE_NO_MT);
  expect_equal(output.end(), "", "written by calls that succeed");
}

// What a program may ask for to try whether it is there.
void tries_are_silent() {
  const Context q;
  int number = 0;
  int* list = nullptr;
  MPI_Comm communicator = MPI_COMM_NULL;
  Output output;
  const std::pair<int, int> codes[] = {
      {QUO_version(nullptr, nullptr), QUO_ERR_INVLD_ARG},
      {QUO_create(nullptr, MPI_COMM_WORLD), QUO_ERR_INVLD_ARG},
      {QUO_barrier(nullptr), QUO_ERR_INVLD_ARG},
      {QUO_bound(q, nullptr), QUO_ERR_INVLD_ARG},
      {QUO_nobjs_by_type(q, kNoType, &number), QUO_ERR_INVLD_ARG},
      {QUO_nobjs_in_type_by_type(q, QUO_OBJ_CORE, -1, QUO_OBJ_PU, &number), QUO_ERR_INVLD_ARG},
      {QUO_cpuset_in_type(q, QUO_OBJ_PU, -1, &number), QUO_ERR_INVLD_ARG},
      {QUO_qids_in_type(q, QUO_OBJ_PU, -1, &number, &list), QUO_ERR_INVLD_ARG},
      {QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, -1), QUO_ERR_INVLD_ARG},
      {QUO_bind_push(q, QUO_BIND_PUSH_OBJ, kNoType, 0), QUO_ERR_INVLD_ARG},
      {QUO_auto_distrib(q, QUO_OBJ_PU, 0, &number), QUO_ERR_INVLD_ARG},
      {QUO_auto_distrib(q, kNoType, 1, &number), QUO_ERR_INVLD_ARG},
      {QUO_get_mpi_comm_by_type(q, QUO_OBJ_CORE, &communicator), QUO_ERR_NOT_SUPPORTED},
      {QUO_bind_pop(q), QUO_ERR_POP},
  };
  expect_equal(output.end(), "", "written by calls that are refused");
  for (const auto& [found, wanted] : codes) expect_equal(found, wanted, "a call that is refused");
  meet();
}

void a_push_too_many_is_silent() {
  constexpr int kMostPushes = 127;
  const Context q;
  for (int depth = 0; depth < kMostPushes; ++depth) push(q, QUO_OBJ_MACHINE, 0);
  Output output;
  const int code = QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0);
  expect_equal(output.end(), "", "written by push 128");
  expect_equal(code, QUO_ERR_OOR, "push 128");
  for (int depth = 0; depth < kMostPushes; ++depth) pop(q);
}

void a_bad_policy_is_told() {
  const Context q;
  const auto no_policy = std::bit_cast<QUO_bind_push_policy_t>(-1);
  Output output;
  const int code = QUO_bind_push(q, no_policy, QUO_OBJ_PU, 0);
  expect(!output.end().empty(), "nothing is written of a policy that does not exist");
  expect_equal(code, QUO_ERR_INVLD_ARG, "no such policy");
}

void an_early_create_is_told() {
  QUO_context q = nullptr;
  Output output;
  const int code = QUO_create(&q, MPI_COMM_WORLD);
  expect(!output.end().empty(), "nothing is written of a create that fails");
  expect_equal(code, QUO_ERR_MPI, "QUO_create before MPI_Init");
}

// Neither from the loading of the library on.
void nothing_runs_at_exit() {
  if (!askers_are_seen()) return not_tested("a sanitizer stands where it is asked for");
  use_everything(QUO_CREATE_NO_FLAGS);
  for (const std::string& asker : askers_of_libquo(Event::exit)) {
    expect(false, asker + " has asked for a call at the end of the process");
  }
}

}  // namespace

std::span<const Rule> early_quiet_rules() {
  static constexpr Rule kRules[] = {{"a-create-that-fails-is-told", an_early_create_is_told}};
  return kRules;
}

std::span<const Rule> quiet_rules() {
  static constexpr Rule kRules[] = {
      {"what-succeeds-writes-nothing", success_is_silent},
      {"what-a-program-may-try-writes-nothing", tries_are_silent},
      {"a-push-too-many-writes-nothing", a_push_too_many_is_silent},
      {"a-bad-policy-is-told", a_bad_policy_is_told},
      {"nothing-runs-at-exit", nothing_runs_at_exit},
  };
  return kRules;
}

}  // namespace conform
