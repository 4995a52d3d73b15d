/* SPDX-License-Identifier: BSD-3-Clause
 * A library with much memory of its own that stands in no file. */
#define EXPORT __attribute__((visibility("default")))

EXPORT char grown_bss[8 << 20];

extern char _end[] __attribute__((visibility("hidden"))); /* the linker's: where this library's memory ends */

EXPORT char* grown_end(void);
EXPORT char* grown_end(void) { return _end; }
