// SPDX-License-Identifier: BSD-3-Clause
#include "script.h"

int me, size;
MPI_Comm world;
int out[4 * kMost], in[4 * kMost], spare[4 * kMost];
static uint64_t script, sum;

void begin_script(uint64_t seed) { script = seed, sum = 0; }
uint64_t sum_of_script(void) { return sum; }

uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

int draw(int below) {
  script = mixed(script);
  return (int)(script % (uint64_t)below);
}

void add(uint64_t word) { sum = mixed(sum ^ mixed(word)); }
void add_ints(const int* ints, int count) {
  uint64_t all = 1469598103934665603U;
  for (int i = 0; i < count; ++i) all = (all ^ (uint64_t)(unsigned)ints[i]) * 1099511628211U;
  add(all);
}
static void add_text(const char* text, size_t length) {
  uint64_t all = length;
  for (size_t i = 0; i < length; ++i) all = (all ^ (unsigned char)text[i]) * 1099511628211U;
  add(all);
}

// MPICH's codes and texts have in them which functions were called, where buffers are and how many errors there were before. Its first
// line begins with what is wrong, and its last one ends with why.
static void add_error(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  add_text(text, strcspn(text, ",\n"));
  const char* const line = strrchr(text, '\n');
  const char* const why = strstr(line == NULL ? text : line, ": ");
  if (why != NULL) add_text(why, strlen(why));
#ifdef OPEN_MPI
  add((uint64_t)code);
#endif
}

void add_code(int code) {
  int class = 0;
  MPI_Error_class(code, &class);
  add((uint64_t) class);
  if (code != MPI_SUCCESS) add_error(code);
}
void add_failure(int code) {
  if (code != MPI_SUCCESS) add_code(code);
}
uint64_t told(const MPI_Status* status) {
  int count = 0, cancelled = 0;
  MPI_Get_count(status, MPI_BYTE, &count);
  MPI_Test_cancelled(status, &cancelled);
  if (cancelled) return 77;
  return mixed((uint64_t)status->MPI_SOURCE << 40 ^ (uint64_t)status->MPI_TAG << 20 ^ (uint64_t)count);
}
void add_status(const MPI_Status* status) { add(told(status)); }

void leave_untouched(MPI_Status* statuses, int count) {
  enum { kUntouched = 4711 };
  memset(statuses, 0x5A, sizeof *statuses * (size_t)count);
  for (int i = 0; i < count; ++i) statuses[i].MPI_ERROR = kUntouched;
}
MPI_Status untouched(void) {
  MPI_Status status;
  leave_untouched(&status, 1);
  return status;
}
uint64_t told_with_error(const MPI_Status* status) {
  return mixed(told(status) ^ mixed((uint64_t)status->MPI_ERROR << 32U));
}
void add_status_with_error(const MPI_Status* status) { add(told_with_error(status)); }

void fill(int count, int round) {
  for (int i = 0; i < count; ++i) out[i] = (int)mixed((uint64_t)me << 32 ^ (uint64_t)round << 16 ^ (uint64_t)i);
  memset(in, 0x5A, sizeof in[0] * (size_t)count);
}

int some_count(void) {
  static const int kCounts[] = {0, 1, 2, 17, 1000, 5000, 20000, kMost};
  return kCounts[draw(8)];
}

struct Basic some_type(void) {
  const struct Basic all[] = {
      {MPI_INT, 4},   {MPI_DOUBLE, 8}, {MPI_CHAR, 1},     {MPI_SHORT, 2}, {MPI_INT64_T, 8},
      {MPI_FLOAT, 4}, {MPI_BYTE, 1},   {MPI_UNSIGNED, 4}, {MPI_2INT, 8},  {MPI_C_DOUBLE_COMPLEX, 16}};
  return all[draw((int)(sizeof all / sizeof all[0]))];
}

struct Basic some_integer(void) {
  const struct Basic all[] = {
      {MPI_INT, 4}, {MPI_INT64_T, 8}, {MPI_UNSIGNED_SHORT, 2}, {MPI_SIGNED_CHAR, 1}, {MPI_UINT32_T, 4}};
  return all[draw((int)(sizeof all / sizeof all[0]))];
}

int all_are_on_one_host(void) {
  static int known = 0, here = 0;
  MPI_Comm node;
  if (!known) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    MPI_Comm_free(&node);
    known = 1;
  }
  return here == size;
}

void be_late(void) {
  const int who = draw(size), microseconds = draw(4) == 0 ? 500 + draw(3000) : 0;
  if (who == me && microseconds > 0) usleep((unsigned)microseconds);
}
