// SPDX-License-Identifier: BSD-3-Clause
// Planted: wrappers of MPI that are wrong in one way, chosen by the variable PLANTED; without it they change nothing. For
// the test that finds each of them by comparison.
#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static inline int planted(const char* what) {
  const char* const chosen = getenv("PLANTED");
  return chosen != NULL && strcmp(chosen, what) == 0;
}

// Derived types may have holes where nobody looks.
static inline int is_basic(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

// One of the first bytes of those that came, if there are some, is another one.
static inline void spoil(void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count > 0 && is_basic(type) && buffer != MPI_IN_PLACE) ((unsigned char*)buffer)[count > 5 ? 5 : 0] ^= 1U;
}

// What is sent, with such a mistake in it. Never freed: it may be on its way for long.
static inline const void* spoilt(const void* buffer, MPI_Count count, MPI_Datatype type) {
  int of_one = 0;
  if (count <= 0 || !is_basic(type)) return buffer;
  PMPI_Type_size(type, &of_one);
  const size_t bytes = (size_t)count * (size_t)of_one;
  void* const copy = malloc(bytes);
  memcpy(copy, buffer, bytes);
  spoil(copy, count, type);
  return copy;
}

// What comes in a started call, where nobody looks.
static inline void* elsewhere(void* buffer, MPI_Count count, MPI_Datatype type) {
  return count > 0 && is_basic(type) ? calloc((size_t)count, 32) : buffer;
}

// What is sent, spoilt in the case of that mistake. In place nothing is.
static inline const void* sent(const char* mistake, const void* buffer, MPI_Count count, MPI_Datatype type) {
  return planted(mistake) && buffer != MPI_IN_PLACE ? spoilt(buffer, count, type) : buffer;
}

static inline void spoil_status(MPI_Status* status) {
  if (status != MPI_STATUS_IGNORE) status->MPI_TAG += 1;
}

static inline void deny_cancelling(MPI_Status* status) {
  int cancelled = 0;
  if (status == MPI_STATUS_IGNORE) return;
  PMPI_Test_cancelled(status, &cancelled);
  if (cancelled) PMPI_Status_set_cancelled(status, 0);
}

static inline void swap(MPI_Status* one, MPI_Status* other) {
  const MPI_Status kept = *one;
  *one = *other;
  *other = kept;
}

static inline int code_or_none(int code, const char* what) { return planted(what) ? MPI_SUCCESS : code; }
