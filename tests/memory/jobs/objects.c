/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes objects of MPI of each kind, and frees some of them: three sets a rank are left, two by one function and one by another, three are
   freed. The word "threads": four threads make and free at once. "mixed": what is no object of the program, and ends that callbacks bring.
   "many": more objects than come and go between two looks. */
#include <comity/comity_mpi.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kThreads = 4, kRounds = 200, kLeftByThread = 10 };

static int rank;
static int number;
static char buffer[64];

typedef struct {
  MPI_Comm communicator;
  MPI_Group group;
  MPI_Datatype datatype;
  MPI_Request request;
  MPI_Win window;
  MPI_File file;
  MPI_Op operation;
  MPI_Info info;
  int keyval;
  MPI_Errhandler handler;
  void* block;
} Set;

static void add(void* in, void* out, int* count, MPI_Datatype* type) { (void)in, (void)out, (void)count, (void)type; }
static void handle(MPI_Comm* communicator, int* code, ...) { (void)communicator, (void)code; }

/* Open MPI 4.1 creates windows of given memory for several ranks alone, and MPICH dies of an allocated one that is left. */
static inline __attribute__((always_inline)) void make_window(MPI_Win* window) {
#ifdef OPEN_MPI
  void* part = NULL;
  MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &part, window);
#else
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, window);
#endif
}

/* In the symbol table of a program that exports it. */
#define NAMED __attribute__((noinline, visibility("default")))
NAMED void make_set(Set* set);
NAMED void leave_here(void);
NAMED void leave_there(void);
NAMED void make_and_free(void);

void make_set(Set* set) {
  char path[200];
  snprintf(path, sizeof path, "%s/comity_objects_%d_%d", getenv("TEST_FOLDER"), rank, number++);
  MPI_Comm_dup(MPI_COMM_WORLD, &set->communicator);
  MPI_Comm_group(MPI_COMM_WORLD, &set->group);
  MPI_Type_contiguous(3, MPI_INT, &set->datatype);
  MPI_Send_init(buffer, 1, MPI_CHAR, rank, 5, MPI_COMM_WORLD, &set->request);
  make_window(&set->window);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &set->file);
  MPI_Op_create(add, 1, &set->operation);
  MPI_Info_create(&set->info);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &set->keyval, NULL);
  MPI_Comm_create_errhandler(handle, &set->handler);
  MPI_Alloc_mem(1000, MPI_INFO_NULL, &set->block);
  buffer[0] = 1; /* and no jump into the last call */
}

void leave_here(void) {
  Set set;
  make_set(&set);
  make_set(&set);
  buffer[1] = 1;
}
void leave_there(void) {
  Set set;
  make_set(&set);
  buffer[1] = 2;
}

void make_and_free(void) {
  for (int i = 0; i < 3; ++i) {
    Set set;
    make_set(&set);
    MPI_Comm_free(&set.communicator);
    MPI_Group_free(&set.group);
    MPI_Type_free(&set.datatype);
    MPI_Request_free(&set.request);
    MPI_Win_free(&set.window);
    MPI_File_close(&set.file);
    MPI_Op_free(&set.operation);
    MPI_Info_free(&set.info);
    MPI_Comm_free_keyval(&set.keyval);
    MPI_Errhandler_free(&set.handler);
    MPI_Free_mem(set.block);
  }
}

static void* make_and_leave_ten(void* nothing) {
  MPI_Datatype types[kRounds];
  for (int i = 0; i < kRounds; ++i) MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);
  for (int i = kLeftByThread; i < kRounds; ++i) MPI_Type_free(&types[i]);
  for (int i = 0; i < kRounds; ++i) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_free(&info);
  }
  return nothing;
}

static void threads(void) {
  pthread_t all[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&all[i], NULL, make_and_leave_ten, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(all[i], NULL);
}

static int free_inner(MPI_Comm outer, int key, void* inner, void* nothing) {
  (void)outer, (void)key, (void)nothing;
  return MPI_Comm_free((MPI_Comm*)inner);
}

/* A library keeps a communicator of its own with the user's, and frees it in a callback: nothing is left. */
static void keep_and_free(void) {
  static MPI_Comm inner;
  MPI_Comm outer;
  int key = 0;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_inner, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &outer);
  MPI_Comm_dup(MPI_COMM_WORLD, &inner);
  MPI_Comm_set_attr(outer, key, &inner);
  MPI_Comm_free(&outer);
  MPI_Comm_free_keyval(&key);
}

static int tell_status(void* state, MPI_Status* status) {
  (void)state;
  status->MPI_SOURCE = MPI_ANY_SOURCE;
  status->MPI_TAG = MPI_ANY_TAG;
  MPI_Status_set_elements(status, MPI_CHAR, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int let_state_go(void* state) {
  (void)state;
  return MPI_SUCCESS;
}
static int refuse_to_end(void* state, int is_complete) {
  (void)state;
  (void)is_complete;
  return MPI_SUCCESS;
}

/* In the symbol table, as those above. */
NAMED void start_and_forget(void);
void start_and_forget(void) {
  MPI_Request received;
  MPI_Request sent;
  MPI_Irecv(&buffer[2], 1, MPI_CHAR, rank, 6, MPI_COMM_WORLD, &received);
  MPI_Send(buffer, 1, MPI_CHAR, rank, 6, MPI_COMM_WORLD);
  MPI_Isend(buffer, 1, MPI_CHAR, rank, 7, MPI_COMM_WORLD, &sent);
  MPI_Recv(&buffer[3], 1, MPI_CHAR, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request own;
  MPI_Grequest_start(tell_status, let_state_go, refuse_to_end, NULL, &own);
  MPI_Grequest_complete(own);
  MPI_Wait(&own, MPI_STATUS_IGNORE);
  MPI_Grequest_start(tell_status, let_state_go, refuse_to_end, NULL, &own);
  buffer[1] = 3;
}

/* Each is waited for. */
static void exchange_with_myself(void) {
  enum { kExchanges = 900 };
  for (int i = 0; i < kExchanges; ++i) {
    MPI_Request both[2];
    MPI_Status statuses[2];
    MPI_Irecv(&buffer[2], 1, MPI_CHAR, rank, 8, MPI_COMM_WORLD, &both[0]);
    MPI_Isend(buffer, 1, MPI_CHAR, rank, 8, MPI_COMM_WORLD, &both[1]);
    MPI_Waitall(2, both, statuses);
  }
}

/* One share of two is left, two datatypes and three requests that nobody waits for; the rest is nobody's, or freed. */
static void mixed(void) {
  MPI_Group all;
  MPI_Group same;
  MPI_Group none;
  MPI_Comm nobodys;
  MPI_Errhandler predefined;
  MPI_Datatype left;
  MPI_Datatype inner;
  MPI_File file;
  char path[200];
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Comm_group(MPI_COMM_WORLD, &same);
  MPI_Group_incl(all, 0, NULL, &none);
  MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, &nobodys);
  MPI_Comm_get_errhandler(MPI_COMM_SELF, &predefined);
  MPI_Group_free(&all);
  MPI_Type_vector(4, 2, 5, MPI_INT, &inner);
  MPI_Type_contiguous(2, inner, &left);
  MPI_Type_commit(&left);
  MPI_Type_commit(&inner);
  snprintf(path, sizeof path, "%s/comity_objects_%d_mixed", getenv("TEST_FOLDER"), rank);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, 0, MPI_INT, left, "native", MPI_INFO_NULL);
  MPI_File_write(file, buffer, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  keep_and_free();
  exchange_with_myself();
  start_and_forget();
}

/* The program's own memory, and then what MPI keeps for calls that concern no other rank. */
static void many(void) {
  enum { kMega = 1 << 20, kTypes = 20000, kInfos = 5000 };
  static char* volatile own;
  own = malloc(20 * kMega);
  if (own == NULL) abort();
  memset(own, 1, 20 * kMega);
  for (int i = 0; i < kTypes; ++i) {
    const int places[3] = {0, 5, 11 + i};
    MPI_Datatype type;
    MPI_Type_create_indexed_block(3, 2, places, MPI_INT, &type);
  }
  for (int i = 0; i < kInfos; ++i) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "a_key", "and its value");
  }
}

/* Of Comity's own communicators some stay as long as the user's. */
static void with_comity(void) {
  comity_context* context = NULL;
  comity_context_create(MPI_COMM_WORLD, &context);
  comity_context_free(&context);
}

int main(int count, char** words) {
  const char* const word = count > 1 ? words[1] : "";
  const int wants_threads = strcmp(word, "threads") == 0;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&count, &words, wants_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (wants_threads && provided == MPI_THREAD_MULTIPLE) threads();
  if (wants_threads && provided != MPI_THREAD_MULTIPLE) printf("level refused\n");
  if (strcmp(word, "mixed") == 0) mixed();
  if (strcmp(word, "comity") == 0) with_comity();
  if (strcmp(word, "many") == 0) many();
  if (strcmp(word, "sets") == 0) {
    leave_here();
    leave_there();
    make_and_free();
  }
  MPI_Finalize();
  return 0;
}
