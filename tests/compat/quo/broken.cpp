// SPDX-License-Identifier: BSD-3-Clause
// A libquo of which one call is broken, the one that QUO_BROKEN names: it stands before the real one (LIBQUO) and spoils what
// that gives back, or has a bad habit. What the rules are worth is what they notice. The Fortran module: broken_fortran.cpp.
#include <dlfcn.h>
#include <quo.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "broken.hpp"

namespace {

template <typename Call>
Call* real(Call* /*of this type*/, const char* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

template <typename Call>
int spoilt_number(Call* call, const char* name, QUO_context q, int* result) {
  const int code = real(call, name)(q, result);
  if (code == QUO_SUCCESS && is_broken(name)) ++*result;
  return code;
}

// Of the objects of a type, those that this process touches.
std::vector<int> touched(QUO_context q, QUO_obj_type_t type) {
  int count = 0;
  (void)QUO_nobjs_by_type(q, type, &count);
  std::vector<int> indices;
  for (int index = 0; index < count; ++index) {
    int touches = 0;
    (void)QUO_cpuset_in_type(q, type, index, &touches);
    if (touches == 1) indices.push_back(index);
  }
  return indices;
}

bool touches_several_but_not_all(QUO_context q, QUO_obj_type_t type) {
  int count = 0;
  (void)QUO_nobjs_by_type(q, type, &count);
  const int touches = static_cast<int>(touched(q, type).size());
  return touches > 1 && touches < count;
}

// What a push of what is touched binds to where it is broken: what is given as its number; or the object that encloses the
// binding, and the first of all where none does.
int wrongly_chosen(QUO_context q, QUO_obj_type_t type, int obj_index) {
  if (!is_broken("enclosing-or-first")) return obj_index;
  const std::vector<int> indices = touched(q, type);
  return indices.size() == 1 ? indices.front() : 0;
}

void bind_all_threads_as_this_one() {
  cpu_set_t mask;
  (void)sched_getaffinity(0, sizeof(mask), &mask);
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    (void)sched_setaffinity(std::stoi(thread.path().filename()), sizeof(mask), &mask);
  }
}

// As a runtime does that spreads a team over its place: all threads but the one that pushes get a CPU of the mask in turn. That
// one keeps all, so that the members alone tell.
void give_each_other_thread_one_cpu() {
  cpu_set_t mask;
  (void)sched_getaffinity(0, sizeof(mask), &mask);
  std::size_t cpu = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const pid_t id = std::stoi(thread.path().filename());
    if (id == gettid()) continue;
    do {
      cpu = (cpu + 1) % CPU_SETSIZE;
    } while (!CPU_ISSET(cpu, &mask));
    cpu_set_t alone;
    CPU_ZERO(&alone);
    CPU_SET(cpu, &alone);
    (void)sched_setaffinity(id, sizeof(alone), &alone);
  }
}

void burn_a_third_of_a_second() {
  const std::clock_t begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 3) {
  }
}

// Where a libquo may keep what ranks share, and where all programs keep what they need for a while.
void leave_files() {
  for (const char* const variable : {"QUO_TMPDIR", "TMPDIR"}) {
    const char* const folder = std::getenv(variable);
    if (folder != nullptr) std::ofstream(std::filesystem::path(folder) / "libquo-left");
  }
}

[[gnu::constructor]] void when_the_library_loads() {
  if (is_broken("signal-handler")) (void)std::signal(SIGPROF, [](int /*signal*/) {});
}

}  // namespace

extern "C" {

QUO_EXPORT int QUO_create_f2c(QUO_context* q, MPI_Fint comm);
QUO_EXPORT int QUO_create_with_flags_f2c(QUO_context* q, MPI_Fint comm, int flags);
QUO_EXPORT int QUO_get_mpi_comm_by_type_f2c(QUO_context q, QUO_obj_type_t target_type, MPI_Fint* out_comm);
QUO_EXPORT int QUO_ptr_free(void* memory);

int QUO_version(int* version, int* subversion) {
  const int code = real(QUO_version, "QUO_version")(version, subversion);
  if (code == QUO_SUCCESS && is_broken("QUO_version")) *version = 7;
  return code;
}

int QUO_create(QUO_context* q, MPI_Comm comm) {
  const int code = real(QUO_create, "QUO_create")(q, comm);
  return code != QUO_SUCCESS && is_broken("QUO_create") ? QUO_ERR : code;
}

int QUO_create_with_flags(QUO_context* q, MPI_Comm comm, QUO_create_flags_t flags) {
  if (is_broken("left-files")) leave_files();
  const QUO_create_flags_t taken = is_broken("QUO_create_with_flags") ? QUO_CREATE_NO_FLAGS : flags;
  return real(QUO_create_with_flags, "QUO_create_with_flags")(q, comm, taken);
}

// The process goes back to all that it may use.
int QUO_free(QUO_context q) {
  if (q != nullptr && is_broken("QUO_free")) (void)QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0);
  return real(QUO_free, "QUO_free")(q);
}

int QUO_nobjs_by_type(QUO_context q, QUO_obj_type_t target_type, int* out_nobjs) {
  const int code = real(QUO_nobjs_by_type, "QUO_nobjs_by_type")(q, target_type, out_nobjs);
  if (code == QUO_SUCCESS && is_broken("QUO_nobjs_by_type")) ++*out_nobjs;
  return code;
}

int QUO_nobjs_in_type_by_type(QUO_context q, QUO_obj_type_t in_type, int in_type_index, QUO_obj_type_t type,
                              int* out_result) {
  const int code =
      real(QUO_nobjs_in_type_by_type, "QUO_nobjs_in_type_by_type")(q, in_type, in_type_index, type, out_result);
  if (code == QUO_SUCCESS && is_broken("QUO_nobjs_in_type_by_type")) ++*out_result;
  return code;
}

int QUO_cpuset_in_type(QUO_context q, QUO_obj_type_t type, int in_type_index, int* out_result) {
  const int code = real(QUO_cpuset_in_type, "QUO_cpuset_in_type")(q, type, in_type_index, out_result);
  if (code == QUO_SUCCESS && is_broken("QUO_cpuset_in_type")) *out_result = 1;
  return code;
}

int QUO_qids_in_type(QUO_context q, QUO_obj_type_t type, int in_type_index, int* out_nqids, int** out_qids) {
  const int code = real(QUO_qids_in_type, "QUO_qids_in_type")(q, type, in_type_index, out_nqids, out_qids);
  if (code == QUO_SUCCESS && *out_nqids > 0 && is_broken("QUO_qids_in_type")) --*out_nqids;
  return code;
}

int QUO_nnumanodes(QUO_context q, int* n) { return spoilt_number(QUO_nnumanodes, "QUO_nnumanodes", q, n); }
int QUO_nsockets(QUO_context q, int* n) { return spoilt_number(QUO_nsockets, "QUO_nsockets", q, n); }
int QUO_ncores(QUO_context q, int* n) { return spoilt_number(QUO_ncores, "QUO_ncores", q, n); }
int QUO_npus(QUO_context q, int* n) { return spoilt_number(QUO_npus, "QUO_npus", q, n); }
int QUO_nnodes(QUO_context q, int* n) { return spoilt_number(QUO_nnodes, "QUO_nnodes", q, n); }
int QUO_nqids(QUO_context q, int* n) { return spoilt_number(QUO_nqids, "QUO_nqids", q, n); }
int QUO_id(QUO_context q, int* qid) { return spoilt_number(QUO_id, "QUO_id", q, qid); }

int QUO_bound(QUO_context q, int* bound) {
  const int code = real(QUO_bound, "QUO_bound")(q, bound);
  if (code == QUO_SUCCESS && is_broken("QUO_bound")) *bound = 0;
  return code;
}

int QUO_stringify_cbind(QUO_context q, char** cbind_str) {
  const int code = real(QUO_stringify_cbind, "QUO_stringify_cbind")(q, cbind_str);
  if (code == QUO_SUCCESS && is_broken("QUO_stringify_cbind")) (*cbind_str)[0] = 'x';
  return code;
}

int QUO_bind_push(QUO_context q, QUO_bind_push_policy_t policy, QUO_obj_type_t type, int obj_index) {
  if (is_broken("silence") && policy != QUO_BIND_PUSH_PROVIDED && policy != QUO_BIND_PUSH_OBJ) return QUO_ERR_INVLD_ARG;
  const bool chooses_wrong =
      policy == QUO_BIND_PUSH_OBJ && (is_broken("QUO_bind_push") || is_broken("enclosing-or-first"));
  const QUO_bind_push_policy_t taken = chooses_wrong ? QUO_BIND_PUSH_PROVIDED : policy;
  const int index = chooses_wrong ? wrongly_chosen(q, type, obj_index) : obj_index;
  const int code = real(QUO_bind_push, "QUO_bind_push")(q, taken, type, index);
  if (code == QUO_SUCCESS && is_broken("bind-all-threads")) bind_all_threads_as_this_one();
  if (code == QUO_SUCCESS && is_broken("cpu-for-each-member")) give_each_other_thread_one_cpu();
  if (code == QUO_SUCCESS && is_broken("thread-of-its-own")) std::thread(pause).detach();
  return code;
}

int QUO_bind_pop(QUO_context q) {
  if (q != nullptr && is_broken("QUO_bind_pop")) return QUO_SUCCESS;
  const int code = real(QUO_bind_pop, "QUO_bind_pop")(q);
  if (code != QUO_SUCCESS && is_broken("complaints")) (void)std::fputs("nothing to pop\n", stderr);
  return code;
}

int QUO_barrier(QUO_context q) {
  if (q != nullptr && is_broken("QUO_barrier")) return QUO_SUCCESS;
  if (is_broken("chatter")) (void)std::fputs("all are here\n", stderr);
  if (is_broken("spin")) burn_a_third_of_a_second();
  if (is_broken("exit-handler")) (void)std::atexit([] {});
  return real(QUO_barrier, "QUO_barrier")(q);
}

int QUO_auto_distrib(QUO_context q, QUO_obj_type_t distrib_over_this, int max_qids_per_res_type, int* out_selected) {
  const int code =
      real(QUO_auto_distrib, "QUO_auto_distrib")(q, distrib_over_this, max_qids_per_res_type, out_selected);
  if (code == QUO_SUCCESS && is_broken("QUO_auto_distrib")) *out_selected = 1;
  if (code == QUO_SUCCESS && is_broken("sharers-work") && touches_several_but_not_all(q, distrib_over_this)) {
    *out_selected = 1;
  }
  return code;
}

int QUO_get_mpi_comm_by_type(QUO_context q, QUO_obj_type_t target_type, MPI_Comm* out_comm) {
  const int code = real(QUO_get_mpi_comm_by_type, "QUO_get_mpi_comm_by_type")(q, target_type, out_comm);
  if (code != QUO_SUCCESS || !is_broken("QUO_get_mpi_comm_by_type")) return code;
  MPI_Comm_free(out_comm);
  return MPI_Comm_dup(MPI_COMM_SELF, out_comm) == MPI_SUCCESS ? QUO_SUCCESS : QUO_ERR_MPI;
}

int QUO_create_f2c(QUO_context* q, MPI_Fint comm) {
  const int code = real(QUO_create_f2c, "QUO_create_f2c")(q, comm);
  return code == QUO_SUCCESS && is_broken("QUO_create_f2c") ? QUO_SUCCESS_ALREADY_DONE : code;
}

int QUO_create_with_flags_f2c(QUO_context* q, MPI_Fint comm, int flags) {
  const int code = real(QUO_create_with_flags_f2c, "QUO_create_with_flags_f2c")(q, comm, flags);
  return code == QUO_SUCCESS && is_broken("QUO_create_with_flags_f2c") ? QUO_SUCCESS_ALREADY_DONE : code;
}

int QUO_get_mpi_comm_by_type_f2c(QUO_context q, QUO_obj_type_t target_type, MPI_Fint* out_comm) {
  const MPI_Fint before = *out_comm;
  const int code = real(QUO_get_mpi_comm_by_type_f2c, "QUO_get_mpi_comm_by_type_f2c")(q, target_type, out_comm);
  if (code != QUO_SUCCESS && is_broken("QUO_get_mpi_comm_by_type_f2c")) *out_comm = before;
  return code;
}

int QUO_ptr_free(void* memory) {
  const int code = real(QUO_ptr_free, "QUO_ptr_free")(memory);
  return is_broken("QUO_ptr_free") ? QUO_ERR : code;
}

}  // extern "C"
