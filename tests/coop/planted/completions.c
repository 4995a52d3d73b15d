// SPDX-License-Identifier: BSD-3-Clause
// Completions and starts of requests.
#include "planted.h"

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request before = *request;
  const int code = PMPI_Wait(request, status);
  if (planted("wait_status")) spoil_status(status);
  if (planted("wait_cancelled")) deny_cancelling(status);
  if (planted("wait_request") && before != *request) *request = before;
  return code_or_none(code, "wait_code");
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  const int code = PMPI_Waitall(count, requests, statuses);
  if (statuses != MPI_STATUSES_IGNORE && count > 1) {
    if (planted("waitall_order")) swap(&statuses[0], &statuses[1]);
    if (planted("waitall_status")) spoil_status(&statuses[0]);
    for (int i = 0; i < count && planted("waitall_cancelled"); ++i) deny_cancelling(&statuses[i]);
  }
  return code_or_none(code, "waitall_code");
}

int MPI_Waitany(int count, MPI_Request requests[], int* index, MPI_Status* status) {
  const int code = PMPI_Waitany(count, requests, index, status);
  if (planted("waitany_index") && *index != MPI_UNDEFINED) *index = (*index + 1) % count;
  if (planted("waitany_status")) spoil_status(status);
  if (planted("waitany_cancelled")) deny_cancelling(status);
  return code_or_none(code, "waitany_code");
}

int MPI_Waitsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[]) {
  const int code = PMPI_Waitsome(count, requests, done, indices, statuses);
  if (planted("waitsome_count") && *done > 1) --*done;
  if (planted("waitsome_order") && *done > 1) swap(&statuses[0], &statuses[1]);
  for (int i = 0; i < *done && planted("waitsome_cancelled"); ++i) deny_cancelling(&statuses[i]);
  return code_or_none(code, "waitsome_code");
}

int MPI_Start(MPI_Request* request) {
  const int code = PMPI_Start(request);
  return planted("start_code") ? MPI_ERR_OTHER : code;
}

int MPI_Startall(int count, MPI_Request requests[]) {
  const int code = PMPI_Startall(count, requests);
  return planted("startall_code") ? MPI_ERR_OTHER : code;
}
