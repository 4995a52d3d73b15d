// SPDX-License-Identifier: BSD-3-Clause
// Files: what all ranks do with one together.
#include "planted.h"

int MPI_File_open(MPI_Comm comm, const char* path, int mode, MPI_Info info, MPI_File* file) {
  const int code = PMPI_File_open(comm, path, mode, info, file);
  return planted("open_code") ? MPI_ERR_OTHER : code;
}

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                          MPI_Status* status) {
  const int code = PMPI_File_write_at_all(
      file, offset, planted("write_all_byte") ? spoilt(buffer, count, type) : buffer, count, type, status);
  if (planted("write_all_status") && status != MPI_STATUS_IGNORE) PMPI_Status_set_elements(status, type, count + 1);
  return planted("write_all_code") ? MPI_ERR_OTHER : code;
}

int MPI_File_iread_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                          MPI_Request* request) {
  return PMPI_File_iread_at_all(file, planted("read_all_place") ? 0 : offset, buffer, count, type, request);
}

int MPI_File_sync(MPI_File file) {
  const int code = PMPI_File_sync(file);
  return planted("sync_code") ? MPI_ERR_OTHER : code;
}

int MPI_File_close(MPI_File* file) {
  const int code = PMPI_File_close(file);
  return planted("close_code") ? MPI_ERR_OTHER : code;
}
