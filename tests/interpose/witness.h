/* SPDX-License-Identifier: BSD-3-Clause */
/* What the preloaded witness tells a test program, in C. Weak: a program that is started without it fails with a word. */
#ifndef COMITY_TESTS_WITNESS_H
#define COMITY_TESTS_WITNESS_H

#include <stdint.h>

struct WitnessedCall {
  const char* name; /* MPI_x */
  int succeeded;
  uint64_t communicator;
  int32_t to;
  int32_t from;
  uint64_t sent_bytes;
  uint64_t received_bytes;
  int64_t took_ns;
};

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) int comity_witness_count(const char* name);
__attribute__((weak)) struct WitnessedCall comity_witness_last(void);
/* The oldest message that was told without a call of its own and is not asked for yet; name is null where there is none. */
__attribute__((weak)) struct WitnessedCall comity_witness_message(void);
/* The same of what collective calls among neighbours have moved from or to one of them. */
__attribute__((weak)) struct WitnessedCall comity_witness_share(void);
#ifdef __cplusplus
}
#endif

#endif
