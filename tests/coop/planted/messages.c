// SPDX-License-Identifier: BSD-3-Clause
// Blocking messages, exchanges and probes.
#include "planted.h"

static MPI_Message first = MPI_MESSAGE_NULL;  // the one that was passed over

// Whether the library takes such a receive, and there is a message to wait for. Else it tells the error itself.
static int is_of_a_message(int count, int from, MPI_Comm comm) {
  int between = 0, ranks = 0;
  if (count < 0 || from == MPI_PROC_NULL) return 0;
  PMPI_Comm_test_inter(comm, &between);
  if (between) {
    PMPI_Comm_remote_size(comm, &ranks);
  } else {
    PMPI_Comm_size(comm, &ranks);
  }
  return from < ranks;
}

// Only the order of messages that nothing else tells apart is another one.
static int receive_the_second(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                              MPI_Status* status) {
  MPI_Message second;
  int found = 0;
  MPI_Status one;
  if (first != MPI_MESSAGE_NULL) return PMPI_Mrecv(buffer, count, type, &first, status);
  if (!is_of_a_message(count, from, comm)) return PMPI_Recv(buffer, count, type, from, tag, comm, status);
  PMPI_Mprobe(from, tag, comm, &first, &one);
  PMPI_Improbe(one.MPI_SOURCE, one.MPI_TAG, comm, &found, &second, MPI_STATUS_IGNORE);
  return PMPI_Mrecv(buffer, count, type, found ? &second : &first, status);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  if (planted("recv_order")) return receive_the_second(buffer, count, type, from, tag, comm, status);
  const int code = PMPI_Recv(buffer, count, type, from, tag, comm, status);
  if (planted("recv_byte")) spoil(buffer, count, type);
  if (planted("recv_status")) spoil_status(status);
  return code_or_none(code, "recv_code");
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  if (planted("irecv_buffer")) buffer = elsewhere(buffer, count, type);
  return first == MPI_MESSAGE_NULL ? PMPI_Irecv(buffer, count, type, from, tag, comm, request)
                                   : PMPI_Imrecv(buffer, count, type, &first, request);
}

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return code_or_none(
      PMPI_Send(planted("send_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm), "send_code");
}

int MPI_Ssend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return code_or_none(
      PMPI_Ssend(planted("ssend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm),
      "ssend_code");
}

int MPI_Rsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Rsend(planted("rsend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm);
}

int MPI_Bsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Bsend(planted("bsend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Isend(planted("isend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm, request);
}

int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Issend(planted("issend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm,
                     request);
}

int MPI_Ibsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Ibsend(planted("ibsend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm,
                     request);
}

int MPI_Irsend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Irsend(planted("irsend_byte") ? spoilt(buffer, count, type) : buffer, count, type, to, tag, comm,
                     request);
}

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  const int code =
      PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
  if (planted("sendrecv_byte")) spoil(in, in_count, in_type);
  if (planted("sendrecv_status")) spoil_status(status);
  return code_or_none(code, "sendrecv_code");
}

int MPI_Sendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                         MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Sendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, comm, status);
  if (planted("replace_byte")) spoil(buffer, count, type);
  if (planted("replace_status")) spoil_status(status);
  return code_or_none(code, "replace_code");
}

int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Probe(from, tag, comm, status);
  if (planted("probe_status")) spoil_status(status);
  return code_or_none(code, "probe_code");
}

int MPI_Mprobe(int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
  const int code = PMPI_Mprobe(from, tag, comm, message, status);
  if (planted("mprobe_status")) spoil_status(status);
  return code;
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* is_there, MPI_Status* status) {
  const int code = PMPI_Iprobe(from, tag, comm, is_there, status);
  if (*is_there && planted("iprobe_status")) spoil_status(status);
  if (planted("iprobe_early")) *is_there = 1;
  return code;
}

int MPI_Improbe(int from, int tag, MPI_Comm comm, int* is_there, MPI_Message* message, MPI_Status* status) {
  const int code = PMPI_Improbe(from, tag, comm, is_there, message, status);
  if (*is_there && planted("improbe_status")) spoil_status(status);
  return code;
}

int MPI_Mrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const int code = PMPI_Mrecv(buffer, count, type, message, status);
  if (planted("mrecv_byte")) spoil(buffer, count, type);
  if (planted("mrecv_status")) spoil_status(status);
  return code;
}

int MPI_Imrecv(void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* request) {
  if (planted("imrecv_buffer")) buffer = elsewhere(buffer, count, type);
  return PMPI_Imrecv(buffer, count, type, message, request);
}

int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
  return planted("set_errhandler_skipped") ? MPI_SUCCESS : PMPI_Comm_set_errhandler(comm, handler);
}

#if MPI_VERSION >= 4
static const void* large(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return planted("send_c_byte") ? spoilt(buffer, count, type) : buffer;
}

int MPI_Send_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Send_c(large(buffer, count, type), count, type, to, tag, comm);
}

int MPI_Ssend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Ssend_c(large(buffer, count, type), count, type, to, tag, comm);
}

int MPI_Rsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Rsend_c(large(buffer, count, type), count, type, to, tag, comm);
}

int MPI_Bsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  return PMPI_Bsend_c(large(buffer, count, type), count, type, to, tag, comm);
}

int MPI_Recv_c(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Recv_c(buffer, count, type, from, tag, comm, status);
  if (planted("recv_c_byte")) spoil(buffer, count, type);
  if (planted("recv_c_status")) spoil_status(status);
  return code;
}

int MPI_Sendrecv_c(const void* out, MPI_Count out_count, MPI_Datatype out_type, int to, int out_tag, void* in,
                   MPI_Count in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  const int code =
      PMPI_Sendrecv_c(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
  if (planted("sendrecv_c_status")) spoil_status(status);
  return code;
}

int MPI_Sendrecv_replace_c(void* buffer, MPI_Count count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                           MPI_Comm comm, MPI_Status* status) {
  const int code = PMPI_Sendrecv_replace_c(buffer, count, type, to, out_tag, from, in_tag, comm, status);
  if (planted("replace_c_byte")) spoil(buffer, count, type);
  return code;
}

int MPI_Isend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request) {
  return PMPI_Isend_c(sent("isend_c_byte", buffer, count, type), count, type, to, tag, comm, request);
}

int MPI_Issend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return PMPI_Issend_c(sent("isend_c_byte", buffer, count, type), count, type, to, tag, comm, request);
}

int MPI_Ibsend_c(const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                 MPI_Request* request) {
  return PMPI_Ibsend_c(sent("isend_c_byte", buffer, count, type), count, type, to, tag, comm, request);
}

int MPI_Irecv_c(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                MPI_Request* request) {
  void* const to = planted("irecv_c_buffer") ? elsewhere(buffer, count, type) : buffer;
  return PMPI_Irecv_c(to, count, type, from, tag, comm, request);
}

int MPI_Isendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                  MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Request* request) {
  return PMPI_Isendrecv(sent("isendrecv_byte", out, out_count, out_type), out_count, out_type, to, out_tag, in,
                        in_count, in_type, from, in_tag, comm, request);
}

int MPI_Isendrecv_replace(void* buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag,
                          MPI_Comm comm, MPI_Request* request) {
  if (planted("isendrecv_replace_byte")) spoil(buffer, count, type);
  return PMPI_Isendrecv_replace(buffer, count, type, to, out_tag, from, in_tag, comm, request);
}

int MPI_Mrecv_c(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* message, MPI_Status* status) {
  const int code = PMPI_Mrecv_c(buffer, count, type, message, status);
  if (planted("mrecv_c_byte")) spoil(buffer, count, type);
  return code;
}

int MPI_Bcast_c(void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  const int code = PMPI_Bcast_c(buffer, count, type, root, comm);
  if (planted("bcast_c_byte")) spoil(buffer, count, type);
  return code;
}

int MPI_Allreduce_c(const void* mine, void* all, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int code = PMPI_Allreduce_c(mine, all, count, type, op, comm);
  if (planted("allreduce_c_byte")) spoil(all, count, type);
  return code;
}
#endif
