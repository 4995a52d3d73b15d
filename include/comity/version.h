/* SPDX-License-Identifier: BSD-3-Clause */
/* Version of the headers, and of the library that is loaded. */
#ifndef COMITY_VERSION_H
#define COMITY_VERSION_H

#include <comity/export.h>

#define COMITY_VERSION_MAJOR 0
#define COMITY_VERSION_MINOR 1
#define COMITY_VERSION_PATCH 0
#define COMITY_VERSION_STRING "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/** Version of the library that is loaded, such as "0.1.0"; compare with COMITY_VERSION_STRING of the headers.
 *  @return a constant string.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT const char* comity_version(void);

#ifdef __cplusplus
}
#endif
#endif
