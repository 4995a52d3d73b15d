// SPDX-License-Identifier: BSD-3-Clause
// Linked into an executable: lets GNU's OpenMP count all CPUs that the process may use. It counts once, in its
// constructor, so the mask is wide from before the first constructor of a shared library (the executable's preinit array)
// until after the last one (the executable's own first constructor). Where something is amiss the process stays as the
// launcher started it.
#include <comity/start.h>
#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  unsigned long words[8192 / (8 * sizeof(unsigned long))];  // as many CPUs as Linux can have
} mask;

// What the link option asks for, so that the linker takes this object from its archive.
extern const int comity_start;
const int comity_start = 1;

static mask launched;  // the launcher's
static mask widest;    // what the kernel allows
static int is_wide;

static int read_mask(pid_t thread, mask* found) {
  memset(found, 0, sizeof(*found));
  return sched_getaffinity(thread, sizeof(*found), (cpu_set_t*)found) < 0 ? -1 : 0;
}

static int write_mask(pid_t thread, const mask* wanted) {
  return sched_setaffinity(thread, sizeof(*wanted), (const cpu_set_t*)wanted);
}

static int same(const mask* a, const mask* b) { return memcmp(a, b, sizeof(*a)) == 0; }

static int count(const mask* counted) { return CPU_COUNT_S(sizeof(*counted), (const cpu_set_t*)counted); }

// The C library's own view of the environment is not there yet when the first constructor has not run.
static int has(char** environment, const char* name) {
  const size_t length = strlen(name);
  for (; *environment != NULL; ++environment) {
    if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') return 1;
  }
  return 0;
}

// Then the runtime pins threads from within its constructor, and the ranks of a node would all sit on the same CPUs.
static int pins_by_itself(char** environment) {
  static const char* const policies[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"};
  for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); ++i) {
    if (has(environment, policies[i])) return 1;
  }
  return 0;
}

static void widen(int argc, char** argv, char** environment) {
  (void)argc;
  (void)argv;
  if (pins_by_itself(environment) || read_mask(0, &launched) < 0) return;
  mask all;
  memset(&all, 0xff, sizeof(all));
  if (write_mask(0, &all) < 0) return;  // the kernel leaves out what the process may not use
  is_wide = read_mask(0, &widest) == 0 && !same(&widest, &launched);
  if (!is_wide) (void)write_mask(0, &launched);
}

// A thread that somebody has bound meanwhile stays where it is.
static void narrow_thread(pid_t thread) {
  mask now;
  if (read_mask(thread, &now) == 0 && same(&now, &widest)) (void)write_mask(thread, &launched);
}

// The constructors of other libraries may have started threads.
static void narrow_threads(void) {
  narrow_thread(0);
  DIR* const tasks = opendir("/proc/self/task");
  if (tasks == NULL) return;
  for (const struct dirent* task = readdir(tasks); task != NULL; task = readdir(tasks)) {
    const int thread = atoi(task->d_name);
    if (thread > 0) narrow_thread(thread);
  }
  (void)closedir(tasks);
}

// Regions outside of phases stay as wide as the launcher meant, unless the user said how wide.
static void narrow_team(void) {
  void* const runtime = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (runtime == NULL) return;
  void (*set_threads)(int) = NULL;
  *(void**)&set_threads = dlsym(runtime, "omp_set_num_threads");
  if (set_threads != NULL && getenv("OMP_NUM_THREADS") == NULL) set_threads(count(&launched));
  (void)dlclose(runtime);
}

// Before all other constructors of the executable.
__attribute__((constructor(101))) static void narrow(void) {
  if (!is_wide) return;
  narrow_threads();
  narrow_team();
  (void)comity_start_counted(count(&widest));
}

__attribute__((section(".preinit_array"), used)) static void (*const before_all)(int, char**, char**) = widen;
