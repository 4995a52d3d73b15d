// SPDX-License-Identifier: BSD-3-Clause
// shared: windows, a file and two groups, in rounds, each of which one rank begins late; every value that arrives is checked, and that
// handlers of the program's own are told once of what is refused.
// The last line is "shared: N values" from rank 0; where one is wrong the job ends.   shared ROUNDS FILE (made and removed)
#define _DEFAULT_SOURCE  // usleep
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kMost = 64, kLate_us = 3000 };

static int me, size, checked;

static void check(const char* what, int round, int found, int wanted) {
  ++checked;
  if (found == wanted) return;
  fprintf(stderr, "shared: rank %d, round %d: %s: %d is there, %d was given\n", me, round, what, found, wanted);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void succeeds(const char* call, int round, int code) { check(call, round, code, MPI_SUCCESS); }

static int value(int round, int from, int to) { return round * 10000 + from * 100 + to; }

static int inside[kMost];  // the window's memory: a place for each rank
static int out[kMost], in[kMost];
static MPI_Win window;
static MPI_File file;

static void prepare(int round) {
  for (int rank = 0; rank < size; ++rank) {
    inside[rank] = -1;
    in[rank] = -1;
    out[rank] = value(round, me, rank);
  }
}

static void check_inside(const char* what, int round) {
  for (int rank = 0; rank < size; ++rank) check(what, round, inside[rank], value(round, rank, me));
}

static void fences(int round) {
  succeeds("first fence", round, MPI_Win_fence(MPI_MODE_NOPRECEDE, window));
  for (int rank = 0; rank < size; ++rank) MPI_Put(&out[rank], 1, MPI_INT, rank, me, 1, MPI_INT, window);
  succeeds("fence", round, MPI_Win_fence(0, window));
  check_inside("put between fences", round);
  for (int rank = 0; rank < size; ++rank) MPI_Get(&in[rank], 1, MPI_INT, rank, me, 1, MPI_INT, window);
  succeeds("last fence", round, MPI_Win_fence(MPI_MODE_NOSUCCEED, window));
  for (int rank = 0; rank < size; ++rank) check("get between fences", round, in[rank], out[rank]);
}

// Each rank's epochs as origin are open while others wait for its own as target.
static void posts(int round) {
  MPI_Group all;
  MPI_Win_get_group(window, &all);
  succeeds("post", round, MPI_Win_post(all, 0, window));
  succeeds("start", round, MPI_Win_start(all, 0, window));
  for (int rank = 0; rank < size; ++rank) MPI_Put(&out[rank], 1, MPI_INT, rank, me, 1, MPI_INT, window);
  succeeds("complete", round, MPI_Win_complete(window));
  succeeds("wait", round, MPI_Win_wait(window));
  MPI_Group_free(&all);
  check_inside("put after post", round);
}

// Of targets that wait elsewhere meanwhile.
static void locks(int round) {
  const int next = (me + 1) % size;
  const int one = 1;
  int before = -1;
  succeeds("lock", round, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next, 0, window));
  MPI_Put(&out[next], 1, MPI_INT, next, me, 1, MPI_INT, window);
  succeeds("unlock", round, MPI_Win_unlock(next, window));
  MPI_Win_lock_all(0, window);
  MPI_Get(&in[next], 1, MPI_INT, next, me, 1, MPI_INT, window);
  succeeds("flush", round, MPI_Win_flush(next, window));
  check("get under a lock", round, in[next], out[next]);
  MPI_Fetch_and_op(&one, &before, MPI_INT, next, me, MPI_SUM, window);
  MPI_Win_flush_all(window);
  check("fetched", round, before, out[next]);
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, me, 0, window);
  check("added under a lock", round, inside[(me + size - 1) % size], value(round, (me + size - 1) % size, me) + 1);
  MPI_Win_unlock(me, window);
}

static void files(int round) {
  const MPI_Offset own = (MPI_Offset)me * (MPI_Offset)sizeof out[0];
  const int previous = (me + size - 1) % size;
  MPI_Request request;
  MPI_Status status;
  int written = 0;
  succeeds("write", round, MPI_File_write_at_all(file, own, &out[0], 1, MPI_INT, &status));
  MPI_Get_count(&status, MPI_INT, &written);
  check("written", round, written, 1);
  succeeds("sync", round, MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_iread_at_all(file, (MPI_Offset)previous * (MPI_Offset)sizeof out[0], &in[0], 1, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  check("read from the file", round, in[0], value(round, previous, 0));
  MPI_Barrier(MPI_COMM_WORLD);
}

// What a handler of the program's own was told, how often, and of the right object.
static int handled, handled_class, handled_others;

static void note(int code, int is_it) {
  MPI_Error_class(code, &handled_class);
  ++handled;
  handled_others += !is_it;
}
static void handle_window(MPI_Win* of, int* code, ...) { note(*code, *of == window); }
static void handle_file(MPI_File* of, int* code, ...) { note(*code, *of == file); }
static void handle_open(MPI_File* of, int* code, ...) { note(*code, *of == MPI_FILE_NULL); }

static void is_handled(const char* call, int round, int code, int wanted) {
  int class = 0;
  MPI_Error_class(code, &class);
  check(call, round, class, wanted);
  check("the class that a handler was told", round, handled_class, wanted);
  check("times that a handler was called", round, handled, 1);
  check("times that it was of another object", round, handled_others, 0);
  handled = 0;
}

static void refusals_of_windows(int round) {
  MPI_Errhandler handler;
  MPI_Win_create_errhandler(handle_window, &handler);
  MPI_Win_set_errhandler(window, handler);
  is_handled("wait without a post", round, MPI_Win_wait(window), MPI_ERR_RMA_SYNC);
  is_handled("lock of nobody's", round, MPI_Win_lock(MPI_LOCK_SHARED, size, 0, window), MPI_ERR_RANK);
  is_handled("put to nobody", round, MPI_Put(out, 1, MPI_INT, size, 0, 1, MPI_INT, window), MPI_ERR_RANK);
  MPI_Win_set_errhandler(window, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

static void refusals_of_files(int round, const char* path) {
  MPI_Errhandler of_file, of_none;
  MPI_File none;
  char missing[4096];
  snprintf(missing, sizeof missing, "%s.missing", path);
  MPI_File_create_errhandler(handle_file, &of_file);
  MPI_File_set_errhandler(file, of_file);
  is_handled("write of -1", round, MPI_File_write_at_all(file, 0, out, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
  is_handled("read of -1", round, MPI_File_read_all(file, in, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  MPI_File_create_errhandler(handle_open, &of_none);
  MPI_File_set_errhandler(MPI_FILE_NULL, of_none);
  is_handled("open of no file", round, MPI_File_open(MPI_COMM_WORLD, missing, MPI_MODE_RDONLY, MPI_INFO_NULL, &none),
             MPI_ERR_NO_SUCH_FILE);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&of_file);
  MPI_Errhandler_free(&of_none);
}

static void groups(int round, MPI_Comm between) {
  const int mine = me % 2, others = (size + mine) / 2;  // how many the other group has
  const int root_side = round % 2;
  int all[kMost], word = mine == root_side ? value(round, me, 0) : -1;
  MPI_Comm merged;
  int merged_size = 0;
  MPI_Barrier(between);
  MPI_Allgather(&out[0], 1, MPI_INT, all, 1, MPI_INT, between);
  for (int i = 0; i < others; ++i)
    check("gathered from the other group", round, all[i], value(round, 2 * i + 1 - mine, 0));
  MPI_Bcast(&word, 1, MPI_INT, mine != root_side ? 0 : me / 2 == 0 ? MPI_ROOT : MPI_PROC_NULL, between);
  if (mine != root_side) check("sent by the other group", round, word, value(round, root_side, 0));
  MPI_Intercomm_merge(between, mine, &merged);
  MPI_Comm_size(merged, &merged_size);
  check("merged groups", round, merged_size, size);
  MPI_Comm_free(&merged);
}

static MPI_Comm make_between(void) {
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 0, &between);
  MPI_Comm_free(&half);
  return between;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int rounds = atoi(argv[1]);
  int has_windows = 1;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#ifdef OPEN_MPI
  has_windows = size > 1;  // Open MPI 4.1 makes none of one rank
#endif
  if (has_windows) {
    succeeds("create", 0,
             MPI_Win_create(inside, sizeof inside, sizeof inside[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window));
  }
  if (size > 1) between = make_between();
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  succeeds("open", 0, MPI_File_open(MPI_COMM_WORLD, argv[2], mode, MPI_INFO_NULL, &file));
  for (int round = 0; round < rounds; ++round) {
    prepare(round);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == round % size) usleep(kLate_us);
    if (has_windows && round % 3 == 0) fences(round);
    if (has_windows && round % 3 == 1) posts(round);
    if (has_windows && round % 3 == 2) locks(round);
    files(round);
    if (has_windows) refusals_of_windows(round);
    refusals_of_files(round, argv[2]);
    if (size > 1) groups(round, between);
  }
  succeeds("close", rounds, MPI_File_close(&file));
  if (has_windows) succeeds("free", rounds, MPI_Win_free(&window));
  if (size > 1) MPI_Comm_free(&between);
  if (me == 0) printf("shared: %d values\n", checked);
  MPI_Finalize();
  return 0;
}
