/* SPDX-License-Identifier: BSD-3-Clause */
/* How the OpenMP runtime of this program was told to let idle threads wait. */
#pragma once

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of LLVM's runtime; -1: this is another one. */
static int block_time(void) {
  int (*told)(void) = NULL;
  *(void**)&told = dlsym(RTLD_DEFAULT, "kmp_get_blocktime");
  return told == NULL ? -1 : told();
}

/* How often GNU's idle threads look before they sleep, as its runtime tells on standard error; -1: it does not, or this is another one. */
static long long spins(void) {
  void (*tell)(int) = NULL;
  *(void**)&tell = dlsym(RTLD_DEFAULT, "omp_display_env");
  if (tell == NULL || block_time() >= 0) return -1;
  FILE* const told = tmpfile();
  const int error = dup(STDERR_FILENO);
  if (told == NULL || error < 0 || dup2(fileno(told), STDERR_FILENO) < 0) return -1;
  tell(1);
  (void)dup2(error, STDERR_FILENO);
  (void)close(error);
  rewind(told);
  long long count = -1;
  for (char line[256]; fgets(line, sizeof(line), told) != NULL;) {
    const char* const found = strstr(line, "GOMP_SPINCOUNT = '");
    if (found != NULL) count = atoll(strchr(found, '\'') + 1);
  }
  (void)fclose(told);
  return count;
}
