// SPDX-License-Identifier: BSD-3-Clause
// A shared library that looks around in its constructor, as GNU's OpenMP does. LIBRARY_THREAD=1: starts a thread there;
// LIBRARY_PINS=CPU: binds itself there; LIBRARY_TAKES_FILES=1: leaves no descriptor for anybody.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

int library_cpus_at_load(void);  // of its first thread
int library_thread_cpus(void);   // of the thread that it started, now; 0: there is none
void library_returns_files(void);

#ifdef __cplusplus
}
#endif
