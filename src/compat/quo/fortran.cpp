// SPDX-License-Identifier: BSD-3-Clause
// What the Fortran module calls where C and Fortran differ: communicators, and memory that C allocates. They are part of
// the binary interface, so they keep libquo's names; no header declares them.
#include <quo.h>

#include <cstdlib>

extern "C" {

QUO_EXPORT int QUO_create_f2c(QUO_context* q, MPI_Fint comm) { return QUO_create(q, MPI_Comm_f2c(comm)); }

QUO_EXPORT int QUO_create_with_flags_f2c(QUO_context* q, MPI_Fint comm, int flags) {
  return QUO_create_with_flags(q, MPI_Comm_f2c(comm), static_cast<QUO_create_flags_t>(flags));
}

// MPI_COMM_NULL on failure.
QUO_EXPORT int QUO_get_mpi_comm_by_type_f2c(QUO_context q, QUO_obj_type_t target_type, MPI_Fint* out_comm) {
  MPI_Comm made = MPI_COMM_NULL;
  const int code = QUO_get_mpi_comm_by_type(q, target_type, out_comm == nullptr ? nullptr : &made);
  if (out_comm != nullptr) *out_comm = MPI_Comm_c2f(made);
  return code;
}

QUO_EXPORT int QUO_ptr_free(void* memory) {
  std::free(memory);
  return QUO_SUCCESS;
}
}
