/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank that tells what it sees of its run, one line each, and ends as it is told:
 *   rank show NAME..      its variables, and whether Comity's library is loaded
 *   rank above PID        which processes above it, up to that one, have LD_PRELOAD in their environment
 *   rank exit CODE        after MPI_Finalize
 *   rank kill SIGNAL      itself
 *   rank wait             for somebody to end it; its pid before */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

/* One write a line, so that lines of ranks do not mix. */
static void say(const char* name, const char* value) {
  char line[8192];
  const int bytes = snprintf(line, sizeof line, "rank %d %s=%s\n", rank, name, value);
  if (write(STDOUT_FILENO, line, (size_t)bytes) < 0) abort();
}

static int is_loaded(const char* library) {
  char line[8192];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) found |= strstr(line, library) != NULL;
  if (maps != NULL) fclose(maps);
  return found;
}

static void show(int count, char** names) {
  for (int i = 0; i < count; ++i) say(names[i], getenv(names[i]) != NULL ? getenv(names[i]) : "(unset)");
  say("loaded", is_loaded("/libcomity_preload-") ? "yes" : "no");
}

static long parent_of(long pid) {
  char path[64];
  char line[256];
  long parent = 0;
  snprintf(path, sizeof path, "/proc/%ld/status", pid);
  FILE* file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "PPid: %ld", &parent);
  if (file != NULL) fclose(file);
  return parent;
}

static int has_preload(long pid) {
  static char text[1 << 20];
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/environ", pid);
  FILE* file = fopen(path, "r");
  if (file == NULL) return -1;
  const size_t bytes = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  for (size_t i = 0; i < bytes; i += strlen(text + i) + 1) {
    if (strncmp(text + i, "LD_PRELOAD=", 11) == 0) return strstr(text + i, "libcomity_preload-") != NULL;
  }
  return 0;
}

static void look_above(long last) {
  long above = getppid();
  for (; above > 1 && above != last; above = parent_of(above))
    say("above", has_preload(above) == 0 ? "clean" : "preloaded");
  say("last", above == last ? "found" : "lost");
}

int main(int argc, char** argv) {
  const char* const word = argc > 1 ? argv[1] : "";
  char pid[32];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(pid, sizeof pid, "%ld", (long)getpid());
  if (strcmp(word, "show") == 0) show(argc - 2, argv + 2);
  if (strcmp(word, "above") == 0) look_above(atol(argv[2]));
  if (strcmp(word, "kill") == 0) raise(atoi(argv[2]));
  if (strcmp(word, "wait") == 0) {
    say("pid", pid);
    while (1) pause();
  }
  MPI_Finalize();
  return strcmp(word, "exit") == 0 ? atoi(argv[2]) : 0;
}
