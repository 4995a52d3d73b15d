/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank should run where, asked from inside a program: an order of its processes that fits their seats, and grids cut into boxes.
 * Reordered communicators: see comity_mpi.h. Conventions of all C headers: see comity.h. */
#ifndef COMITY_PLACE_H
#define COMITY_PLACE_H

#include <stdint.h>

#include <comity/context.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COMITY_PLACE_DIMENSIONS 4 /**< [dimensions] of a grid at most; when ranks are ordered, of more than one cell */
#define COMITY_PLACE_LEVELS 5 /**< [levels] that processes are told apart by at most: nodes and four kinds of objects */

/* --- an order of processes ------------------------------------------------------------------------------------------- */
/* Two things that the calls have no arguments for are settings, of the process that finds the order (of a communicator: rank 0):
 * COMITY_PLACE_DIAGONAL, what cells of a grid exchange that touch at an edge or a corner only, and COMITY_PLACE_COSTS, what crossing a
 * level costs for COMITY_PLACE_TIME; `comity env` explains them. What lies between nodes has no setting: a seat tells its node by a
 * number, and switches stand in files that go by names of hosts, which no MPI tells and each process would have to read. All nodes
 * count as equally far from one another here; `comity place --network` and `--torus` plan for them before the start. */

/** Where a process sits. Since: 0.1. */
typedef struct comity_place_seat {
  uint64_t node;    /**< [number] of its node: equal for those that share one, another for each node */
  int32_t position; /**< [index] the first PU of its binding; processes of one object need not be neighbours */
  int32_t package;  /**< [index] the package that encloses its binding; -1: none */
  int32_t numa;     /**< [index] the NUMA node that does; -1: none */
  int32_t l3;       /**< [index] the level-3 cache that does; -1: none */
  int32_t l2;       /**< [index] the level-2 cache that does; -1: none */
} comity_place_seat;

/** What an order is to make small. Levels are nodes, and inside them what divides processes. Since: 0.1. */
typedef enum comity_place_objective {
  COMITY_PLACE_WORST = 0, /**< the node with most exchanges, then the sum of nodes; then the same of the next level */
  COMITY_PLACE_SUM = 1,   /**< the sum of nodes, then the node with most; then the same of the next level */
  COMITY_PLACE_TIME = 2   /**< the worst of each level added up, a level at a tenth of the one before; then the sums */
} comity_place_objective;

/** What an order makes cross one level, and what no order has less of: `sum` is of the whole job, each exchange once, `worst` of the
 *  node with most, at an inner level of what crosses inside the enclosing object with most. At an inner level a bound holds for orders that
 *  leave as much outside. A gap is the part by which a figure exceeds its bound: 0 is proven optimal; -1: the bound is 0 and tells
 *  nothing. Since: 0.1. */
typedef struct comity_place_figures {
  int64_t before_sum;   /**< [weight] in the order that the processes had */
  int64_t before_worst; /**< [weight] in the same */
  int64_t sum;          /**< [weight] in the order found */
  int64_t worst;        /**< [weight] in the order found */
  int64_t bound_sum;    /**< [weight] no order has less */
  int64_t bound_worst;  /**< [weight] no order has less */
  double gap_sum;       /**< [part] 0 and above, or -1 */
  double gap_worst;     /**< [part] 0 and above, or -1 */
  double time;          /**< [cost] of all levels, at each the same: what COMITY_PLACE_TIME makes small */
  double bound_time;    /**< [cost] no order has less */
  double gap_time;      /**< [part] 0 and above, or -1 */
  int32_t type;         /**< [comity_type] what the level tells apart: COMITY_MACHINE: nodes; else objects in them */
  int32_t levels;       /**< [levels] that the order has, 1 .. COMITY_PLACE_LEVELS */
} comity_place_figures;

/** Where this process sits, by its binding of now (comity_context_binding).
 *  @param context [handle].   @param seat [comity_place_seat, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_context_seat(const comity_context* context, comity_place_seat* seat);

/** How good the last order is that a call of this thread found (comity_place_grid, comity_place_graph; comity_place_cart_create,
 *  comity_place_graph_create on all ranks): of one level what crosses it, what no order falls below, and the gap. A call that fails
 *  leaves them as they were. The bounds are those of `comity place` (docs/place.md, What is proven).
 *  @param level [index] 0: nodes; then what divides the processes inside them, the coarsest first; COMITY_PLACE_LEVELS at most.
 *  @param figures [comity_place_figures, out] untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND: the order has no such level, or there is none yet; COMITY_ERR_RANGE: below 0;
 *  COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_place_found(int32_t level, comity_place_figures* figures);

/** Set what comity_place_found() returns to this thread: for libraries that extend this interface, as the library for communicators
 *  does where another rank found the order.
 *  @param levels [levels] 0 .. COMITY_PLACE_LEVELS.   @param figures [comity_place_figures, array of levels] copied.
 *  @return COMITY_OK; COMITY_ERR_RANGE; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: none. */
COMITY_EXPORT comity_status comity_place_report(int32_t levels, const comity_place_figures* figures);

/** The order of processes in which the neighbours of a grid are close: as few exchanges as found cross nodes, then packages,
 *  NUMA nodes and caches, where every process of a node is bound inside one each. Never worse by the objective than the order that
 *  the processes have, which stays where nothing is better. Equal questions have equal answers. comity_place_found tells how good it
 *  is, and with COMITY_LOG=info a line what it won. Settings: COMITY_PLACE_DIAGONAL, what cells exchange that touch at an edge or
 *  a corner only (nothing unless set; through a ring of one cell they end at the neighbour in the other dimensions, as in
 *  MPI_Cart_rank); COMITY_PLACE_COSTS, what crossing a level costs for COMITY_PLACE_TIME.
 *  @param ranks [processes] 1 .. 2^24.   @param seats [comity_place_seat, array of ranks] of each process.
 *  @param dimensions [dimensions] at least 1.   @param extents [cells, array of dimensions] at most COMITY_PLACE_DIMENSIONS of them
 *  above 1; all together at most `ranks` cells. Ranks are cells in row-major order, as in MPI_Cart_create.
 *  @param periodic [flags, array of dimensions] not 0: the dimension closes to a ring; may be null: none does.
 *  @param halo [weight, array of dimensions] 1 .. 10^9: what neighbours in each dimension exchange; may be null: 1 each.
 *  @param objective [enum] what is to be small.
 *  @param new_ranks [ranks, out, array of ranks] of each process; -1: the grid has fewer cells, and it gets none. Untouched on
 *  failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE: a number, or more cells than ranks; COMITY_ERR_ARGUMENT: null, or no such objective;
 *  COMITY_ERR_MEMORY; COMITY_ERR_OPTION: a setting.
 *  Call from: any thread. Blocks: no, but for large grids it takes its time. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 002_... 3.1.1. */
COMITY_EXPORT comity_status comity_place_grid(int32_t ranks, const comity_place_seat* seats, int32_t dimensions,
                                              const int32_t* extents, const int32_t* periodic, const int64_t* halo,
                                              comity_place_objective objective, int32_t* new_ranks);

/** The same for any pattern of exchanges.
 *  @param ranks [processes] 1 .. 2^24.   @param seats [comity_place_seat, array of ranks] of each process.
 *  @param edges [edges] 0 or more.   @param from [ranks, array of edges] one end.   @param to [ranks, array of edges] the other
 *  end. Two ranks that several edges join, in either direction, exchange what these say together.
 *  @param weights [weight, array of edges] at least 1, 2^60 together at most; may be null: 1 each.
 *  @param objective [enum] what is to be small.
 *  @param new_ranks [ranks, out, array of ranks] of each process. Untouched on failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE: a number, or an end that is no rank; COMITY_ERR_ARGUMENT: null, no such objective, or an edge
 *  that joins a rank with itself; COMITY_ERR_MEMORY; COMITY_ERR_OPTION: a setting.
 *  Call from: any thread. Blocks: no, but for large graphs it takes its time. Collective: no. Owns: nothing. Since: 0.1.
 *  Source: 002_... 3.1.1. */
COMITY_EXPORT comity_status comity_place_graph(int32_t ranks, const comity_place_seat* seats, int64_t edges,
                                               const int32_t* from, const int32_t* to, const int64_t* weights,
                                               comity_place_objective objective, int32_t* new_ranks);

/* --- boxes of a grid --------------------------------------------------------------------------------------------------- */

/** What one level of boxes is to be. Since: 0.1. */
typedef struct comity_place_level {
  int64_t parts;      /**< [boxes] that each box of the level before is cut into; 0: the fewest within most_cells */
  int64_t most_cells; /**< [cells] that a box may have; 0: any number */
} comity_place_level;

/** Cut a grid into boxes, those into boxes again, and so on: of ranks, of threads, of cache blocks. Each level is cut so that the
 *  box of most cells, with a halo of one cell on each side that has a neighbour in its outer box, has the fewest; of equal ways so that
 *  least crosses, and then so that rows (the last dimension) stay whole. Where cells are told and no parts there are as few boxes as
 *  there can be, cut in the same manner. All ways to cut a level's box are tried, so no other has less: the answer is its own bound.
 *  The cuts of the ranks are extents for comity_place_cart_create.
 *  @param dimensions [dimensions] 1 .. COMITY_PLACE_DIMENSIONS.   @param extents [cells, array of dimensions] 1 .. 2^40 each,
 *  2^60 together at most.   @param levels [levels] at least 1.   @param wanted [comity_place_level, array of levels] the
 *  outermost first.   @param cuts [pieces, out, array of levels x dimensions] of each dimension, level after level. Untouched on
 *  failure.
 *  @return COMITY_OK; COMITY_ERR_RANGE: a number, or so many boxes do not come out of a grid like this, each with a cell;
 *  COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 002_... 3.1.1, 3.1.2. */
COMITY_EXPORT comity_status comity_place_decompose(int32_t dimensions, const int64_t* extents, int32_t levels,
                                                   const comity_place_level* wanted, int32_t* cuts);

/** How many cells one box begins at, and has. Boxes of one outer box differ by a cell a dimension at most; one of a level that is cut
 *  by cells may be empty where its outer box is smaller than others.
 *  @param dimensions [dimensions] as in comity_place_decompose.   @param extents [cells, array of dimensions] the same.
 *  @param levels [levels] the first so many.   @param cuts [pieces, array of levels x dimensions] as found.
 *  @param box [index, array of levels] at each level which box of its outer one, in row-major order of the cuts.
 *  @param first [cells, out, array of dimensions].   @param extent [cells, out, array of dimensions].
 *  @return COMITY_OK; COMITY_ERR_RANGE: a number, or there is no such box; COMITY_ERR_ARGUMENT: null.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 002_... 3.1.2. */
COMITY_EXPORT comity_status comity_place_box(int32_t dimensions, const int64_t* extents, int32_t levels,
                                             const int32_t* cuts, const int64_t* box, int64_t* first, int64_t* extent);

#ifdef __cplusplus
}
#endif
#endif
