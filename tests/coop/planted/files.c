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

int MPI_File_set_view(MPI_File file, MPI_Offset place, MPI_Datatype one, MPI_Datatype type, const char* form,
                      MPI_Info info) {
  const int code = PMPI_File_set_view(file, planted("set_view_place") ? 0 : place, one, type, form, info);
  return planted("set_view_code") ? MPI_ERR_OTHER : code;
}

int MPI_File_write_all(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  return PMPI_File_write_all(file, planted("file_write_all_byte") ? spoilt(buffer, count, type) : buffer, count, type,
                             status);
}

int MPI_File_write_ordered(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  return PMPI_File_write_ordered(file, planted("write_ordered_byte") ? spoilt(buffer, count, type) : buffer, count,
                                 type, status);
}

int MPI_File_iwrite_all(MPI_File file, const void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
  return PMPI_File_iwrite_all(file, planted("iwrite_all_byte") ? spoilt(buffer, count, type) : buffer, count, type,
                              request);
}

int MPI_File_iwrite_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                           MPI_Request* request) {
  return PMPI_File_iwrite_at_all(file, offset, planted("iwrite_at_all_byte") ? spoilt(buffer, count, type) : buffer,
                                 count, type, request);
}

int MPI_File_write_at_all_begin(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type) {
  return PMPI_File_write_at_all_begin(
      file, offset, planted("write_at_all_begin_byte") ? spoilt(buffer, count, type) : buffer, count, type);
}

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                         MPI_Status* status) {
  const int code = PMPI_File_read_at_all(file, offset, buffer, count, type, status);
  if (planted("read_at_all_byte")) spoil(buffer, count, type);
  return code;
}

int MPI_File_read_all(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  const int code = PMPI_File_read_all(file, buffer, count, type, status);
  if (planted("read_all_status") && status != MPI_STATUS_IGNORE) PMPI_Status_set_elements(status, type, count + 1);
  return code;
}

int MPI_File_read_ordered(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Status* status) {
  const int code = PMPI_File_read_ordered(file, buffer, count, type, status);
  if (planted("read_ordered_byte")) spoil(buffer, count, type);
  return code;
}

int MPI_File_read_all_begin(MPI_File file, void* buffer, int count, MPI_Datatype type) {
  return PMPI_File_read_all_begin(file, buffer, planted("read_all_begin_short") && count > 0 ? count - 1 : count, type);
}

int MPI_File_read_at_all_begin(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type) {
  const int few = planted("read_at_all_begin_short") && count > 0;
  return PMPI_File_read_at_all_begin(file, offset, buffer, few ? count - 1 : count, type);
}

int MPI_File_read_ordered_begin(MPI_File file, void* buffer, int count, MPI_Datatype type) {
  const int few = planted("read_ordered_begin_short") && count > 0;
  return PMPI_File_read_ordered_begin(file, buffer, few ? count - 1 : count, type);
}

int MPI_File_write_all_begin(MPI_File file, const void* buffer, int count, MPI_Datatype type) {
  return PMPI_File_write_all_begin(file, sent("write_all_begin_byte", buffer, count, type), count, type);
}

int MPI_File_write_ordered_begin(MPI_File file, const void* buffer, int count, MPI_Datatype type) {
  return PMPI_File_write_ordered_begin(file, sent("write_ordered_begin_byte", buffer, count, type), count, type);
}

int MPI_File_iread_all(MPI_File file, void* buffer, int count, MPI_Datatype type, MPI_Request* request) {
  return PMPI_File_iread_all(file, buffer, planted("iread_all_short") && count > 0 ? count - 1 : count, type, request);
}

int MPI_File_seek_shared(MPI_File file, MPI_Offset offset, int from) {
  const int code = PMPI_File_seek_shared(file, offset, from);
  return planted("seek_shared_code") ? MPI_ERR_OTHER : code;
}

int MPI_File_set_size(MPI_File file, MPI_Offset bytes) {
  return PMPI_File_set_size(file, planted("set_size_bytes") ? bytes + 1 : bytes);
}

int MPI_File_preallocate(MPI_File file, MPI_Offset bytes) {
  return planted("preallocate_skipped") ? MPI_SUCCESS : PMPI_File_preallocate(file, bytes);
}

int MPI_File_set_atomicity(MPI_File file, int whether) {
  const int code = PMPI_File_set_atomicity(file, whether);
  return planted("atomicity_code") ? MPI_ERR_OTHER : code;
}

int MPI_File_set_info(MPI_File file, MPI_Info info) {
  const int code = PMPI_File_set_info(file, info);
  return planted("set_info_code") ? MPI_ERR_OTHER : code;
}
