// SPDX-License-Identifier: BSD-3-Clause
// waits: in each kind of call all ranks wait for rank 0, which sleeps first, but where an MPI needs nothing of it. Rank 1 prints, a line a kind, how long it was in
// the call, how much of that on a processor, how often it gave that away, and how long it waited for one [us, us, times, us].
// "Helpers" tells of all of that time, and what threads that the MPI has made for itself used of a processor [us, us];
// "Computing" the same of the helpers of all ranks, while rank 0 computes.
//   waits FILE (made and removed) [KIND...]: of these alone
#define _DEFAULT_SOURCE  // usleep
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { kAsleep_us = 100000, kComputes_us = 400000 };

static int me, size;
// What large messages are in; touched before anybody waits, for a page that is touched first takes a processor.
enum { kDetached = 1 << 17 };
static char large[1 << 20], kept[kDetached + 4096];

struct Moment {
  double wall_us, cpu_us;
  long given;
  double waited_us;
};

// By this thread so far, which others may keep from a processor for as long as they like.
static double waited_for_processor_us(void) {
  double ran_ns = 0, waited_ns = 0;
  FILE* const file = fopen("/proc/self/schedstat", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lf %lf", &ran_ns, &waited_ns) != 2) waited_ns = 0;
  fclose(file);
  return waited_ns / 1e3;
}

// By all threads of this process but the first.
static double helpers_us(void) {
  double all_us = 0;
  char path[64];
  DIR* const threads = opendir("/proc/self/task");
  if (threads == NULL) return 0;
  for (const struct dirent* one = readdir(threads); one != NULL; one = readdir(threads)) {
    const long id = strtol(one->d_name, NULL, 10);
    double ran_ns = 0;
    if (id <= 0 || id == getpid()) continue;
    snprintf(path, sizeof path, "/proc/self/task/%ld/schedstat", id);
    FILE* const file = fopen(path, "r");
    if (file == NULL) continue;
    if (fscanf(file, "%lf", &ran_ns) == 1) all_us += ran_ns / 1e3;
    fclose(file);
  }
  closedir(threads);
  return all_us;
}

static struct Moment now(void) {
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  const struct Moment moment = {
      MPI_Wtime() * 1e6,
      (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1e6 + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec),
      use.ru_nvcsw, waited_for_processor_us()};
  return moment;
}

static void measure(const char* kind, void (*call)(void)) {
  enum { kComes = 99 };
  MPI_Barrier(MPI_COMM_WORLD);
  // Rank 0 sleeps from when rank 1 comes, which may leave the barrier much later where others have the processors.
  if (me == 1) MPI_Send(NULL, 0, MPI_INT, 0, kComes, MPI_COMM_WORLD);
  if (me == 0) MPI_Recv(NULL, 0, MPI_INT, 1, kComes, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (me == 0) usleep(kAsleep_us);
  const struct Moment begin = now();
  call();
  const struct Moment end = now();
  if (me == 1) {
    printf("%s %.0f %.0f %ld %.0f\n", kind, end.wall_us - begin.wall_us, end.cpu_us - begin.cpu_us,
           end.given - begin.given, end.waited_us - begin.waited_us);
  }
}

static int word, words[64];

static void to_all(int synchronous) {
  for (int rank = 1; rank < size; ++rank) {
    (synchronous ? MPI_Ssend : MPI_Send)(&word, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  }
}
static void receive(void) {
  if (me == 0) return to_all(0);
  MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void receive_from_any(void) {
  if (me == 0) return to_all(1);
  MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void synchronous_send(void) {
  if (me != 0) {
    MPI_Ssend(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    return;
  }
  for (int rank = 1; rank < size; ++rank) MPI_Recv(&word, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void large_send(void) {
  if (me != 0) {
    MPI_Send(large, sizeof large, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    return;
  }
  for (int rank = 1; rank < size; ++rank) {
    MPI_Recv(large, sizeof large, MPI_CHAR, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
static void probe(void) {
  if (me == 0) return to_all(0);
  MPI_Probe(0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void matched_probe(void) {
  MPI_Message message;
  if (me == 0) return to_all(0);
  MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}
static void exchange(void) {
  const int other = me == 0 ? 1 : me == 1 ? 0 : MPI_PROC_NULL;
  int got = 0;
  MPI_Sendrecv(&word, 1, MPI_INT, other, 0, &got, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void exchange_in_place(void) {
  const int other = me == 0 ? 1 : me == 1 ? 0 : MPI_PROC_NULL;
  MPI_Sendrecv_replace(&word, 1, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static MPI_Request request;
static void start_receive(void) { MPI_Irecv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); }
static void wait_one(void) {
  if (me == 0) return to_all(0);
  start_receive();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void wait_all(void) {
  MPI_Status status;
  if (me == 0) return to_all(0);
  start_receive();
  MPI_Waitall(1, &request, &status);
}
static void wait_any(void) {
  int index = 0;
  if (me == 0) return to_all(0);
  start_receive();
  MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
}
static void wait_some(void) {
  int index = 0, done = 0;
  MPI_Status status;
  if (me == 0) return to_all(0);
  start_receive();
  MPI_Waitsome(1, &request, &done, &index, &status);
}
static void persistent(void) {
  if (me == 0) return to_all(0);
  MPI_Recv_init(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}
static void nonblocking_barrier(void) {
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }
static void broadcast(void) { MPI_Bcast(&word, 1, MPI_INT, 0, MPI_COMM_WORLD); }
static void reduce(void) { MPI_Allreduce(&me, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void all_to_all(void) {
  int mine[64] = {0};
  MPI_Alltoall(mine, 1, MPI_INT, words, 1, MPI_INT, MPI_COMM_WORLD);
}
static void gather_to_one(void) { MPI_Gather(&me, 1, MPI_INT, words, 1, MPI_INT, 1, MPI_COMM_WORLD); }
static void scatter(void) { MPI_Scatter(words, 1, MPI_INT, &word, 1, MPI_INT, 0, MPI_COMM_WORLD); }
static void gather_to_all(void) { MPI_Allgather(&me, 1, MPI_INT, words, 1, MPI_INT, MPI_COMM_WORLD); }
static void reduce_to_one(void) { MPI_Reduce(&me, &word, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD); }
static void reduce_scatter(void) {
  int mine[64] = {0};
  MPI_Reduce_scatter_block(mine, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
static void scan(void) { MPI_Scan(&me, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void exclusive_scan(void) { MPI_Exscan(&me, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static int ones[64], places[64], bytes_of[64], mine_for_all[64];
static MPI_Datatype ints[64];
static void one_of_each(void) {
  for (int rank = 0; rank < 64; ++rank) {
    ones[rank] = 1, places[rank] = rank, bytes_of[rank] = rank * (int)sizeof(int), ints[rank] = MPI_INT;
  }
}
static void all_to_all_of_counts(void) {
  MPI_Alltoallv(mine_for_all, ones, places, MPI_INT, words, ones, places, MPI_INT, MPI_COMM_WORLD);
}
static void all_to_all_of_types(void) {
  MPI_Alltoallw(mine_for_all, ones, bytes_of, ints, words, ones, bytes_of, ints, MPI_COMM_WORLD);
}
static void gather_counts_to_one(void) {
  MPI_Gatherv(&me, 1, MPI_INT, words, ones, places, MPI_INT, 1, MPI_COMM_WORLD);
}
static void scatter_counts(void) { MPI_Scatterv(words, ones, places, MPI_INT, &word, 1, MPI_INT, 0, MPI_COMM_WORLD); }
static void gather_counts_to_all(void) {
  MPI_Allgatherv(&me, 1, MPI_INT, words, ones, places, MPI_INT, MPI_COMM_WORLD);
}
static void reduce_scatter_of_counts(void) {
  MPI_Reduce_scatter(mine_for_all, &word, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
// Larger than what any MPI sends at once, and its receive stands: rank 0 takes it when it has slept again.
static void ready_send(void) {
  MPI_Request taken;
  if (me == 0) {
    MPI_Irecv(large, sizeof large, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &taken);
    MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
    usleep(kAsleep_us);
    MPI_Wait(&taken, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Rsend(large, sizeof large, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
  }
}
// Of every other block of a large room, which no MPI takes out of another process at one go: rank 0 has to help, when it has slept again.
static void matched_receive(void) {
  enum { kBlock = 1024, kBlocks = sizeof large / (2 * kBlock) };
  MPI_Message message;
  MPI_Datatype blocks;
  if (me == 0) {
    MPI_Type_vector(kBlocks, kBlock, 2 * kBlock, MPI_CHAR, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Isend(large, 1, blocks, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD);
    usleep(kAsleep_us);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Type_free(&blocks);
  } else if (me == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 1, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(large, kBlocks * kBlock, MPI_CHAR, &message, MPI_STATUS_IGNORE);
  }
}
// Until rank 0 takes the message: larger than what any MPI sends at once, and no larger, for each of its pieces takes a processor.
static void detach(void) {
  void* address;
  int bytes;
  if (me == 0) {
    MPI_Recv(large, kDetached, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else if (me == 1) {
    MPI_Buffer_attach(kept, sizeof kept);
    MPI_Bsend(large, kDetached, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    MPI_Buffer_detach(&address, &bytes);
  }
}
static void duplicate(void) {
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_free(&twin);
}
static void split(void) {
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &part);
  MPI_Comm_free(&part);
}
static void create_from_group(void) {  // waits in the library: there is no other form of it
  MPI_Comm made;
  MPI_Group all;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &made);
  MPI_Group_free(&all);
  MPI_Comm_free(&made);
}
static MPI_Comm ring;
static void neighbours_gather(void) { MPI_Neighbor_allgather(&me, 1, MPI_INT, words, 1, MPI_INT, ring); }
static void neighbours_exchange(void) {
  const int mine[2] = {me, me};
  MPI_Neighbor_alltoall(mine, 1, MPI_INT, words, 1, MPI_INT, ring);
}
static void neighbours_gather_counts(void) {
  MPI_Neighbor_allgatherv(&me, 1, MPI_INT, words, ones, places, MPI_INT, ring);
}
static void neighbours_exchange_types(void) {
  const int mine[2] = {me, me};
  const MPI_Aint at[2] = {0, sizeof(int)};
  MPI_Neighbor_alltoallw(mine, ones, at, ints, words, ones, at, ints, ring);
}
static void neighbours_exchange_counts(void) {
  const int mine[2] = {me, me};
  MPI_Neighbor_alltoallv(mine, ones, places, MPI_INT, words, ones, places, MPI_INT, ring);
}
static MPI_Comm half, between;  // the even or the odd ranks; both
static void make_intercommunicator(void) {
  MPI_Comm other;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 7, &other);
  MPI_Comm_free(&other);
}
static void barrier_between_groups(void) { MPI_Barrier(between); }
static MPI_Win window;
static int shown[64];
static void fence(void) { MPI_Win_fence(0, window); }
static MPI_Group first, others;  // rank 0, and all but it
static void wait_for_epoch(void) {
  if (me == 0) {
    MPI_Win_start(others, 0, window);
    for (int rank = 0; rank < size; ++rank) words[rank] = rank;
    for (int rank = 1; rank < size; ++rank) MPI_Put(&words[rank], 1, MPI_INT, rank, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
  } else {
    MPI_Win_post(first, 0, window);
    MPI_Win_wait(window);
    if (shown[0] != me) MPI_Abort(MPI_COMM_WORLD, 3);
  }
}
static void let_rank_0_rest(void) { usleep(kAsleep_us / 10); }
static void add_to_rank_0(void) { MPI_Accumulate(&me, 1, MPI_INT, 0, me, 1, MPI_INT, MPI_SUM, window); }
static void let_rank_0_lock(void) {
  if (me == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
}
static void lock_what_is_locked(void) {
  if (me != 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    add_to_rank_0();
  }
  MPI_Win_unlock(0, window);
}
// What MPICH adds to another rank's memory takes that rank, in a call behind; Open MPI does it itself, or waits for that in the call. Rank 0
// may be awake for a moment yet, which will do for some.
static void lock_for_others(void) {
  if (me != 0) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
}
static void flush(void) {
  if (me == 0) return;
  let_rank_0_rest();
  add_to_rank_0();
  MPI_Win_flush(0, window);
  MPI_Win_unlock(0, window);
}
static void unlock(void) {
  if (me == 0) return;
  let_rank_0_rest();
  add_to_rank_0();
  MPI_Win_unlock(0, window);
}
static void post_and_start(void) {
  if (me == 0) MPI_Win_post(others, 0, window);  // waits for nobody
  if (me != 0) MPI_Win_start(first, 0, window);
}
static void complete_epoch(void) {
  if (me == 0) {
    MPI_Win_wait(window);
  } else {
    let_rank_0_rest();
    add_to_rank_0();
    MPI_Win_complete(window);
  }
}
static void start_epoch(void) {
  post_and_start();
  complete_epoch();
}
// What is done before rank 0 sleeps.
static void prepare(void (*call)(void)) {
  const struct {
    void (*call)(void);
    void (*before)(void);
  } all[] = {{lock_what_is_locked, let_rank_0_lock},
             {unlock, lock_for_others},
             {flush, lock_for_others},
             {complete_epoch, post_and_start}};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (all[i].call == call) all[i].before();
  }
}
static MPI_Win made = MPI_WIN_NULL, spare;
static void create_window(void) {
  MPI_Win_create(words, sizeof words, sizeof words[0], MPI_INFO_NULL, MPI_COMM_WORLD, &made);
}
static void free_window(void) { MPI_Win_free(&spare); }
static MPI_File file, second = MPI_FILE_NULL, third = MPI_FILE_NULL;
static const char* path_of_file;
static MPI_File opened(const char* end) {
  char path[4096];
  MPI_File one;
  snprintf(path, sizeof path, "%s%s", path_of_file, end);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &one);
  return one;
}
static void open_file(void) { second = opened(".second"); }
static void close_file(void) { MPI_File_close(&third); }
static void write_all(void) {
  MPI_File_write_at_all(file, (MPI_Offset)me * (MPI_Offset)sizeof me, &me, 1, MPI_INT, MPI_STATUS_IGNORE);
}
static void read_all(void) {
  MPI_File_read_at_all(file, (MPI_Offset)me * (MPI_Offset)sizeof me, &word, 1, MPI_INT, MPI_STATUS_IGNORE);
  if (word != me) MPI_Abort(MPI_COMM_WORLD, 4);
}

#ifdef OPEN_MPI                           // Debian's MPICH, on UCX, has no ports
static char ports[2][MPI_MAX_PORT_NAME];  // of ranks 0 and 1
static void open_ports(void) {
  if (me < 2) MPI_Open_port(MPI_INFO_NULL, ports[me]);
  for (int rank = 0; rank < 2; ++rank) MPI_Bcast(ports[rank], MPI_MAX_PORT_NAME, MPI_CHAR, rank, MPI_COMM_WORLD);
}
static void come_together(int accepts) {
  MPI_Comm other;
  if (me > 1) return;
  if (me == accepts) {
    MPI_Comm_accept(ports[accepts], MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  } else {
    MPI_Comm_connect(ports[accepts], MPI_INFO_NULL, 0, MPI_COMM_SELF, &other);
  }
  MPI_Comm_disconnect(&other);
}
static void accept_another(void) { come_together(1); }
static void connect_to_another(void) { come_together(0); }
#endif

static void make_objects(void) {
  const int periodic = 1, zero = 0;
  MPI_Group all;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 0, &between);
  MPI_Win_create(shown, sizeof shown, sizeof shown[0], MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_create(large, sizeof large, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &spare);
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Group_excl(all, 1, &zero, &others);
  MPI_Group_free(&all);
  file = opened("");
  third = opened(".third");
  one_of_each();
#ifdef OPEN_MPI
  open_ports();
#endif
}

static void free_objects(void) {
  MPI_File_close(&file);
  if (second != MPI_FILE_NULL) MPI_File_close(&second);
  if (third != MPI_FILE_NULL) MPI_File_close(&third);
  if (made != MPI_WIN_NULL) MPI_Win_free(&made);
  if (spare != MPI_WIN_NULL) MPI_Win_free(&spare);
  MPI_Win_free(&window);
  MPI_Group_free(&first);
  MPI_Group_free(&others);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  MPI_Comm_free(&ring);
}

// What the helpers of all ranks use of the cores on which rank 0 computes while the others wait for it.
static void measure_computing(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_us = MPI_Wtime() * 1e6, helped_us = helpers_us();
  while (me == 0 && MPI_Wtime() * 1e6 < begin_us + kComputes_us) continue;
  MPI_Barrier(MPI_COMM_WORLD);
  const double end_us = MPI_Wtime() * 1e6, mine_us = helpers_us() - helped_us;
  double all_us = 0;
  MPI_Reduce(&mine_us, &all_us, 1, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
  if (me == 1) printf("Computing %.0f %.0f\n", end_us - begin_us, all_us);
}

static int is_asked_for(const char* kind, int kinds, char** asked_for) {
  int found = kinds == 0;
  for (int i = 0; i < kinds; ++i) found |= strcmp(kind, asked_for[i]) == 0;
  return found;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  memset(large, 1, sizeof large);
  memset(kept, 1, sizeof kept);
  const struct {
    const char* kind;
    void (*call)(void);
  } all[] = {{"Recv", receive},
             {"Recv_any", receive_from_any},
             {"Ssend", synchronous_send},
             {"Rsend", ready_send},
             {"Send_large", large_send},
             {"Probe", probe},
             {"Mprobe", matched_probe},
             {"Sendrecv", exchange},
             {"Sendrecv_replace", exchange_in_place},
             {"Wait", wait_one},
             {"Waitall", wait_all},
             {"Waitany", wait_any},
             {"Waitsome", wait_some},
             {"Start", persistent},
             {"Ibarrier", nonblocking_barrier},
             {"Barrier", barrier},
             {"Bcast", broadcast},
             {"Allreduce", reduce},
             {"Alltoall", all_to_all},
             {"Allgather", gather_to_all},
             {"Reduce_scatter_block", reduce_scatter},
             {"Scatter", scatter},
             {"Gather", gather_to_one},
             {"Reduce", reduce_to_one},
             {"Scan", scan},
             {"Exscan", exclusive_scan},
             {"Alltoallv", all_to_all_of_counts},
             {"Neighbor_allgather", neighbours_gather},
             {"Neighbor_alltoall", neighbours_exchange},
             {"Neighbor_alltoallv", neighbours_exchange_counts},
             {"Neighbor_allgatherv", neighbours_gather_counts},
             {"Neighbor_alltoallw", neighbours_exchange_types},
             {"Gatherv", gather_counts_to_one},
             {"Scatterv", scatter_counts},
             {"Allgatherv", gather_counts_to_all},
             {"Alltoallw", all_to_all_of_types},
             {"Reduce_scatter", reduce_scatter_of_counts},
             {"Mrecv", matched_receive},
             {"Win_create", create_window},
             {"Win_free", free_window},
             {"File_open", open_file},
             {"Buffer_detach", detach},
             {"Comm_dup", duplicate},
             {"Comm_split", split},
             {"Comm_create_group", create_from_group},
             {"Barrier_between", barrier_between_groups},
             {"Win_lock", lock_what_is_locked},
             {"Win_unlock", unlock},
             {"Win_flush", flush},
             {"Win_start", start_epoch},
             {"Win_complete", complete_epoch},
             {"Win_fence", fence},
             {"Win_wait", wait_for_epoch},
             {"Intercomm_create", make_intercommunicator},
#ifdef OPEN_MPI
             {"Comm_accept", accept_another},
             {"Comm_connect", connect_to_another},
#endif
             {"File_close", close_file},
             {"File_write_at_all", write_all},
             {"File_read_at_all", read_all}};
  if (argc < 2) return 2;
  path_of_file = argv[1];
  make_objects();
  const double begin_us = MPI_Wtime() * 1e6, helped_us = helpers_us();
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    if (!is_asked_for(all[i].kind, argc - 2, argv + 2)) continue;
    prepare(all[i].call);
    measure(all[i].kind, all[i].call);
  }
  if (me == 1) printf("Helpers %.0f %.0f\n", MPI_Wtime() * 1e6 - begin_us, helpers_us() - helped_us);
  measure_computing();
  free_objects();
  if (me == 0) usleep(kAsleep_us);
  MPI_Finalize();
  return 0;
}
