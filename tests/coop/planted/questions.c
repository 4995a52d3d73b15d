// SPDX-License-Identifier: BSD-3-Clause
// Questions whether requests are over, and the end of those that are the program's own.
#include "planted.h"

int MPI_Test(MPI_Request* request, int* over, MPI_Status* status) {
  const MPI_Request before = *request;
  const int code = PMPI_Test(request, over, status);
  if (*over && planted("test_status")) spoil_status(status);
  if (*over && planted("test_cancelled")) deny_cancelling(status);
  if (*over && planted("test_request")) *request = before;
  if (planted("test_early")) *over = 1;
  return code_or_none(code, "test_code");
}

int MPI_Testall(int count, MPI_Request requests[], int* over, MPI_Status statuses[]) {
  const int code = PMPI_Testall(count, requests, over, statuses);
  if (*over && statuses != MPI_STATUSES_IGNORE && count > 1) {
    if (planted("testall_status")) spoil_status(&statuses[0]);
    if (planted("testall_order")) swap(&statuses[0], &statuses[1]);
    for (int i = 0; i < count && planted("testall_cancelled"); ++i) deny_cancelling(&statuses[i]);
  }
  if (planted("testall_early")) *over = 1;
  return code_or_none(code, "testall_code");
}

int MPI_Testany(int count, MPI_Request requests[], int* index, int* over, MPI_Status* status) {
  const int code = PMPI_Testany(count, requests, index, over, status);
  if (*over && planted("testany_status")) spoil_status(status);
  if (*over && planted("testany_cancelled")) deny_cancelling(status);
  if (*over && *index != MPI_UNDEFINED && planted("testany_index")) *index = (*index + 1) % count;
  if (planted("testany_early")) *over = 1;
  return code_or_none(code, "testany_code");
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  const int code = PMPI_Testsome(count, requests, done, indices, statuses);
  if (*done > 1 && planted("testsome_count")) --*done;
  if (*done > 1 && statuses != MPI_STATUSES_IGNORE && planted("testsome_order")) swap(&statuses[0], &statuses[1]);
  if (*done == 0 && planted("testsome_early")) *done = MPI_UNDEFINED;
  for (int i = 0; i < *done && planted("testsome_cancelled"); ++i) deny_cancelling(&statuses[i]);
  return code_or_none(code, "testsome_code");
}

int MPI_Request_get_status(MPI_Request request, int* over, MPI_Status* status) {
  const int code = PMPI_Request_get_status(request, over, status);
  if (*over && planted("get_status_status")) spoil_status(status);
  if (planted("get_status_early")) *over = 1;
  return planted("get_status_code") ? MPI_ERR_OTHER : code;
}

int MPI_Request_free(MPI_Request* request) {
  MPI_Request freed = *request;
  return PMPI_Request_free(planted("request_free_handle") ? &freed : request);
}

#if MPI_VERSION >= 4
int MPI_Parrived(MPI_Request request, int part, int* is_there) {
  const int code = PMPI_Parrived(request, part, is_there);
  if (planted("parrived_early")) *is_there = 1;
  return planted("parrived_code") ? MPI_ERR_OTHER : code;
}
#endif

int MPI_Grequest_complete(MPI_Request request) {
  if (planted("grequest_complete_skipped")) return MPI_SUCCESS;
  const int code = PMPI_Grequest_complete(request);
  return planted("grequest_complete_code") ? MPI_ERR_OTHER : code;
}
