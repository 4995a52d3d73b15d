// SPDX-License-Identifier: BSD-3-Clause
// Epochs: by fences, by posts and starts, under locks of one target or of all. Behind each all ranks compare their memory.
#include "operations.h"

#include "../kinds.h"

enum { kEpochs = 3, kApart_us = 20, kLate_us = 300 };

// Whom each rank works on, and who on it.
struct Reach {
  int is_of_all;
  int targets[kRanks], origins[kRanks];
  int target_count, origin_count;
};

static int some_rank(const struct Memory* m, int step) { return (m->rank + step) % m->ranks; }

static void add_all(struct Reach* reach, const struct Memory* m) {
  for (int i = 0; i < m->ranks; ++i) {  // each begins with itself
    reach->targets[reach->target_count++] = some_rank(m, i);
    reach->origins[reach->origin_count++] = i;
  }
}

static struct Reach some_reach(const struct Memory* m) {
  struct Reach reach = {.is_of_all = draw(2)};
  const int step = draw(m->ranks);
  if (reach.is_of_all) {
    add_all(&reach, m);
  } else {
    reach.targets[reach.target_count++] = some_rank(m, step);
    reach.origins[reach.origin_count++] = some_rank(m, m->ranks - step);
  }
  return reach;
}

// Every other rank works on the others.
static struct Reach reach_of_halves(const struct Memory* m) {
  struct Reach reach = {0};
  for (int i = 0; i < m->ranks; ++i) {
    if (m->rank % 2 == 0 && i % 2 != 0) reach.targets[reach.target_count++] = i;
    if (m->rank % 2 != 0 && i % 2 == 0) reach.origins[reach.origin_count++] = i;
  }
  return reach;
}

static void work_on_all(const struct Memory* m, const struct Work* work, const struct Reach* reach) {
  for (int i = 0; i < reach->target_count; ++i) work_on(m, work, reach->targets[i], i, reach->is_of_all);
}

static void end(struct Memory* m, const struct Work* work, const struct Reach* reach) {
  add_work(m, work, reach->targets, reach->target_count, reach->is_of_all);
}

static void fences(struct Memory* m, int round) {
  const int more = draw(2), begins = draw(2) ? MPI_MODE_NOPRECEDE : 0;
  add_code(MPI_Win_fence(begins, m->window));
  for (int i = 0; i <= more; ++i) {
    const struct Work work = some_work();
    const struct Reach reach = some_reach(m);
    fill_work(reach.target_count, round);
    be_late();
    work_on_all(m, &work, &reach);
    be_late();
    add_code(MPI_Win_fence(i == more ? MPI_MODE_NOSUCCEED : 0, m->window));
    end(m, &work, &reach);
    add_memory(m);
    MPI_Barrier(m->comm);
  }
}

static MPI_Group group_of(const struct Memory* m, const int ranks[], int count) {
  MPI_Group all, some;
  MPI_Win_get_group(m->window, &all);
  MPI_Group_incl(all, count, ranks, &some);
  MPI_Group_free(&all);
  return some;
}

static void end_exposure(const struct Memory* m, int is_asked) {
  int over = 0;
  if (!is_asked) add_code(MPI_Win_wait(m->window));
  while (is_asked && !over) {
    const int code = MPI_Win_test(m->window, &over);
    add_failure(code);
    if (code != MPI_SUCCESS) return;
    if (!over) usleep(kApart_us);
  }
}

// That a target has posted. Open MPI 4.1 then counts on from the epoch before who is done with it, and waits for ever.
static int may_be_told(int drawn) {
#ifdef OPEN_MPI
  return 0 * drawn;
#else
  return drawn;
#endif
}

static void posts(struct Memory* m, int round) {
  const struct Work work = some_work();
  const int in_halves = draw(3) == 0, is_asked = draw(2), posted_before = may_be_told(draw(3) == 0);
  const int last = draw(m->ranks);  // whom the others wait for
  const struct Reach drawn = some_reach(m), reach = in_halves && m->ranks > 1 ? reach_of_halves(m) : drawn;
  MPI_Group origins = group_of(m, reach.origins, reach.origin_count);
  MPI_Group targets = group_of(m, reach.targets, reach.target_count);
  fill_work(reach.target_count, round);
  be_late();
  if (reach.origin_count > 0) add_code(MPI_Win_post(origins, posted_before ? MPI_MODE_NOCHECK : 0, m->window));
  if (posted_before) MPI_Barrier(m->comm);
  be_late();
  if (reach.target_count > 0) {
    add_code(MPI_Win_start(targets, posted_before ? MPI_MODE_NOCHECK : 0, m->window));
    if (m->rank == last) usleep(kLate_us);
    work_on_all(m, &work, &reach);
    add_code(MPI_Win_complete(m->window));
  }
  if (reach.origin_count > 0) end_exposure(m, is_asked);
  MPI_Group_free(&origins);
  MPI_Group_free(&targets);
  end(m, &work, &reach);
  add_memory(m);
  MPI_Barrier(m->comm);
}

// Returns whether all of it is done at the target.
static int flush(const struct Memory* m, int target, int how) {
  if (how == 1) add_code(MPI_Win_flush(target, m->window));
  if (how == 2) add_code(MPI_Win_flush_all(m->window));
  if (how == 3) add_code(MPI_Win_flush_local(target, m->window));
  if (how == 4) add_code(MPI_Win_flush_local_all(m->window));
  return how == 1 || how == 2;
}

// Of locks that are several ranks' at once Open MPI 4.1 never gives some, where it has four ranks.
static int may_contend(const struct Memory* m) {
#ifdef OPEN_MPI
  return m->ranks <= 2;
#else
  return m->ranks > 0;
#endif
}

static void locks_of_one(struct Memory* m, const struct Work* work, const struct Reach* reach) {
  const int is_exclusive = draw(2), how = draw(5);
  for (int i = 0; i < reach->target_count; ++i) {
    const int target = reach->targets[i];
    const int kind = is_exclusive && (may_contend(m) || !reach->is_of_all) ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED;
    add_code(MPI_Win_lock(kind, target, 0, m->window));
    work_on(m, work, target, i, reach->is_of_all);
    if (flush(m, target, how)) get_again(m, work, target, i);
    add_code(MPI_Win_unlock(target, m->window));
  }
}

static void locks_of_all(struct Memory* m, const struct Work* work, const struct Reach* reach) {
  const int how = draw(5), is_checked = draw(3);
  add_code(MPI_Win_lock_all(is_checked ? 0 : MPI_MODE_NOCHECK, m->window));
  for (int i = 0; i < reach->target_count; ++i) {
    work_on(m, work, reach->targets[i], i, reach->is_of_all);
    if (flush(m, reach->targets[i], how)) get_again(m, work, reach->targets[i], i);
  }
  be_late();
  add_code(MPI_Win_unlock_all(m->window));
}

static void locks(struct Memory* m, int round) {
  const struct Work work = some_work();
  const struct Reach reach = some_reach(m);
  const int of_all = draw(2);
  fill_work(reach.target_count, round);
  be_late();
  (of_all ? locks_of_all : locks_of_one)(m, &work, &reach);
  end(m, &work, &reach);
  add_memory_under_lock(m);
}

static void (*const kWays[])(struct Memory*, int) = {fences, posts, locks};

void window_epochs(int round) {
  if (!has_windows()) return;
  struct Memory memory = some_memory();
  for (int i = 0; i < kEpochs; ++i) kWays[draw((int)(sizeof kWays / sizeof kWays[0]))](&memory, round * kEpochs + i);
  free_memory(&memory);
}
