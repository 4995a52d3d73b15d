/* SPDX-License-Identifier: BSD-3-Clause
 * A program whose memory grows by known amounts, a step a line of its input: "private 8" maps and writes 8 MiB. It answers each line
 * by one: "done", or "refused" and why. Steps keep what they have made until the program ends, which it does at the input's end. */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define BSS_MIB 4

static char bss[BSS_MIB << 20];
static const char* why;
static pid_t peer;

static void touch(volatile char* start, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 4096) start[at] = 1;
}

static char* map_at(void* where, size_t bytes, int flags, int file) {
  char* start = mmap(where, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  if (start == MAP_FAILED) {
    why = strerror(errno);
    return NULL;
  }
  return start;
}

static char* map(size_t bytes, int flags, int file) { return map_at(NULL, bytes, flags, file); }

/* Small pages, whatever this machine's default is. */
static char* map_private(size_t bytes) {
  char* start = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (start != NULL) madvise(start, bytes, MADV_NOHUGEPAGE);
  return start;
}

static void grow_private(size_t bytes) {
  char* start = map_private(bytes);
  if (start != NULL) touch(start, bytes);
}

static void grow_untouched(size_t bytes) { (void)map_private(bytes); }

/* Written, and then given back. */
static void grow_returned(size_t bytes) {
  char* start = map_private(bytes);
  if (start == NULL) return;
  touch(start, bytes);
  madvise(start, bytes, MADV_DONTNEED);
}

static void grow_populated(size_t bytes) { (void)map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1); }

static void grow_locked(size_t bytes) {
  char* start = map_private(bytes);
  if (start != NULL && mlock(start, bytes) != 0) why = strerror(errno);
}

static void grow_huge(size_t bytes) {
  char* start = map(bytes + 2 * MIB, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (start == NULL) return;
  start = (char*)(((uintptr_t)start + 2 * MIB - 1) / (2 * MIB) * (2 * MIB));
  prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0);
  if (madvise(start, bytes, MADV_HUGEPAGE) != 0) why = strerror(errno);
  touch(start, bytes);
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

static void grow_hugetlb(size_t bytes) {
  char* start = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
  if (start != NULL) touch(start, bytes);
}

/* A segment; another process maps it too where there is one. */
static void share(int file, size_t bytes, int with_peer) {
  if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
    why = strerror(errno);
    return;
  }
  char* start = map(bytes, MAP_SHARED, file);
  if (start == NULL) return;
  touch(start, bytes);
  if (!with_peer) return;
  int ready[2];
  if (pipe(ready) != 0) return;
  peer = fork();
  if (peer == 0) {
    touch(start, bytes);
    (void)!write(ready[1], "x", 1);
    for (;;) pause();
  }
  char letter;
  (void)!read(ready[0], &letter, 1);
}

static void grow_memfd(size_t bytes) { share(memfd_create("grown", MFD_CLOEXEC), bytes, 0); }
static void grow_with_peer(size_t bytes) { share(memfd_create("both", MFD_CLOEXEC), bytes, 1); }

static void grow_named(size_t bytes) {
  char name[64];
  snprintf(name, sizeof name, "/dev/shm/vader_segment.test.%d", (int)getpid());
  share(open(name, O_RDWR | O_CREAT | O_EXCL, 0600), bytes, 0);
  unlink(name);
}

static void grow_sysv(size_t bytes) {
  const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
  char* start = id < 0 ? (char*)-1 : shmat(id, NULL, 0);
  if (start == (char*)-1) {
    why = strerror(errno);
    return;
  }
  shmctl(id, IPC_RMID, NULL);
  touch(start, bytes);
}

static void grow_file(size_t bytes) {
  char name[] = "/tmp/comity-grower-XXXXXX";
  const int file = mkstemp(name);
  char* page = calloc(1, MIB);
  for (size_t done = 0; done < bytes; done += MIB)
    if (write(file, page, MIB) != (ssize_t)MIB) why = strerror(errno);
  free(page);
  unlink(name);
  volatile char* start = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  volatile char sum = 0;
  for (size_t at = 0; at < bytes; at += 4096) sum = (char)(sum + start[at]);
}

static void grow_heap(size_t bytes) {
  for (size_t done = 0; done < bytes; done += 1024) touch(malloc(1008), 1008);
}

static void grow_bss(size_t bytes) { touch(bss, bytes); }

static void use_stack(size_t bytes) { touch(alloca(bytes), bytes); }

/* A thread does the step and stays. */
struct work {
  void (*step)(size_t);
  size_t bytes;
  pthread_barrier_t done;
};

static void* stay(void* words) {
  struct work* work = words;
  work->step(work->bytes);
  pthread_barrier_wait(&work->done);
  for (;;) pause();
  return NULL;
}

static void in_thread(void (*step)(size_t), size_t bytes) {
  static struct work work;
  work.step = step;
  work.bytes = bytes;
  pthread_barrier_init(&work.done, NULL, 2);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 16 * MIB);
  pthread_t thread;
  pthread_create(&thread, &attributes, stay, &work);
  pthread_barrier_wait(&work.done);
}

static void grow_thread_stack(size_t bytes) { in_thread(use_stack, bytes); }
static void grow_arena(size_t bytes) { in_thread(grow_heap, bytes); }

#ifdef HAS_LIBRARY
static void* library(const char* name) {
  static void* handle;
  if (handle == NULL) {
    char* room =
        mmap(NULL, 64 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* that stays behind the library */
    handle = dlopen(LIBRARY, RTLD_NOW);
    munmap(room, 64 * MIB);
  }
  void* found = handle == NULL ? NULL : dlsym(handle, name);
  if (found == NULL) why = dlerror();
  return found;
}

/* The library's own, without a file. */
static void grow_library(size_t bytes) {
  char* start = library("grown_bss");
  if (start != NULL) touch(start, bytes);
}

/* A mapping that begins where the library's memory ends, so that the kernel makes one of both. */
static void grow_behind_library(size_t bytes) {
  char* (*find_end)(void) = (char* (*)(void))library("grown_end");
  if (find_end == NULL) return;
  char* end = (char*)(((uintptr_t)find_end() + 4095) / 4096 * 4096);
  char* start = map_at(end, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
  if (start == NULL) return;
  if (start != end) why = "the kernel mapped it elsewhere";
  touch(start, bytes);
}
#endif

static const struct {
  const char* name;
  void (*step)(size_t bytes);
} steps[] = {
    {"private", grow_private},   {"untouched", grow_untouched},
    {"returned", grow_returned}, {"populated", grow_populated},
    {"locked", grow_locked},     {"huge", grow_huge},
    {"hugetlb", grow_hugetlb},   {"memfd", grow_memfd},
    {"peer", grow_with_peer},    {"named", grow_named},
    {"sysv", grow_sysv},         {"file", grow_file},
    {"heap", grow_heap},         {"bss", grow_bss},
    {"stack", use_stack},        {"thread_stack", grow_thread_stack},
    {"arena", grow_arena},
#ifdef HAS_LIBRARY
    {"library", grow_library},   {"behind_library", grow_behind_library},
#endif
};

static void run(const char* name, size_t bytes) {
  why = NULL;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
    if (strcmp(steps[i].name, name) != 0) continue;
    steps[i].step(bytes);
    printf(why == NULL ? "done\n" : "refused: %s\n", why);
    return;
  }
  printf("refused: no such step\n");
}

int main(void) {
  char name[32];
  unsigned mib;
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* small pages, whatever this machine's default is */
  puts("ready");
  fflush(stdout);
  while (scanf("%31s %u", name, &mib) == 2) {
    run(name, mib * MIB);
    fflush(stdout);
  }
  if (peer > 0) kill(peer, SIGKILL);
  return 0;
}
