// SPDX-License-Identifier: BSD-3-Clause
// A rank that is linked statically and calls no MPI: computes for so long, then ends as it is told: "exit CODE", "kill",
// "wait" for a signal, or "count" interrupts until SIGUSR1 comes. A third word: so many MiB of memory that it has meanwhile.
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

/* Says each when it has taken it. Interrupts and SIGUSR1 are blocked. */
static int count_interrupts(void) {
  sigset_t awaited;
  int interrupts = 0;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGUSR1);
  while (sigwaitinfo(&awaited, NULL) != SIGUSR1) {
    printf("interrupts=%d\n", ++interrupts);
    fflush(stdout);
  }
  return interrupts;
}

int main(int count, char** words) {
  if (count < 3) return 2;
  // It comes in sigsuspend alone, or between a look at `got` and the wait it would be lost.
  sigset_t wake, before;
  sigemptyset(&wake);
  sigaddset(&wake, SIGUSR1);
  if (strcmp(words[2], "count") == 0) sigaddset(&wake, SIGINT);
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
  if (strcmp(words[2], "count") == 0) return count_interrupts();
  return atoi(words[2]);
}
