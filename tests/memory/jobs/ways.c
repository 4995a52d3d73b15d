/* SPDX-License-Identifier: BSD-3-Clause */
/* Jobs of two ranks in which memory becomes resident, and goes, in each way that there is: the words say which. A library of that way's name has
   asked for the memory; the program, a thread, the kernel or the other rank touches it. What the machine refuses is told by a line. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

#define MEGA ((size_t)1 << 20)
#define BYTES (8 * MEGA)
#define LOCKED (4 * MEGA)
#define GIVEN_BACK (5 * MEGA)
#define HUGE_PAGE (2 * MEGA)
#define SMALL 1000

static int rank;
static const char* way;
static atomic_int* gone; /* ranks that have ended MPI, in the segment of both */

static void end(const char* what) {
  fprintf(stderr, "%s: %s: %s\n", way, what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void refused(const char* what) { printf("refused %s: %s: %s\n", way, what, strerror(errno)); }

static void* of_library(const char* name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/libmemory_of_%s.so", COMITY_TEST_LIBRARIES, way);
  void* const object = dlopen(path, RTLD_NOW);
  void* const function = object == NULL ? NULL : dlsym(object, name);
  if (function == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  return function;
}

static void* allocated(size_t bytes) {
  void* const block = ((void* (*)(size_t))of_library("owner_malloc"))(bytes);
  if (block == NULL) end("malloc");
  return block;
}

/* MAP_FAILED where the kernel refuses. */
static char* try_map(size_t bytes, int flags, int file) {
  return ((char* (*)(size_t, int, int))of_library("owner_map"))(bytes, flags, file);
}

static char* map(size_t bytes, int flags, int file) {
  char* const start = try_map(bytes, flags, file);
  if (start == MAP_FAILED) end("mmap");
  return start;
}

/* Small pages, whatever this machine's default is. */
static char* map_private(void) {
  char* const start = map(BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  madvise(start, BYTES, MADV_NOHUGEPAGE);
  return start;
}

static void read_all(volatile char* start) {
  for (size_t at = 0; at < BYTES; at += 4096) (void)start[at];
}

static int own_file(void) {
  const char* const folder = getenv("TMPDIR");
  char name[4096];
  snprintf(name, sizeof name, "%s/comity-ways-XXXXXX", folder != NULL ? folder : "/tmp");
  const int file = mkstemp(name);
  if (file < 0) end("mkstemp");
  unlink(name);
  char* const page = calloc(1, MEGA);
  for (size_t done = 0; done < BYTES; done += MEGA) {
    if (write(file, page, MEGA) != (ssize_t)MEGA) end("write");
  }
  free(page);
  return file;
}

static void written(void) { memset(map_private(), 1, BYTES); }

static void read_into(void) {
  char* const start = map_private();
  const int zeros = open("/dev/zero", O_RDONLY);
  for (size_t done = 0; done < BYTES; done += MEGA) {
    if (read(zeros, start + done, MEGA) != (ssize_t)MEGA) end("read");
  }
  close(zeros);
}

static void segment(void) { memset(map(BYTES, MAP_SHARED | MAP_ANONYMOUS, -1), 1, BYTES); }
static void populated(void) { (void)map(BYTES, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1); }

static void advised(void) {
  if (madvise(map_private(), BYTES, MADV_POPULATE_WRITE) != 0) refused("madvise");
}

static void locked(void) {
  if (mlock(map_private(), LOCKED) != 0) refused("mlock");
}

static void* write_all(void* start) { return memset(start, 1, BYTES); }

static void by_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, write_all, map_private());
  pthread_join(thread, NULL);
}

static void only_read(void) { read_all(map_private()); }

/* The child shares the pages until somebody writes. */
static void copied(void) {
  char* const start = map_private();
  memset(start, 1, BYTES);
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  memset(start, 2, BYTES / 2);
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static void huge(void) {
  char* start = map(BYTES + HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  start = (char*)(((uintptr_t)start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
  if (madvise(start, BYTES, MADV_HUGEPAGE) != 0) refused("madvise");
  memset(start, 1, BYTES);
}

static void of_file(void) { read_all(map(BYTES, MAP_PRIVATE, own_file())); }

/* Rank 0 has written it, and rank 1 reads it. */
static void of_both(void) {
  char name[64];
  int number = (int)getpid();
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "/dev/shm/comity-ways.%d", number);
  if (rank != 0) MPI_Barrier(MPI_COMM_WORLD);
  const int file = open(name, O_RDWR | (rank == 0 ? O_CREAT | O_EXCL : 0), 0600);
  if (file < 0 || (rank == 0 && ftruncate(file, BYTES) != 0)) end(name);
  char* const start = map(BYTES, MAP_SHARED, file);
  if (rank == 0) memset(start, 0, BYTES);
  if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) read_all(start);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
  gone = (atomic_int*)start;
}

/* As MPIs do where they may: straight from one address space into another. */
static void by_peer(void) {
  char* const start = map_private();
  long long mine[2] = {getpid(), (long long)(uintptr_t)start};
  long long others[2];
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  MPI_Sendrecv(mine, 2, MPI_LONG_LONG, 1 - rank, 0, others, 2, MPI_LONG_LONG, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  char* const page = calloc(1, MEGA);
  for (size_t done = 0; done < BYTES; done += MEGA) {
    struct iovec from = {page, MEGA};
    struct iovec into = {(char*)(uintptr_t)others[1] + done, MEGA};
    if (process_vm_writev((pid_t)others[0], &from, 1, &into, 1, 0) == (ssize_t)MEGA) continue;
    refused("process_vm_writev");
    break;
  }
  free(page);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void by_userfaultfd(void) {
  char* const start = map_private();
  const int file = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY);
  struct uffdio_api api = {.api = UFFD_API, .features = 0};
  struct uffdio_register all = {.range = {(uintptr_t)start, BYTES}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (file < 0) {
    refused("userfaultfd");
    return;
  }
  if (ioctl(file, UFFDIO_API, &api) != 0) {
    refused("UFFDIO_API");
    return;
  }
  if (ioctl(file, UFFDIO_REGISTER, &all) != 0) {
    refused("UFFDIO_REGISTER");
    return;
  }
  char* page = NULL;
  if (posix_memalign((void**)&page, 4096, MEGA) != 0) end("posix_memalign");
  memset(page, 1, MEGA);
  for (size_t done = 0; done < BYTES; done += MEGA) {
    struct uffdio_copy copy = {.dst = (uintptr_t)start + done, .src = (uintptr_t)page, .len = MEGA};
    if (ioctl(file, UFFDIO_COPY, &copy) == 0) continue;
    refused("UFFDIO_COPY");
    break;
  }
  free(page);
  close(file);
}

static void given_back(void) {
  char* const start = map_private();
  memset(start, 1, BYTES);
  MPI_Pcontrol(2); /* all is looked at */
  madvise(start, GIVEN_BACK, MADV_DONTNEED);
}

/* The kernel takes the pages when it needs some: until then they are there. */
static void offered(void) {
  char* const start = map_private();
  memset(start, 1, BYTES);
  if (madvise(start, GIVEN_BACK, MADV_FREE) != 0) refused("madvise");
}

static void unmapped(void) {
  char* const start = map_private();
  memset(start, 1, BYTES);
  munmap(start, BYTES);
}

static void in_hugetlb(void) {
  char* const start = try_map(2 * HUGE_PAGE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1);
  if (start == MAP_FAILED) {
    refused("mmap");
    return;
  }
  memset(start, 1, 2 * HUGE_PAGE);
}

static void block(void) { memset(allocated(BYTES), 1, BYTES); }

static void small_blocks(void) {
  void* (*const allocate)(size_t) = (void* (*)(size_t))of_library("owner_malloc");
  for (size_t done = 0; done < BYTES; done += SMALL) memset(allocate(SMALL), 1, SMALL);
}

static const struct {
  const char* name;
  void (*step)(void);
} ways[] = {
    {"written", written},
    {"read_into", read_into},
    {"segment", segment},
    {"populated", populated},
    {"advised", advised},
    {"locked", locked},
    {"by_thread", by_thread},
    {"only_read", only_read},
    {"copied", copied},
    {"huge", huge},
    {"of_file", of_file},
    {"of_both", of_both},
    {"by_peer", by_peer},
    {"in_hugetlb", in_hugetlb},
    {"given_back", given_back},
    {"offered", offered},
    {"unmapped", unmapped},
    {"block", block},
    {"small_blocks", small_blocks},
    {"by_userfaultfd", by_userfaultfd},
};

/* Pages that both map are halved as long as both live. */
static void wait_for_the_other(void) {
  atomic_fetch_add(gone, 1);
  while (atomic_load(gone) < 2) usleep(1000);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 1; i < count; ++i) {
    way = words[i];
    for (size_t j = 0; j < sizeof ways / sizeof ways[0]; ++j) {
      if (strcmp(ways[j].name, way) == 0) ways[j].step();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  if (gone != NULL) wait_for_the_other();
  return 0;
}
