/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of hardware threads (PUs), numbered as the operating system numbers them. Conventions: see comity.h. */
#ifndef COMITY_CPUSET_H
#define COMITY_CPUSET_H

#include <stddef.h>
#include <stdint.h>

#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMITY_CPUSET_CAPACITY 2048 /**< [PUs] the largest operating-system number plus one */

/** A set by value: bit b of words[w] is PU 64 w + b. Zero-initialise it for the empty set. Since: 0.1. */
typedef struct comity_cpuset {
  uint64_t words[COMITY_CPUSET_CAPACITY / 64];
} comity_cpuset;

/** How a set is written. Since: 0.1. */
typedef enum comity_cpuset_form {
  COMITY_FORM_LIST = 0, /**< "0-3,8" */
  COMITY_FORM_HEX = 1   /**< "0x10f" */
} comity_cpuset_form;

/** Read a set from a list ("0-3,8") or a mask ("0x10f"; told by its leading "0x").
 *  @param text [string, in] not null.   @param set [PUs, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null, or broken text (the sentence names the character).
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_cpuset_parse(const char* text, comity_cpuset* set);

/** Write a set.
 *  @param set [PUs, in].   @param form [enum].   @param text [string, out] `capacity_bytes` bytes, always ended by a
 *  zero byte; null with capacity 0 only asks for the length.   @param capacity_bytes [bytes] room in `text`.
 *  @param length_bytes [bytes, out] length without the zero byte; may be null where `text` is not.
 *  @return COMITY_OK; COMITY_ERR_RANGE: the text did not fit (the buffer holds "", the length is set);
 *  COMITY_ERR_ARGUMENT: null, or no such form.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_cpuset_string(const comity_cpuset* set, comity_cpuset_form form, char* text,
                                                 size_t capacity_bytes, size_t* length_bytes);

/** How many PUs a set holds.
 *  @param set [PUs, in].   @param count [PUs, out] 0 .. COMITY_CPUSET_CAPACITY.
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_cpuset_count(const comity_cpuset* set, int32_t* count);

#ifdef __cplusplus
}
#endif
#endif
