// SPDX-License-Identifier: BSD-3-Clause
// Messages in parts.
#include "planted.h"

#if MPI_VERSION >= 4
static int parts_of_last;

int MPI_Psend_init(const void* buffer, int parts, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
  parts_of_last = parts;
  const void* const sent = planted("psend_byte") ? spoilt(buffer, parts * count, type) : buffer;
  return PMPI_Psend_init(sent, parts, count, type, to, tag, comm, info, request);
}

int MPI_Precv_init(void* buffer, int parts, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request* request) {
  // Into nobody's hands.
  void* const to = planted("precv_buffer") ? calloc(1, (size_t)(parts * count + 1) * sizeof(int)) : buffer;
  return PMPI_Precv_init(to, parts, count, type, from, tag, comm, info, request);
}

// All is ready with the first part, whatever is still to be written.
static int make_all_ready(int part, MPI_Request request) {
  static int made;
  if (made++ % parts_of_last != 0) return MPI_SUCCESS;
  (void)part;
  for (int i = 0; i < parts_of_last; ++i) PMPI_Pready(i, request);
  return MPI_SUCCESS;
}

int MPI_Pready(int part, MPI_Request request) {
  if (planted("pready_early")) return make_all_ready(part, request);
  const int code = PMPI_Pready(part, request);
  return planted("pready_code") ? MPI_ERR_OTHER : code;
}

int MPI_Pready_range(int first, int last, MPI_Request request) {
  for (int i = first; i <= last && planted("pready_early"); ++i) make_all_ready(i, request);
  if (planted("pready_early")) return MPI_SUCCESS;
  const int code = PMPI_Pready_range(first, last, request);
  return planted("pready_range_code") ? MPI_ERR_OTHER : code;
}

int MPI_Pready_list(int count, int parts[], MPI_Request request) {
  for (int i = 0; i < count && planted("pready_early"); ++i) make_all_ready(parts[i], request);
  if (planted("pready_early")) return MPI_SUCCESS;
  const int code = PMPI_Pready_list(count, parts, request);
  return planted("pready_list_code") ? MPI_ERR_OTHER : code;
}
#endif
