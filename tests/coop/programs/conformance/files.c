// SPDX-License-Identifier: BSD-3-Clause
// Files: what all ranks of one do together, by every kind of place, blocking, begun and ended, and under way.
#include "kinds.h"

#include <stdio.h>
#include <stdlib.h>

enum { kNameLength = 4096 };
enum Place { kAt, kView, kShared };  // told in the call; by each rank's own view; one pointer for all ranks
enum Form { kBlocking, kSplit, kUnderWay };

struct Transfer {
  enum Place place;
  enum Form form;
  int count;
};

static struct Transfer some_transfer(int count) {
  const enum Place place = (enum Place)draw(3);
  struct Transfer transfer = {.place = place, .form = (enum Form)draw(3), .count = count};
  if (place == kShared && transfer.form == kUnderWay) transfer.form = kBlocking;  // MPI has none
  return transfer;
}

// The ranks of several hosts have the folder of the job in common, and not those for temporary files.
static const char* path_of_job(void) {
  static char path[kNameLength];
  if (path[0] != '\0') return path;
  const char* const temporary = all_are_on_one_host() ? getenv("TMPDIR") : NULL;
  if (me == 0) snprintf(path, sizeof path, "%s/conformance.%d", temporary != NULL ? temporary : ".", (int)getpid());
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  return path;
}

// Where the next transfer of this rank begins, in numbers from the begin of the file. By one pointer ranks are in their order, and stay in front of
// the end: Open MPI 4.1 waits for ever for what begins behind it.
static MPI_Offset stand_at(MPI_File file, enum Place place, int mine) {
  const MPI_Offset bytes = (MPI_Offset)sizeof out[0];
  add_code(MPI_File_set_view(file, place == kView ? mine * bytes : 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  if (place == kShared) add_code(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  return place == kAt ? mine : 0;
}

static int write_blocking(MPI_File file, const struct Transfer* t, MPI_Offset at, MPI_Status* status) {
  if (t->place == kAt) return MPI_File_write_at_all(file, at, out, t->count, MPI_INT, status);
  if (t->place == kView) return MPI_File_write_all(file, out, t->count, MPI_INT, status);
  return MPI_File_write_ordered(file, out, t->count, MPI_INT, status);
}
static int write_split(MPI_File file, const struct Transfer* t, MPI_Offset at, MPI_Status* status) {
  if (t->place == kAt) {
    add_code(MPI_File_write_at_all_begin(file, at, out, t->count, MPI_INT));
    return MPI_File_write_at_all_end(file, out, status);
  }
  if (t->place == kView) {
    add_code(MPI_File_write_all_begin(file, out, t->count, MPI_INT));
    return MPI_File_write_all_end(file, out, status);
  }
  add_code(MPI_File_write_ordered_begin(file, out, t->count, MPI_INT));
  return MPI_File_write_ordered_end(file, out, status);
}
static int write_under_way(MPI_File file, const struct Transfer* t, MPI_Offset at, MPI_Status* status) {
  MPI_Request request;
  add_code(t->place == kAt ? MPI_File_iwrite_at_all(file, at, out, t->count, MPI_INT, &request)
                           : MPI_File_iwrite_all(file, out, t->count, MPI_INT, &request));
  return MPI_Wait(&request, status);
}

static int read_blocking(MPI_File file, const struct Transfer* t, MPI_Offset at, MPI_Status* status) {
  if (t->place == kAt) return MPI_File_read_at_all(file, at, in, t->count, MPI_INT, status);
  if (t->place == kView) return MPI_File_read_all(file, in, t->count, MPI_INT, status);
  return MPI_File_read_ordered(file, in, t->count, MPI_INT, status);
}
static int read_split(MPI_File file, const struct Transfer* t, MPI_Offset at, MPI_Status* status) {
  if (t->place == kAt) {
    add_code(MPI_File_read_at_all_begin(file, at, in, t->count, MPI_INT));
    return MPI_File_read_at_all_end(file, in, status);
  }
  if (t->place == kView) {
    add_code(MPI_File_read_all_begin(file, in, t->count, MPI_INT));
    return MPI_File_read_all_end(file, in, status);
  }
  add_code(MPI_File_read_ordered_begin(file, in, t->count, MPI_INT));
  return MPI_File_read_ordered_end(file, in, status);
}
static int read_under_way(MPI_File file, const struct Transfer* t, MPI_Offset at, MPI_Status* status) {
  MPI_Request request;
  add_code(t->place == kAt ? MPI_File_iread_at_all(file, at, in, t->count, MPI_INT, &request)
                           : MPI_File_iread_all(file, in, t->count, MPI_INT, &request));
  return MPI_Wait(&request, status);
}

typedef int (*Way)(MPI_File, const struct Transfer*, MPI_Offset, MPI_Status*);
static const Way kWrites[] = {write_blocking, write_split, write_under_way};
static const Way kReads[] = {read_blocking, read_split, read_under_way};

static void transfer(MPI_File file, const struct Transfer* t, const Way ways[], int mine) {
  MPI_Status status = untouched();
  int count = 0;
  const MPI_Offset at = stand_at(file, t->place, mine);
  be_late();
  add_code(ways[t->form](file, t, at, &status));
  MPI_Get_count(&status, MPI_INT, &count);
  add((uint64_t)count);
}

// Each rank of Open MPI 4.1 asks the file system by itself whether the file is large enough, when another one may have written to it already,
// and those that find it so leave the others waiting.
static int may_preallocate(void) {
#ifdef OPEN_MPI
  return size == 1;
#else
  return 1;
#endif
}

// What else all ranks say of a file together.
static void settle(MPI_File file, int ints) {
  MPI_Offset bytes = 0;
  const MPI_Offset all = (MPI_Offset)sizeof out[0] * ints * size;
  add_code(MPI_File_set_atomicity(file, draw(2)));
  add_code(draw(2) || !may_preallocate() ? MPI_File_set_size(file, all) : MPI_File_preallocate(file, all));
  add_code(MPI_File_set_info(file, MPI_INFO_NULL));
  MPI_File_get_size(file, &bytes);
  add((uint64_t)bytes);
}

static MPI_File open_it(MPI_Comm comm) {
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  add_code(MPI_File_open(comm, path_of_job(), mode, MPI_INFO_NULL, &file));
  return file;
}

// Each rank's block lies behind those of the ranks before it, and is read by another one, but for transfers in their order.
static void write_and_read(MPI_File file, int ints) {
  const int step = draw(size);
  const struct Transfer written = some_transfer(ints), got = some_transfer(ints);
  transfer(file, &written, kWrites, me * ints);
  add_code(MPI_File_sync(file));
  MPI_Barrier(world);
  add_code(MPI_File_sync(file));
  transfer(file, &got, kReads, next_rank(step) * ints);
  add_ints(in, ints);
  MPI_Barrier(world);
}

void files(int round) {
  enum { kTimes = 2 };
  const int ints = draw(4) == 0 ? 5000 : draw(100);
  MPI_File file = open_it(world);
  if (file == MPI_FILE_NULL) return;
  if (draw(2)) settle(file, ints);
  for (int time = 0; time < kTimes; ++time) {
    fill(ints, kTimes * round + time);
    write_and_read(file, ints);
  }
  add_code(MPI_File_close(&file));
  add(file == MPI_FILE_NULL);
}
