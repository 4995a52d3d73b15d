/* SPDX-License-Identifier: BSD-3-Clause */
#include "fortran/beside.h"

#include <comity/sched_sync.h>
#include <comity/sched_tasks.h>
#include <stdlib.h>
#include <string.h>

/* A call that fails is no figure. */
static void check(comity_status status) {
  if (status != COMITY_OK) abort();
}

static void fiber(void* argument) { (void)argument; }

static comity_status task(void* argument) {
  (void)argument;
  return COMITY_OK;
}

static comity_status part(void* argument, int64_t first, int64_t last) {
  (void)argument;
  (void)first;
  (void)last;
  return COMITY_OK;
}

void tasks_in_c(int number, int turns) {
  comity_sched_mutex mutex = {{0}};
  comity_sched_word word = {{0}};
  comity_sched_fiber spawned = {{0}};
  comity_sched_group group = {{0}};
  int32_t hart = 0;
  int32_t locked = 0;
  uint64_t value = 0;
  for (int i = 0; i < turns; ++i) {
    switch (number) {
      case 1:
        check(comity_sched_hart(&hart));
        break;
      case 2:
        check(comity_sched_mutex_lock(&mutex));
        check(comity_sched_mutex_unlock(&mutex));
        break;
      case 3:
        check(comity_sched_mutex_try_lock(&mutex, &locked));
        check(comity_sched_mutex_unlock(&mutex));
        break;
      case 4:
        check(comity_sched_word_write(&word, 8, 1));
        check(comity_sched_word_read(&word, &value, 1));
        break;
      case 5:
        check(comity_sched_yield());
        break;
      case 6:
        check(comity_sched_spawn(NULL, fiber, NULL, "fiber", &spawned));
        check(comity_sched_join(&spawned));
        break;
      case 7: {
        const comity_sched_range range = {0, 1, 0, COMITY_SCHED_ADAPTIVE};
        check(comity_sched_for(&range, part, NULL));
        break;
      }
      case 8:
        check(comity_sched_group_begin(&group));
        check(comity_sched_task(&group, task, NULL));
        check(comity_sched_group_end(&group));
        break;
      default:
        abort();
    }
  }
}

/* A text of one's own, as Fortran has it. Nobody looks at it, which is not for the compiler to know. */
static void __attribute__((noinline)) text_at(const char* address, char* text, size_t room_bytes) {
  const size_t length_bytes = strlen(address);
  if (length_bytes >= room_bytes) abort();
  memcpy(text, address, length_bytes + 1);
  __asm__ volatile("" : : "r"(text) : "memory");
}

void records_in_c(const comity_record* record, const comity_record_rank* loaded, int number, int turns) {
  const comity_record_job* job = NULL;
  int64_t time_ns = 0;
  char text[256];
  for (int i = 0; i < turns; ++i) {
    switch (number) {
      case 1:
        check(comity_record_time(loaded, 1000, &time_ns));
        break;
      case 2:
        check(comity_record_describe(record, &job));
        break;
      case 3:
        text_at(loaded->facts[0].value, text, sizeof text);
        break;
      default:
        abort();
    }
  }
}
