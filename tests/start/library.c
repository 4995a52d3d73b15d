// SPDX-License-Identifier: BSD-3-Clause
#define _GNU_SOURCE
#include "library.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int at_load;
static pthread_t helper;
static int has_helper;
static struct rlimit files;

static int cpus_of(pthread_t thread) {
  cpu_set_t mask;
  return pthread_getaffinity_np(thread, sizeof(mask), &mask) == 0 ? CPU_COUNT(&mask) : -1;
}

static void* rest(void* unused) {
  pause();
  return unused;
}

static void bind_to(int cpu) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cpu, &mask);
  if (sched_setaffinity(0, sizeof(mask), &mask) != 0) abort();
}

__attribute__((constructor)) static void look_around(void) {
  at_load = cpus_of(pthread_self());
  if (getenv("LIBRARY_THREAD") != NULL) has_helper = pthread_create(&helper, NULL, rest, NULL) == 0;
  if (getenv("LIBRARY_PINS") != NULL) bind_to(atoi(getenv("LIBRARY_PINS")));
  if (getenv("LIBRARY_TAKES_FILES") != NULL) {
    getrlimit(RLIMIT_NOFILE, &files);
    const struct rlimit none = {0, files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
}

int library_cpus_at_load(void) { return at_load; }

int library_thread_cpus(void) { return has_helper ? cpus_of(helper) : 0; }

void library_returns_files(void) {
  if (files.rlim_max != 0) setrlimit(RLIMIT_NOFILE, &files);
}
