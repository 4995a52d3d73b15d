/* SPDX-License-Identifier: BSD-3-Clause */
/* Tasks without anything else. */
#include <comity/sched.h>
#include <stdio.h>

static comity_status count(void* argument, int64_t first, int64_t last) {
  __atomic_fetch_add((int64_t*)argument, last - first, __ATOMIC_RELAXED);
  return COMITY_OK;
}

static comity_status work(void* argument) {
  const comity_sched_range range = {0, 1000, 0, COMITY_SCHED_ADAPTIVE};
  return comity_sched_for(&range, count, argument);
}

int main(void) {
  int64_t counted = 0;
  if (comity_sched_start(NULL) != COMITY_OK || comity_sched_run(work, &counted) != COMITY_OK ||
      comity_sched_stop() != COMITY_OK) {
    fprintf(stderr, "%s\n", comity_last_error());
    return 1;
  }
  printf("tasks: %d counted\n", (int)counted);
  return 0;
}
