// SPDX-License-Identifier: BSD-3-Clause
// The life of a context. Invariant: what may fail on one rank alone fails before or inside a collective call that tells all
// ranks; so all have a context or none, but for the choice of NO_MT, after which nobody waits for anybody.
#include <new>

#include "compat/quo/codes.hpp"
#include "compat/quo/context.hpp"

namespace {

using comity::quo::answer_aloud;
using comity::quo::code_of;
using comity::quo::decline;
using comity::quo::fail;
using comity::quo::is_in_fork_child;

// All of it may fail; what it has made so far is in `made`, whose owner frees it.
comity_status make(QUO_t& made, MPI_Comm communicator, bool no_mt) {
  comity_status status = comity_context_set_binding_of(made.context, COMITY_BINDING_OF_THREADS);
  if (status == COMITY_OK) status = comity_context_set_teams(made.context, COMITY_TEAMS_LEAVE);
  if (status != COMITY_OK) return status;
  // Collective; its refresh shows the peers the masks of all threads.
  status = comity_context_sharers(made.context, communicator, COMITY_MACHINE, &made.all, &made.here);
  if (status == COMITY_OK) status = comity_context_rank(made.context, &made.qid);
  if (status == COMITY_OK) status = comity_context_size(made.context, &made.qids);
  if (status == COMITY_OK) status = comity_context_node_count(made.context, &made.nodes);
  if (status == COMITY_OK && no_mt) status = comity_context_set_smt(made.context, COMITY_SMT_ONE);
  return status;
}

bool is_mpi_running() {
  int initialised = 0;
  int finalised = 0;
  MPI_Initialized(&initialised);
  MPI_Finalized(&finalised);
  return initialised != 0 && finalised == 0;
}

bool is_given_back(MPI_Comm& made) { return made == MPI_COMM_NULL || MPI_Comm_free(&made) == MPI_SUCCESS; }

bool give_back_to_mpi(QUO_t& q) {
  const bool here = q.here == MPI_GROUP_NULL || MPI_Group_free(&q.here) == MPI_SUCCESS;
  const bool node = is_given_back(q.node);
  return is_given_back(q.all) && node && here;
}

int drop(QUO_t* q) {
  const int freed = code_of(comity_context_free(&q->context));
  if (q->mpi_holds_on) return freed;
  const bool has_mpi = !is_in_fork_child(*q) && is_mpi_running();
  const int code = has_mpi && !give_back_to_mpi(*q) ? QUO_ERR_MPI : freed;
  delete q;
  return code;
}

int create(const char* call, QUO_context* q, MPI_Comm communicator, int flags) {
  if (q == nullptr) return decline(call, QUO_ERR_INVLD_ARG, "`q` is null; pass where the context goes");
  *q = nullptr;
  if ((flags & ~QUO_CREATE_NO_MT) != 0) {
    return fail(call, QUO_ERR_INVLD_ARG, "no such flags; give QUO_CREATE_NO_FLAGS or QUO_CREATE_NO_MT");
  }
  QUO_t* const made = new (std::nothrow) QUO_t;
  // A rank without memory takes part, with nowhere to put a context, so that all ranks learn of it.
  const comity_status status = comity_context_create(communicator, made != nullptr ? &made->context : nullptr);
  if (made == nullptr) return fail(call, QUO_ERR_OOR, "out of memory; free some and call again");
  int code = answer_aloud(call, status);
  if (code == QUO_SUCCESS) code = answer_aloud(call, make(*made, communicator, (flags & QUO_CREATE_NO_MT) != 0));
  if (code == QUO_SUCCESS) {
    *q = made;
  } else {
    (void)drop(made);
  }
  return code;
}

}  // namespace

int QUO_version(int* version, int* subversion) {
  if (version == nullptr || subversion == nullptr) {
    return decline("QUO_version", QUO_ERR_INVLD_ARG, "a null pointer; pass where both numbers go");
  }
  *version = 8;
  *subversion = 0;
  return QUO_SUCCESS;
}

int QUO_create(QUO_context* q, MPI_Comm comm) { return create("QUO_create", q, comm, QUO_CREATE_NO_FLAGS); }

int QUO_create_with_flags(QUO_context* q, MPI_Comm comm, QUO_create_flags_t flags) {
  return create("QUO_create_with_flags", q, comm, static_cast<int>(flags));
}

int QUO_free(QUO_context q) {
  if (q == nullptr) return QUO_SUCCESS;
  // A fork child may not keep what its parent pushed, and has nothing to lose by it.
  (void)comity_context_keep_binding(q->context);
  const int code = drop(q);
  return code == QUO_SUCCESS ? QUO_SUCCESS : fail("QUO_free", code, comity_last_error());
}
