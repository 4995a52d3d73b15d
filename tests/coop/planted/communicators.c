// SPDX-License-Identifier: BSD-3-Clause
// Makers of communicators, and what ends these. A wrong one numbers ranks the other way round.
#include "planted.h"

static int reversed(MPI_Comm comm, MPI_Comm* made) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, 0, -rank, made);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  // The programs take ranks of their twin of MPI_COMM_WORLD for its own.
  if (planted("dup_attributes") && comm != MPI_COMM_WORLD) {  // as if it were any other maker
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return PMPI_Comm_split(comm, 0, rank, made);
  }
  return planted("dup_order") && comm != MPI_COMM_WORLD ? reversed(comm, made) : PMPI_Comm_dup(comm, made);
}

int MPI_Cart_create(MPI_Comm comm, int dimensions, const int extents[], const int periods[], int reorder,
                    MPI_Comm* grid) {
  MPI_Comm other;
  if (!planted("cart_order")) return PMPI_Cart_create(comm, dimensions, extents, periods, reorder, grid);
  reversed(comm, &other);
  const int code = PMPI_Cart_create(other, dimensions, extents, periods, 0, grid);
  PMPI_Comm_free(&other);
  return code;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return planted("dup_with_info_order") ? reversed(comm, made) : PMPI_Comm_dup_with_info(comm, info, made);
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  MPI_Comm other;
  if (!planted("idup_order")) return PMPI_Comm_idup(comm, made, request);
  reversed(comm, &other);  // never freed: it is under way
  return PMPI_Comm_idup(other, made, request);
}

#if MPI_VERSION >= 4
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  MPI_Comm other;
  if (!planted("idup_with_info_order")) return PMPI_Comm_idup_with_info(comm, info, made, request);
  reversed(comm, &other);
  return PMPI_Comm_idup_with_info(other, info, made, request);
}
#endif

// What was made well, turned round.
static int turned(const char* what, int code, MPI_Comm* made) {
  MPI_Comm other;
  if (!planted(what) || code != MPI_SUCCESS || *made == MPI_COMM_NULL) return code;
  reversed(*made, &other);
  PMPI_Comm_free(made);
  *made = other;
  return code;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  if (planted("create_all")) return PMPI_Comm_dup(comm, made);
  return turned("create_order", PMPI_Comm_create(comm, group, made), made);
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  if (planted("create_group_alone")) return PMPI_Comm_dup(MPI_COMM_SELF, made);
  return PMPI_Comm_create_group(comm, group, tag, made);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* part) {
  return PMPI_Comm_split(comm, color, planted("split_order") ? -key : key, part);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* part) {
  return PMPI_Comm_split_type(comm, type, planted("split_type_order") ? -key : key, info, part);
}

int MPI_Cart_sub(MPI_Comm grid, const int kept[], MPI_Comm* part) {
  const int code = PMPI_Cart_sub(grid, kept, part);
  if (planted("cart_sub_whole")) {  // without what is no longer in it
    PMPI_Comm_free(part);
    return PMPI_Comm_dup(grid, part);
  }
  return code;
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int ends[], const int next[], int reorder, MPI_Comm* graph) {
  return turned("graph_topology", PMPI_Graph_create(comm, nodes, ends, next, reorder, graph), graph);
}

int MPI_Dist_graph_create(MPI_Comm comm, int count, const int from[], const int degrees[], const int to[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm* graph) {
  return PMPI_Dist_graph_create(comm, count, planted("dist_graph_ends") ? to : from, degrees,
                                planted("dist_graph_ends") ? from : to, weights, info, reorder, graph);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int from[], const int in_weights[], int out,
                                   const int to[], const int out_weights[], MPI_Info info, int reorder,
                                   MPI_Comm* graph) {
  MPI_Comm other;
  if (!planted("adjacent_order")) {
    return PMPI_Dist_graph_create_adjacent(comm, in, from, in_weights, out, to, out_weights, info, reorder, graph);
  }
  reversed(comm, &other);
  const int code =
      PMPI_Dist_graph_create_adjacent(other, in, from, in_weights, out, to, out_weights, info, reorder, graph);
  PMPI_Comm_free(&other);
  return code;
}

int MPI_Intercomm_create(MPI_Comm mine, int leader, MPI_Comm comm, int other, int tag, MPI_Comm* both) {
  const int code = PMPI_Intercomm_create(mine, leader, comm, other, tag, both);
  return planted("intercomm_code") ? MPI_ERR_OTHER : code;
}

int MPI_Intercomm_merge(MPI_Comm both, int last, MPI_Comm* made) {
  return PMPI_Intercomm_merge(both, planted("merge_order") ? !last : last, made);
}

int MPI_Comm_free(MPI_Comm* comm) {
  MPI_Comm freed = *comm;
  if (planted("free_skipped")) {  // the handle alone
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
  }
  return PMPI_Comm_free(planted("free_handle") ? &freed : comm);
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
  MPI_Comm freed = *comm;
  return PMPI_Comm_disconnect(planted("disconnect_handle") ? &freed : comm);
}
