/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes and their sentences. Conventions of all C headers: see comity.h. */
#ifndef COMITY_ERROR_H
#define COMITY_ERROR_H

#include <comity/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What every function returns. New codes are appended; a code never changes its number. Since: 0.1. */
typedef enum comity_status {
  COMITY_OK = 0,
  COMITY_ERR_ARGUMENT = 1,     /**< a null pointer, or a value that has no meaning */
  COMITY_ERR_HANDLE = 2,       /**< a handle that was never created, is freed, or is a parent's in its fork child */
  COMITY_ERR_RANGE = 3,        /**< an index or count outside its range */
  COMITY_ERR_NOT_FOUND = 4,    /**< the machine has no such object */
  COMITY_ERR_ORDER = 5,        /**< a call out of order: a pop that matches no push, a leave without enter */
  COMITY_ERR_MPI = 6,          /**< MPI is not initialised, is finalised, or reports an error */
  COMITY_ERR_TOPOLOGY = 7,     /**< the topology cannot be read: file missing, broken, too large; or ranks name two */
  COMITY_ERR_VERSION = 8,      /**< shared state of another version of the library */
  COMITY_ERR_SYSTEM = 9,       /**< the kernel refused; the sentence names the call and its errno */
  COMITY_ERR_MEMORY = 10,      /**< out of memory, or a full file system behind shared memory */
  COMITY_ERR_PEER_LOST = 11,   /**< a rank that this call needs has died */
  COMITY_ERR_TIMEOUT = 12,     /**< the time given has passed; nothing changed */
  COMITY_ERR_UNSUPPORTED = 13, /**< this machine, kernel or build cannot do it */
  COMITY_ERR_OPTION = 14,      /**< a setting has a value outside its range, or ranks have different ones */
  COMITY_ERR_INTERNAL = 15     /**< a defect of Comity; please report the sentence */
} comity_status;

/** Name of a code, such as "COMITY_ERR_RANGE".
 *  @param status [code] any value.   @return a constant string; "COMITY_ERR_?" for an unknown code.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT const char* comity_status_name(comity_status status);

/** One sentence that says what the code means in general, and what to do.
 *  @param status [code] any value.   @return a constant string; never null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT const char* comity_status_text(comity_status status);

/** The sentence of the last call of this thread that failed: what failed, on which object, why, what to do.
 *  @return a string that stays valid until the next failing call of this thread; "" if none failed.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT const char* comity_last_error(void);

/** Set the sentence that comity_last_error() returns to this thread: for libraries that extend this interface, as the
 *  library for communicators does.
 *  @param sentence [string, in] copied, cut at 2047 bytes; null counts as "".
 *  @return nothing.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT void comity_report_failure(const char* sentence);

#ifdef __cplusplus
}
#endif
#endif
