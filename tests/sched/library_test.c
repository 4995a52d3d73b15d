/* SPDX-License-Identifier: BSD-3-Clause */
/* libcomity_sched from C: everything once, and every wrong call gets its code. */
#include <comity/comity.h>
#include <comity/sched.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what, int line) {
  if (holds) return;
  ++failures;
  fprintf(stderr, "FAIL line %d: %s (%s)\n", line, what, comity_last_error());
}
#define EXPECT(holds) expect(holds, #holds, __LINE__)
#define EXPECT_STATUS(call, status) expect((call) == (status), #call " gives " #status, __LINE__)
#define EXPECT_OK(call) EXPECT_STATUS(call, COMITY_OK)

enum { kTasks = 100 };

/* --- tasks --- */

static int64_t fib(int n);
struct fib_of {
  int n;
  int64_t* result;
};
static comity_status fib_task(void* closure, comity_sched_group* group) {
  struct fib_of mine;
  (void)group;
  memcpy(&mine, closure, sizeof mine);
  *mine.result = fib(mine.n);
  return COMITY_OK;
}
static const comity_sched_closure kFib = {fib_task, NULL};

static int64_t fib(int n) {
  comity_sched_group group;
  int64_t left = 0, right = 0;
  struct fib_of half = {n - 1, NULL};
  if (n < 2) return n;
  half.result = &left;
  EXPECT_OK(comity_sched_group_begin(&group));
  EXPECT_OK(comity_sched_task_closure(&group, &kFib, &half, sizeof half, 0));
  right = fib(n - 2);
  EXPECT_OK(comity_sched_group_end(&group));
  return left + right;
}

static comity_sched_mutex another_mutex;
static comity_sched_mutex the_mutex;
static int counted = 0;

static comity_status count_one(void* argument) {
  (void)argument;
  EXPECT_OK(comity_sched_mutex_lock(&the_mutex));
  ++counted;
  EXPECT_OK(comity_sched_yield());
  EXPECT_OK(comity_sched_mutex_unlock(&the_mutex));
  return COMITY_OK;
}
static comity_status refuse(void* argument) {
  (void)argument;
  return COMITY_ERR_NOT_FOUND;
}

static int ended = 0;
struct large {
  char bytes[1000];
};
static comity_status look_at_large(void* closure, comity_sched_group* group) {
  struct large mine;
  int32_t cancelled = -1;
  memcpy(&mine, closure, sizeof mine);
  EXPECT(mine.bytes[999] == 'z');
  EXPECT_OK(comity_sched_group_cancelled(group, &cancelled));
  EXPECT(cancelled == 0);
  return COMITY_OK;
}
static void end_closure(void* closure) {
  (void)closure;
  __atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}
static const comity_sched_closure kLarge = {look_at_large, end_closure};

static comity_status never(void* closure, comity_sched_group* group) {
  (void)closure, (void)group;
  EXPECT(!"a task of a group that was cancelled ran");
  return COMITY_OK;
}
static const comity_sched_closure kNever = {never, end_closure};

static void try_groups(void) {
  comity_sched_group group;
  struct large large;
  int32_t cancelled = -1, node = -1;
  memset(&group, 0, sizeof group);
  EXPECT_STATUS(comity_sched_task(&group, count_one, NULL), COMITY_ERR_HANDLE);
  EXPECT_STATUS(comity_sched_group_wait(&group), COMITY_ERR_HANDLE);
  EXPECT_STATUS(comity_sched_group_wait(NULL), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_group_begin(NULL), COMITY_ERR_ARGUMENT);

  EXPECT_OK(comity_sched_group_begin(&group));
  for (int i = 0; i < kTasks; ++i) EXPECT_OK(comity_sched_task(&group, count_one, NULL));
  EXPECT_OK(comity_sched_group_wait(&group));
  EXPECT(counted == kTasks);
  EXPECT_STATUS(comity_sched_task(&group, NULL, NULL), COMITY_ERR_ARGUMENT);

  EXPECT_OK(comity_sched_task(&group, refuse, NULL));
  EXPECT_STATUS(comity_sched_group_wait(&group), COMITY_ERR_NOT_FOUND);
  EXPECT_OK(comity_sched_group_cancelled(&group, &cancelled));
  EXPECT(cancelled == 0);

  memset(&large, 'z', sizeof large);
  EXPECT_OK(comity_sched_task_closure(&group, &kLarge, &large, sizeof large, 0));
  memset(&large, 'a', sizeof large);
  EXPECT_OK(comity_sched_group_wait(&group));
  EXPECT(ended == 1);
  EXPECT_STATUS(comity_sched_task_closure(&group, &kLarge, NULL, 8, 0), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_task_closure(&group, NULL, &large, 8, 0), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_task_closure(&group, &kLarge, &large, (size_t)2 << 20, 0), COMITY_ERR_RANGE);

  memset(&large, 'z', sizeof large);
  EXPECT_OK(comity_sched_node_of(0, &node));
  EXPECT_OK(comity_sched_task_on(&group, node, &kLarge, &large, sizeof large));
  EXPECT_OK(comity_sched_task_movable(&group, &kLarge, &large, sizeof large));
  EXPECT_OK(comity_sched_group_wait(&group));
  EXPECT(ended == 3);
  EXPECT_STATUS(comity_sched_task_on(&group, 4711, &kLarge, &large, sizeof large), COMITY_ERR_RANGE);
  EXPECT_STATUS(comity_sched_task_on(&group, node, NULL, &large, sizeof large), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_task_movable(&group, &kLarge, NULL, 8), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_node_of(-1, &node), COMITY_ERR_RANGE);
  EXPECT_STATUS(comity_sched_node_of(0, NULL), COMITY_ERR_ARGUMENT);
  EXPECT(ended == 3);

  EXPECT_OK(comity_sched_group_cancel(&group));
  EXPECT_OK(comity_sched_task_closure(&group, &kNever, &large, 8, 0));
  EXPECT_OK(comity_sched_task_closure(&group, &kNever, &large, sizeof large, 3));
  EXPECT_OK(comity_sched_group_end(&group));
  EXPECT(ended == 5);
  EXPECT_STATUS(comity_sched_group_end(&group), COMITY_ERR_HANDLE);
}

static int order[3];
static int ordered = 0;
static comity_status note(void* closure, comity_sched_group* group) {
  int which = 0;
  (void)group;
  memcpy(&which, closure, sizeof which);
  order[ordered++] = which;
  return COMITY_OK;
}
static const comity_sched_closure kNote = {note, NULL};

static void try_dependences(void) {
  static int data;
  const comity_sched_access writes = {&data, 1}, reads = {&data, 0};
  comity_sched_group group;
  EXPECT_OK(comity_sched_group_begin(&group));
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(comity_sched_task_after(&group, i == 2 ? &reads : &writes, 1, &kNote, &i, sizeof i));
  }
  EXPECT_STATUS(comity_sched_task_after(&group, NULL, 1, &kNote, &data, sizeof data), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_task_after(&group, &reads, -1, &kNote, &data, sizeof data), COMITY_ERR_RANGE);
  EXPECT_OK(comity_sched_group_end(&group));
  EXPECT(order[0] == 0 && order[1] == 1 && order[2] == 2);
}

/* --- loops --- */

static comity_status mark(void* argument, int64_t first, int64_t last) {
  unsigned char* const marks = argument;
  for (int64_t i = first; i < last; ++i) ++marks[i];
  return COMITY_OK;
}
static comity_status refuse_part(void* argument, int64_t first, int64_t last) {
  (void)argument;
  return first <= 500 && 500 < last ? COMITY_ERR_PEER_LOST : COMITY_OK;
}
static comity_status add(void* argument, int64_t first, int64_t last, void* value) {
  (void)argument;
  for (int64_t i = first; i < last; ++i) *(int64_t*)value += i;
  return COMITY_OK;
}
static void combine(void* argument, void* left, const void* right) {
  (void)argument;
  *(int64_t*)left += *(const int64_t*)right;
}

static void try_loops(void) {
  enum { kSize = 10007 };
  static unsigned char marks[kSize];
  for (int32_t schedule = COMITY_SCHED_ADAPTIVE; schedule <= COMITY_SCHED_GUIDED; ++schedule) {
    for (int64_t grain = 0; grain < 30; grain += 13) {
      const comity_sched_range range = {0, kSize, grain, schedule};
      int missed = 0;
      memset(marks, 0, sizeof marks);
      EXPECT_OK(comity_sched_for(&range, mark, marks));
      for (int i = 0; i < kSize; ++i) missed += marks[i] != 1;
      EXPECT(missed == 0);
      EXPECT_STATUS(comity_sched_for(&range, refuse_part, NULL), COMITY_ERR_PEER_LOST);
    }
  }
  const comity_sched_range empty = {7, 7, 0, COMITY_SCHED_STATIC}, wrong = {0, 7, -1, 0}, none = {0, 7, 0, 9};
  EXPECT_OK(comity_sched_for(&empty, refuse_part, NULL));
  EXPECT_STATUS(comity_sched_for(&wrong, mark, marks), COMITY_ERR_RANGE);
  EXPECT_STATUS(comity_sched_for(&none, mark, marks), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_for(NULL, mark, marks), COMITY_ERR_ARGUMENT);

  const int64_t zero = 0;
  int64_t sum = -1;
  const comity_sched_range range = {0, kSize, 0, COMITY_SCHED_ADAPTIVE};
  const comity_sched_reduction reduction = {sizeof sum, &zero, add, combine};
  const comity_sched_reduction huge = {5000, &zero, add, combine};
  for (int32_t schedule = COMITY_SCHED_ADAPTIVE; schedule <= COMITY_SCHED_GUIDED; ++schedule) {
    for (int64_t grain = 0; grain < 30; grain += 13) {
      const comity_sched_range some = {0, kSize, grain, schedule};
      sum = -1;
      EXPECT_OK(comity_sched_reduce(&some, &reduction, NULL, &sum));
      EXPECT(sum == (int64_t)kSize * (kSize - 1) / 2);
    }
  }
  EXPECT_STATUS(comity_sched_reduce(&none, &reduction, NULL, &sum), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_reduce(&range, &huge, NULL, &sum), COMITY_ERR_RANGE);
}

/* --- waiting --- */

static comity_sched_future the_future;
static comity_sched_word the_word;
static comity_sched_channel the_channel;
static comity_sched_semaphore the_semaphore;
static comity_sched_barrier the_barrier;
static comity_sched_condition the_condition;
static int stage = 0;

static void other_side(void* argument) {
  int32_t open = 0;
  uint64_t value = 0;
  (void)argument;
  EXPECT_OK(comity_sched_future_get(&the_future, &value));
  EXPECT(value == 42);
  EXPECT_OK(comity_sched_word_read(&the_word, &value, 1));
  EXPECT(value == 7);
  for (int i = 0; i < 5; ++i) EXPECT_OK(comity_sched_channel_send(&the_channel, &i, &open));
  EXPECT_OK(comity_sched_channel_close(&the_channel));
  EXPECT_OK(comity_sched_channel_send(&the_channel, &stage, &open));
  EXPECT(open == 0);
  EXPECT_OK(comity_sched_semaphore_acquire(&the_semaphore));
  EXPECT_OK(comity_sched_mutex_lock(&the_mutex));
  stage = 1;
  EXPECT_OK(comity_sched_condition_notify(&the_condition, 1));
  EXPECT_OK(comity_sched_mutex_unlock(&the_mutex));
  EXPECT_OK(comity_sched_barrier_wait(&the_barrier, NULL));
}
static void* in_a_thread(void* argument) {
  EXPECT_OK(comity_sched_future_set(&the_future, 42));
  return argument;
}

static void try_waiting(void) {
  comity_sched_fiber fiber;
  pthread_t thread;
  int32_t there = -1, open = -1, locked = -1;
  int memory[2], received = -1;
  const comity_sched_wait_name name = {"the stage", &stage, NULL}, nameless = {NULL, &stage, NULL};
  EXPECT_STATUS(comity_sched_semaphore_acquire(&the_semaphore), COMITY_ERR_HANDLE);
  EXPECT_STATUS(comity_sched_barrier_wait(&the_barrier, NULL), COMITY_ERR_HANDLE);
  EXPECT_STATUS(comity_sched_semaphore_begin(&the_semaphore, -1), COMITY_ERR_RANGE);
  EXPECT_STATUS(comity_sched_barrier_begin(&the_barrier, 0), COMITY_ERR_RANGE);
  EXPECT_STATUS(comity_sched_channel_begin(&the_channel, memory, 0, 2), COMITY_ERR_RANGE);
  EXPECT_OK(comity_sched_semaphore_begin(&the_semaphore, 0));
  EXPECT_OK(comity_sched_barrier_begin(&the_barrier, 2));
  EXPECT_OK(comity_sched_channel_begin(&the_channel, memory, sizeof memory[0], 2));
  EXPECT_OK(comity_sched_future_test(&the_future, &there));
  EXPECT(there == 0);

  EXPECT_OK(comity_sched_spawn(NULL, other_side, NULL, "other side", &fiber));
  EXPECT(pthread_create(&thread, NULL, in_a_thread, NULL) == 0);
  EXPECT_OK(comity_sched_future_get(&the_future, NULL));
  EXPECT_STATUS(comity_sched_future_set(&the_future, 1), COMITY_ERR_ORDER);
  EXPECT_OK(comity_sched_word_write(&the_word, 7, 1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_OK(comity_sched_channel_receive(&the_channel, &received, &open));
    EXPECT(open == 1 && received == i);
  }
  EXPECT_OK(comity_sched_channel_receive(&the_channel, &received, &open));
  EXPECT(open == 0);
  EXPECT_OK(comity_sched_mutex_lock(&the_mutex));
  EXPECT_STATUS(comity_sched_mutex_lock(&the_mutex), COMITY_ERR_ORDER);
  EXPECT_OK(comity_sched_mutex_try_lock(&the_mutex, &locked));
  EXPECT(locked == 0);
  EXPECT_STATUS(comity_sched_mutex_try_lock(&another_mutex, NULL), COMITY_ERR_ARGUMENT);
  EXPECT_OK(comity_sched_mutex_try_lock(&another_mutex, &locked)); /* it was not locked by the call that failed */
  EXPECT(locked == 1);
  EXPECT_OK(comity_sched_mutex_unlock(&another_mutex));
  EXPECT_OK(comity_sched_semaphore_release(&the_semaphore));
  while (stage == 0) EXPECT_OK(comity_sched_condition_wait_as(&the_condition, &the_mutex, &name));
  EXPECT_OK(comity_sched_mutex_unlock(&the_mutex));
  EXPECT_STATUS(comity_sched_mutex_unlock(&the_mutex), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_condition_wait(&the_condition, &the_mutex), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_condition_wait_as(&the_condition, &the_mutex, &name), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_condition_wait_as(&the_condition, &the_mutex, NULL), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_condition_wait_as(&the_condition, &the_mutex, &nameless), COMITY_ERR_ARGUMENT);
  EXPECT_OK(comity_sched_barrier_wait(&the_barrier, NULL));
  EXPECT_OK(comity_sched_join(&fiber));
  EXPECT_STATUS(comity_sched_join(&fiber), COMITY_ERR_HANDLE);
  EXPECT(pthread_join(thread, NULL) == 0);
}

/* --- harts, teams, schedulers --- */

static comity_status member(void* argument, int32_t which) {
  unsigned char* const marks = argument;
  ++marks[which];
  return which == 3 ? COMITY_ERR_RANGE : COMITY_OK;
}

static void in_round_robin(void* argument) { *(int64_t*)argument = fib(10); /* tasks are fibers there */ }

/* One's own: one list, in which what has run is its hart's and what is new anybody's. */
enum { kAnybodys = -1 };
struct own_entry {
  comity_sched_runnable* fiber;
  int32_t hart;
};
struct own {
  struct own_entry entries[16];
  int32_t count, granted, requested, returned, entered, exited, blocked, finished;
  comity_sched_child* child; /* that began last */
  pthread_mutex_t mutex;
};
static void own_put(struct own* own, int32_t hart, comity_sched_runnable* fiber) {
  const struct own_entry entry = {fiber, hart};
  pthread_mutex_lock(&own->mutex);
  own->entries[own->count++] = entry;
  pthread_mutex_unlock(&own->mutex);
}
static int own_may(const struct own_entry* entry, int32_t hart) {
  return entry->hart == hart || entry->hart == kAnybodys;
}
static void own_made(void* self, int32_t hart, comity_sched_runnable* fiber) {
  (void)hart;
  own_put(self, kAnybodys, fiber);
}
static void own_ready(void* self, int32_t hart, comity_sched_runnable* fiber, int32_t yielded) {
  (void)yielded;
  own_put(self, hart, fiber);
}
static comity_sched_runnable* own_next(void* self, int32_t hart) {
  struct own* const own = self;
  comity_sched_runnable* first = NULL;
  pthread_mutex_lock(&own->mutex);
  for (int32_t i = 0; i < own->count && first == NULL; ++i) {
    if (!own_may(&own->entries[i], hart)) continue;
    first = own->entries[i].fiber;
    --own->count;
    memmove(&own->entries[i], &own->entries[i + 1], (size_t)(own->count - i) * sizeof own->entries[0]);
  }
  pthread_mutex_unlock(&own->mutex);
  return first;
}
static int32_t own_waiting(void* self, int32_t hart) {
  struct own* const own = self;
  int32_t count = 0;
  pthread_mutex_lock(&own->mutex);
  for (int32_t i = 0; i < own->count; ++i) count += own_may(&own->entries[i], hart);
  pthread_mutex_unlock(&own->mutex);
  return count;
}
static void own_blocked(void* self, int32_t hart, comity_sched_runnable* fiber) {
  (void)hart, (void)fiber;
  __atomic_fetch_add(&((struct own*)self)->blocked, 1, __ATOMIC_RELAXED);
}
static void own_finished(void* self, int32_t hart, comity_sched_runnable* fiber) {
  (void)hart, (void)fiber;
  __atomic_fetch_add(&((struct own*)self)->finished, 1, __ATOMIC_RELAXED);
}
static comity_sched_turn own_granted(void* self, int32_t hart, comity_sched_child** child) {
  struct own* const own = self;
  (void)hart;
  EXPECT(*child == NULL);
  __atomic_fetch_add(&own->granted, 1, __ATOMIC_RELAXED);
  *child = own->child;
  return COMITY_SCHED_TURN_CHILDREN;
}
static void own_requested(void* self, comity_sched_child* child, int32_t harts) {
  struct own* const own = self;
  EXPECT(child == own->child);
  if (harts > 0) __atomic_fetch_add(&own->requested, harts, __ATOMIC_RELAXED);
}
static void own_returned(void* self, int32_t hart, comity_sched_child* child) {
  struct own* const own = self;
  (void)hart;
  EXPECT(child == own->child);
  __atomic_fetch_add(&own->returned, 1, __ATOMIC_RELAXED);
}
static void own_child(void* self, comity_sched_child* child, int32_t entered) {
  struct own* const own = self;
  if (entered == 1) {
    ++own->entered;
    own->child = child;
  } else {
    EXPECT(child == own->child);
    ++own->exited;
  }
}
static const comity_sched_callbacks kOwn = {own_made,     own_ready,   own_next,      own_waiting,  own_blocked,
                                            own_finished, own_granted, own_requested, own_returned, own_child};

static void with_a_child(void* argument) {
  struct own* const own = argument;
  comity_sched_scheduler* below = NULL;
  comity_sched_child* child = NULL;
  comity_sched_fiber fiber;
  int64_t result = 0;
  EXPECT_OK(comity_sched_enter(COMITY_SCHED_ROUND_ROBIN, &below));
  EXPECT_OK(comity_sched_child_of(below, &child));
  EXPECT(child == own->child && own->entered == 1 && own->exited == 0);
  EXPECT_OK(comity_sched_spawn(below, in_round_robin, &result, NULL, &fiber));
  EXPECT_OK(comity_sched_join(&fiber));
  EXPECT(result == 55);
  EXPECT_OK(comity_sched_leave(&below));
  EXPECT(own->exited == 1 && own->requested >= 1 && own->returned >= 1);
  own->child = NULL;
}

static void try_own_scheduler(void) {
  static struct own own;
  comity_sched_callbacks lacking = kOwn;
  comity_sched_scheduler* mine = NULL;
  comity_sched_child* child = NULL;
  comity_sched_fiber fiber;
  memset(&own, 0, sizeof own);
  pthread_mutex_init(&own.mutex, NULL);
  lacking.next = NULL;
  EXPECT_STATUS(comity_sched_enter_own(NULL, &own, &mine), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_enter_own(&lacking, &own, &mine), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_enter_own(&kOwn, &own, NULL), COMITY_ERR_ARGUMENT);
  EXPECT_OK(comity_sched_enter_own(&kOwn, &own, &mine));
  EXPECT_STATUS(comity_sched_child_of(mine, NULL), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_child_of(NULL, &child), COMITY_ERR_ARGUMENT);
  EXPECT(comity_sched_child_wants(NULL) == 0);
  EXPECT_OK(comity_sched_spawn(mine, with_a_child, &own, "parent", &fiber));
  EXPECT_OK(comity_sched_join(&fiber));
  EXPECT(own.granted >= 1 && own.blocked >= 1 && own.finished == 1 && own.count == 0);
  EXPECT_OK(comity_sched_leave(&mine));
  EXPECT_STATUS(comity_sched_child_of(mine, &child), COMITY_ERR_ARGUMENT);
  pthread_mutex_destroy(&own.mutex);
}

static void try_harts(void) {
  comity_sched_stack_count stacks;
  int32_t cpu = -1;
  EXPECT_OK(comity_sched_cpu_of(0, &cpu));
  EXPECT_STATUS(comity_sched_cpu_of(0, NULL), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_cpu_of(-1, &cpu), COMITY_ERR_RANGE);
  EXPECT_OK(comity_sched_want(cpu, 1));
  EXPECT_OK(comity_sched_want(cpu, 0));
  EXPECT_STATUS(comity_sched_want(cpu, 0), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_want(-1, 1), COMITY_ERR_RANGE);
  EXPECT_OK(comity_sched_stacks(&stacks));
  EXPECT(stacks.made >= stacks.in_use && stacks.most_in_use >= stacks.in_use && stacks.in_use >= 1);
  EXPECT_STATUS(comity_sched_stacks(NULL), COMITY_ERR_ARGUMENT);
}

static void try_schedulers(void) {
  unsigned char marks[5] = {0};
  int32_t harts = 0, given = 0, hart = -2;
  int64_t result = 0;
  comity_sched_scheduler *fair = NULL, *gone = NULL;
  comity_sched_fiber fiber;
  EXPECT_STATUS(comity_sched_team(5, member, marks), COMITY_ERR_RANGE);
  EXPECT(marks[0] == 1 && marks[4] == 1);
  EXPECT_STATUS(comity_sched_team(-1, member, marks), COMITY_ERR_RANGE);
  EXPECT_OK(comity_sched_harts(&harts));
  EXPECT(harts >= 1);
  EXPECT_OK(comity_sched_hart(&hart));
  EXPECT(hart >= 0 && hart < harts);
  EXPECT_OK(comity_sched_given(&given));
  EXPECT(given >= 1 && given <= harts);
  EXPECT_STATUS(comity_sched_own_thread(refuse, NULL), COMITY_ERR_NOT_FOUND);
  EXPECT_STATUS(comity_sched_own_thread(NULL, NULL), COMITY_ERR_ARGUMENT);
  EXPECT_STATUS(comity_sched_request(harts + 1), COMITY_ERR_RANGE);
  EXPECT_OK(comity_sched_request(1));
  EXPECT_OK(comity_sched_request(-1));

  EXPECT_STATUS(comity_sched_enter(COMITY_SCHED_BY_OPTION, &fair), COMITY_ERR_ARGUMENT);
  EXPECT_OK(comity_sched_enter(COMITY_SCHED_ROUND_ROBIN, &fair));
  EXPECT_OK(comity_sched_spawn(fair, in_round_robin, &result, NULL, &fiber));
  EXPECT_OK(comity_sched_join(&fiber));
  EXPECT(result == 55);
  result = 0;
  EXPECT_OK(comity_sched_spawn_movable(fair, in_round_robin, &result, "mover", &fiber));
  EXPECT_OK(comity_sched_join(&fiber));
  EXPECT(result == 55);
  EXPECT_STATUS(comity_sched_spawn_movable(fair, NULL, NULL, NULL, NULL), COMITY_ERR_ARGUMENT);
  gone = fair;
  EXPECT_OK(comity_sched_leave(&fair));
  EXPECT(fair == NULL);
  EXPECT_OK(comity_sched_leave(&fair));
  EXPECT_STATUS(comity_sched_leave(&gone), COMITY_ERR_HANDLE);
  EXPECT_STATUS(comity_sched_spawn(gone, in_round_robin, &result, NULL, &fiber), COMITY_ERR_HANDLE);
}

static comity_status all(void* argument) {
  (void)argument;
  EXPECT(fib(15) == 610);
  try_groups();
  try_dependences();
  try_loops();
  try_waiting();
  try_schedulers();
  try_own_scheduler();
  try_harts();
  return COMITY_ERR_NOT_FOUND; /* comes out of comity_sched_run */
}

int main(void) {
  comity_sched_options options;
  comity_sched_group group;
  int32_t harts = -1;
  memset(&options, 0, sizeof options);
  EXPECT_OK(comity_sched_harts(&harts));
  EXPECT(harts == 0);
  EXPECT_STATUS(comity_sched_run(all, NULL), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_stop(), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_yield(), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_node_of(0, &harts), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_own_thread(all, NULL), COMITY_ERR_ORDER);
  EXPECT_STATUS(comity_sched_group_begin(&group), COMITY_ERR_ORDER);
  options.stack_bytes = 100;
  EXPECT_STATUS(comity_sched_start(&options), COMITY_ERR_RANGE);
  options.stack_bytes = 0;
  options.harts = -1;
  EXPECT_STATUS(comity_sched_start(&options), COMITY_ERR_RANGE);
  options.harts = 0;
  options.scheduler = 77;
  EXPECT_STATUS(comity_sched_start(&options), COMITY_ERR_ARGUMENT);

  for (int round = 0; round < 3; ++round) {
    options.scheduler = round == 2 ? COMITY_SCHED_ROUND_ROBIN : COMITY_SCHED_BY_OPTION;
    EXPECT_OK(comity_sched_start(&options));
    EXPECT_STATUS(comity_sched_start(NULL), COMITY_ERR_ORDER);
    EXPECT_STATUS(comity_sched_group_begin(&group), COMITY_ERR_ORDER);
    if (round != 1) {
      memset(&the_future, 0, sizeof the_future);
      memset(&the_semaphore, 0, sizeof the_semaphore);
      memset(&the_barrier, 0, sizeof the_barrier);
      counted = ended = ordered = stage = 0;
      EXPECT_STATUS(comity_sched_run(all, NULL), COMITY_ERR_NOT_FOUND);
    }
    EXPECT_OK(comity_sched_stop());
  }
  return failures == 0 ? 0 : 1;
}
