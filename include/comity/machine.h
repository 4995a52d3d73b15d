/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of hardware objects. Queries about this node's objects go through a context: see context.h. */
#ifndef COMITY_MACHINE_H
#define COMITY_MACHINE_H

#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kind of hardware object. Objects of a kind are numbered 0 .. count-1 in logical (hwloc) order. Since: 0.1. */
typedef enum comity_type {
  COMITY_MACHINE = 0, /**< the node: always exactly one */
  COMITY_PACKAGE = 1, /**< a socket */
  COMITY_NUMA = 2,    /**< a NUMA node: at least one */
  COMITY_L3 = 3,      /**< a level-3 cache with the PUs that share it */
  COMITY_L2 = 4,
  COMITY_L1 = 5,
  COMITY_CORE = 6,
  COMITY_PU = 7 /**< a hardware thread; a hart of Comity */
} comity_type;

/** Name of a kind, such as "numa".
 *  @param type [enum] any value.   @return a constant string; "?" for an unknown kind.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT const char* comity_type_name(comity_type type);

#ifdef __cplusplus
}
#endif
#endif
