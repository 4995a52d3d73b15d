// SPDX-License-Identifier: BSD-3-Clause
// What there is of MPI's objects, by kind, counted in the calls of MPI that make and end them. Exported, for the libraries' calls go
// to the program first. Included once in a program, of one thread. Invariant: a call that makes an object and is missing here shows,
// where the object ends, as fewer than none.
#pragma once

#include <comity/export.h>
#include <mpi.h>
#include <stdio.h>

enum Kind { kCommunicator, kGroup, kKey, kAttribute, kRequest, kDatatype, kHandler, kKinds };
static const char* const kKindNames[kKinds] = {"communicators",    "groups",    "keys of attributes", "attributes",
                                               "started requests", "datatypes", "error handlers"};

typedef struct {
  long made[kKinds];  // since the program began
  long live[kKinds];
} Counts;
static Counts counts;

static int made(enum Kind kind, int code) {
  if (code != MPI_SUCCESS) return code;
  ++counts.made[kind];
  ++counts.live[kind];
  return code;
}

static int ended(enum Kind kind, int code) {
  if (code == MPI_SUCCESS) --counts.live[kind];
  return code;
}

// Ranks outside get none.
static int made_communicator(int code, const MPI_Comm* communicator) {
  return code == MPI_SUCCESS && *communicator != MPI_COMM_NULL ? made(kCommunicator, code) : code;
}

// What is done at once may have none.
static int started(int code, const MPI_Request* request) {
  return code == MPI_SUCCESS && *request != MPI_REQUEST_NULL ? made(kRequest, code) : code;
}

static void done(MPI_Request before, MPI_Request after) {
  if (before != MPI_REQUEST_NULL && after == MPI_REQUEST_NULL) --counts.live[kRequest];
}

COMITY_EXPORT int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm* copy) {
  return made_communicator(PMPI_Comm_dup(communicator, copy), copy);
}

COMITY_EXPORT int MPI_Comm_dup_with_info(MPI_Comm communicator, MPI_Info info, MPI_Comm* copy) {
  return made_communicator(PMPI_Comm_dup_with_info(communicator, info, copy), copy);
}

COMITY_EXPORT int MPI_Comm_idup(MPI_Comm communicator, MPI_Comm* copy, MPI_Request* request) {
  const int code = started(PMPI_Comm_idup(communicator, copy, request), request);
  return made(kCommunicator, code);  // its handle may come later
}

COMITY_EXPORT int MPI_Comm_create(MPI_Comm communicator, MPI_Group group, MPI_Comm* part) {
  return made_communicator(PMPI_Comm_create(communicator, group, part), part);
}

COMITY_EXPORT int MPI_Comm_create_group(MPI_Comm communicator, MPI_Group group, int tag, MPI_Comm* part) {
  return made_communicator(PMPI_Comm_create_group(communicator, group, tag, part), part);
}

COMITY_EXPORT int MPI_Comm_split(MPI_Comm communicator, int colour, int key, MPI_Comm* part) {
  return made_communicator(PMPI_Comm_split(communicator, colour, key, part), part);
}

COMITY_EXPORT int MPI_Comm_split_type(MPI_Comm communicator, int type, int key, MPI_Info info, MPI_Comm* part) {
  return made_communicator(PMPI_Comm_split_type(communicator, type, key, info, part), part);
}

COMITY_EXPORT int MPI_Cart_create(MPI_Comm communicator, int dimensions, const int extents[], const int periodic[],
                                  int reorder, MPI_Comm* grid) {
  return made_communicator(PMPI_Cart_create(communicator, dimensions, extents, periodic, reorder, grid), grid);
}

COMITY_EXPORT int MPI_Dist_graph_create(MPI_Comm communicator, int count, const int sources[], const int degrees[],
                                        const int destinations[], const int weights[], MPI_Info info, int reorder,
                                        MPI_Comm* graph) {
  const int code =
      PMPI_Dist_graph_create(communicator, count, sources, degrees, destinations, weights, info, reorder, graph);
  return made_communicator(code, graph);
}

COMITY_EXPORT int MPI_Comm_free(MPI_Comm* communicator) { return ended(kCommunicator, PMPI_Comm_free(communicator)); }

COMITY_EXPORT int MPI_Comm_group(MPI_Comm communicator, MPI_Group* group) {
  return made(kGroup, PMPI_Comm_group(communicator, group));
}

COMITY_EXPORT int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group* some) {
  return made(kGroup, PMPI_Group_incl(group, count, ranks, some));
}

COMITY_EXPORT int MPI_Group_free(MPI_Group* group) { return ended(kGroup, PMPI_Group_free(group)); }

// Attributes end in a callback of MPI, which is the maker's.
typedef struct {
  MPI_Comm_delete_attr_function* end;
  void* extra;
} Ending;
enum { kMostKeys = 8 };  // all that a process may ever make
static Ending endings[kMostKeys];

static int end_attribute(MPI_Comm communicator, int key, void* value, void* ending_of_key) {
  const Ending* ending = ending_of_key;
  const int code =
      ending->end == MPI_COMM_NULL_DELETE_FN ? MPI_SUCCESS : ending->end(communicator, key, value, ending->extra);
  return ended(kAttribute, code);
}

// Such as are not copied to duplicates: there is nothing to tell them apart by.
COMITY_EXPORT int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* end,
                                         int* key, void* extra) {
  if (copy != MPI_COMM_NULL_COPY_FN || counts.made[kKey] == kMostKeys) {
    printf("FAIL: a key whose attributes are copied, or the %d. of one process\n", kMostKeys + 1);
    return MPI_ERR_KEYVAL;
  }
  Ending* const ending = &endings[counts.made[kKey]];
  *ending = (Ending){end, extra};
  return made(kKey, PMPI_Comm_create_keyval(copy, end_attribute, key, ending));
}

COMITY_EXPORT int MPI_Comm_free_keyval(int* key) { return ended(kKey, PMPI_Comm_free_keyval(key)); }

COMITY_EXPORT int MPI_Comm_set_attr(MPI_Comm communicator, int key, void* value) {
  return made(kAttribute, PMPI_Comm_set_attr(communicator, key, value));
}

COMITY_EXPORT int MPI_Type_contiguous(int count, MPI_Datatype of, MPI_Datatype* type) {
  return made(kDatatype, PMPI_Type_contiguous(count, of, type));
}

COMITY_EXPORT int MPI_Type_free(MPI_Datatype* type) { return ended(kDatatype, PMPI_Type_free(type)); }

COMITY_EXPORT int MPI_Comm_get_errhandler(MPI_Comm communicator, MPI_Errhandler* handler) {
  return made(kHandler, PMPI_Comm_get_errhandler(communicator, handler));
}

COMITY_EXPORT int MPI_Errhandler_free(MPI_Errhandler* handler) {
  return ended(kHandler, PMPI_Errhandler_free(handler));
}

COMITY_EXPORT int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                            MPI_Request* request) {
  return started(PMPI_Isend(data, count, type, to, tag, communicator, request), request);
}

COMITY_EXPORT int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                            MPI_Request* request) {
  return started(PMPI_Irecv(data, count, type, from, tag, communicator, request), request);
}

COMITY_EXPORT int MPI_Iallreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op operation,
                                 MPI_Comm communicator, MPI_Request* request) {
  return started(PMPI_Iallreduce(mine, all, count, type, operation, communicator, request), request);
}

COMITY_EXPORT int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm communicator,
                             MPI_Request* request) {
  return started(PMPI_Ibcast(data, count, type, root, communicator, request), request);
}

COMITY_EXPORT int MPI_Igather(const void* mine, int my_count, MPI_Datatype my_type, void* all, int count,
                              MPI_Datatype type, int root, MPI_Comm communicator, MPI_Request* request) {
  return started(PMPI_Igather(mine, my_count, my_type, all, count, type, root, communicator, request), request);
}

COMITY_EXPORT int MPI_Igatherv(const void* mine, int my_count, MPI_Datatype my_type, void* all, const int all_counts[],
                               const int first[], MPI_Datatype type, int root, MPI_Comm communicator,
                               MPI_Request* request) {
  const int code = PMPI_Igatherv(mine, my_count, my_type, all, all_counts, first, type, root, communicator, request);
  return started(code, request);
}

COMITY_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  const MPI_Request before = *request;
  const int code = PMPI_Test(request, flag, status);
  done(before, *request);
  return code;
}

COMITY_EXPORT int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  const MPI_Request before = *request;
  const int code = PMPI_Wait(request, status);
  done(before, *request);
  return code;
}

COMITY_EXPORT int MPI_Request_free(MPI_Request* request) {
  const MPI_Request before = *request;
  const int code = PMPI_Request_free(request);
  done(before, *request);
  return code;
}
