// SPDX-License-Identifier: BSD-3-Clause
// A rank that is linked statically and calls no MPI: computes for so long, then ends as it is told: "exit CODE", "kill" or
// "wait" for a signal. A third word: so many MiB of memory that it has meanwhile.
#define _DEFAULT_SOURCE  // sigsuspend
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double cpu_s(void) { return (double)clock() / CLOCKS_PER_SEC; }

static volatile sig_atomic_t got;
static void note(int number) { got = number; }

int main(int count, char** words) {
  if (count < 3) return 2;
  // It comes in sigsuspend alone, or between a look at `got` and the wait it would be lost.
  sigset_t wake, before;
  sigemptyset(&wake);
  sigaddset(&wake, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wake, &before);
  signal(SIGUSR1, note);
  if (count > 3) {
    const size_t bytes = (size_t)atoi(words[3]) << 20;
    static char* volatile block; /* else the compiler sees that nobody asks for it */
    block = malloc(bytes);
    if (block == NULL) return 2;
    memset(block, 1, bytes);
  }
  while (cpu_s() < atof(words[1])) {
  }
  printf("pid=%ld\n", (long)getpid());
  fflush(stdout);
  if (strcmp(words[2], "kill") == 0) raise(SIGKILL);
  if (strcmp(words[2], "wait") == 0) {
    while (got == 0) sigsuspend(&before);
    return 7;
  }
  return atoi(words[2]);
}
