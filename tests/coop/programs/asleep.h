// SPDX-License-Identifier: BSD-3-Clause
// Asleep: lets another process of this host fall asleep, by what the kernel says of its main thread, or another thread, by its number. Not for ever:
// without Comity it spins, and of another host nobody can tell.
#pragma once

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { kLooksApart_us = 200, kLooksInARow = 5 };  // between two steps of a wait a process sleeps too

static inline int sleeps_now(int process) {
  char text[512] = "", path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", process);
  FILE* const file = fopen(path, "r");
  if (file == NULL) return 0;
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char* const name_ends = strrchr(text, ')');
  return name_ends != NULL && strncmp(name_ends, ") S", 3) == 0;
}

static inline double monotonic_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

// Returns whether it sleeps.
static inline int let_fall_asleep(int process, int longest_us) {
  const double end_us = monotonic_us() + longest_us;
  int in_a_row = 0;
  while (in_a_row < kLooksInARow && monotonic_us() < end_us) {
    (void)usleep(kLooksApart_us);
    in_a_row = sleeps_now(process) ? in_a_row + 1 : 0;
  }
  return in_a_row == kLooksInARow;
}
