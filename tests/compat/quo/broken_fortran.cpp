// SPDX-License-Identifier: BSD-3-Clause
// A Fortran module of which those subroutines are broken that QUO_BROKEN names, by GNU's names of them: the libquo-usequo of the same
// folder is this library, too. Each is broken in something else than its neighbour, so that a program that tries them all says
// which: what it gives, what it gives where it fails, or its code.
#include <dlfcn.h>
#include <quo.h>

#include <string>

#include "broken.hpp"

namespace {

// The subroutine itself, quo_<name>.
template <typename... Arguments>
void call(const char* name, Arguments... arguments) {
  using Subroutine = void(Arguments...);
  reinterpret_cast<Subroutine*>(dlsym(RTLD_NEXT, ("__quo_MOD_" + std::string(name)).c_str()))(arguments...);
}

void call_number(const char* name, QUO_context q, int* number, int* ierr) {
  call(name, q, number, ierr);
  if (*ierr == QUO_SUCCESS && is_broken(name)) ++*number;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
extern "C" {

QUO_EXPORT void __quo_MOD_quo_version(int* version, int* subversion, int* ierr) {
  call("quo_version", version, subversion, ierr);
  if (is_broken("quo_version")) ++*subversion;
}

QUO_EXPORT void __quo_MOD_quo_create(QUO_context* q, int comm, int* ierr) {
  call("quo_create", q, comm, ierr);
  if (is_broken("quo_create")) *ierr = QUO_SUCCESS_ALREADY_DONE;
}

// A handle of nothing where it fails.
QUO_EXPORT void __quo_MOD_quo_create_with_flags(QUO_context* q, int comm, int flags, int* ierr) {
  call("quo_create_with_flags", q, comm, flags, ierr);
  if (*ierr != QUO_SUCCESS && is_broken("quo_create_with_flags")) *q = reinterpret_cast<QUO_context>(q);
}

QUO_EXPORT void __quo_MOD_quo_free(QUO_context q, int* ierr) {
  call("quo_free", q, ierr);
  if (is_broken("quo_free")) *ierr = QUO_ERR;
}

QUO_EXPORT void __quo_MOD_quo_nobjs_by_type(QUO_context q, int type, int* number, int* ierr) {
  call("quo_nobjs_by_type", q, type, number, ierr);
  if (is_broken("quo_nobjs_by_type")) *ierr = QUO_SUCCESS;
}

QUO_EXPORT void __quo_MOD_quo_nobjs_in_type_by_type(QUO_context q, int in_type, int in_type_index, int type,
                                                    int* number, int* ierr) {
  call("quo_nobjs_in_type_by_type", q, in_type, in_type_index, type, number, ierr);
  if (*ierr != QUO_SUCCESS && is_broken("quo_nobjs_in_type_by_type")) *number = 1;
}

QUO_EXPORT void __quo_MOD_quo_cpuset_in_type(QUO_context q, int type, int in_type_index, int* touches, int* ierr) {
  call("quo_cpuset_in_type", q, type, in_type_index, touches, ierr);
  if (*ierr != QUO_SUCCESS && is_broken("quo_cpuset_in_type")) *touches = 1;
}

// An array's descriptor begins with where its first element is.
QUO_EXPORT void __quo_MOD_quo_qids_in_type(QUO_context q, int type, int in_type_index, int** array, int* ierr) {
  call("quo_qids_in_type", q, type, in_type_index, array, ierr);
  if (*ierr == QUO_SUCCESS && is_broken("quo_qids_in_type")) ++**array;
}

QUO_EXPORT void __quo_MOD_quo_nnumanodes(QUO_context q, int* number, int* ierr) {
  call_number("quo_nnumanodes", q, number, ierr);
}

QUO_EXPORT void __quo_MOD_quo_nsockets(QUO_context q, int* number, int* ierr) {
  call_number("quo_nsockets", q, number, ierr);
}

QUO_EXPORT void __quo_MOD_quo_ncores(QUO_context q, int* number, int* ierr) {
  call_number("quo_ncores", q, number, ierr);
}

QUO_EXPORT void __quo_MOD_quo_npus(QUO_context q, int* number, int* ierr) {
  call("quo_npus", q, number, ierr);
  if (is_broken("quo_npus")) *ierr = QUO_ERR;
}

QUO_EXPORT void __quo_MOD_quo_nnodes(QUO_context q, int* number, int* ierr) {
  call_number("quo_nnodes", q, number, ierr);
}

QUO_EXPORT void __quo_MOD_quo_nqids(QUO_context q, int* number, int* ierr) {
  call("quo_nqids", q, number, ierr);
  if (is_broken("quo_nqids")) *ierr = QUO_ERR;
}

QUO_EXPORT void __quo_MOD_quo_id(QUO_context q, int* number, int* ierr) {
  call("quo_id", q, number, ierr);
  if (is_broken("quo_id")) *ierr = QUO_ERR;
}

QUO_EXPORT void __quo_MOD_quo_bound(QUO_context q, int* bound, int* ierr) {
  call("quo_bound", q, bound, ierr);
  if (*ierr == QUO_SUCCESS && is_broken("quo_bound")) *bound = *bound == 0 ? 1 : 0;
}

QUO_EXPORT void __quo_MOD_quo_bind_push(QUO_context q, int policy, int type, int obj_index, int* ierr) {
  call("quo_bind_push", q, policy, type, obj_index, ierr);
  if (is_broken("quo_bind_push")) *ierr = QUO_SUCCESS;
}

QUO_EXPORT void __quo_MOD_quo_bind_pop(QUO_context q, int* ierr) {
  call("quo_bind_pop", q, ierr);
  if (is_broken("quo_bind_pop")) *ierr = QUO_SUCCESS;
}

QUO_EXPORT void __quo_MOD_quo_barrier(QUO_context q, int* ierr) {
  call("quo_barrier", q, ierr);
  if (is_broken("quo_barrier")) *ierr = QUO_ERR;
}

QUO_EXPORT void __quo_MOD_quo_auto_distrib(QUO_context q, int type, int most, int* selected, int* ierr) {
  call("quo_auto_distrib", q, type, most, selected, ierr);
  if (*ierr != QUO_SUCCESS && is_broken("quo_auto_distrib")) *selected = 1;
}

QUO_EXPORT void __quo_MOD_quo_get_mpi_comm_by_type(QUO_context q, int type, int* comm, int* ierr) {
  call("quo_get_mpi_comm_by_type", q, type, comm, ierr);
  if (*ierr != QUO_SUCCESS || !is_broken("quo_get_mpi_comm_by_type")) return;
  MPI_Comm alone = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  *comm = MPI_Comm_c2f(alone);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)
