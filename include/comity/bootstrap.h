/* SPDX-License-Identifier: BSD-3-Clause */
/* What Comity needs of a job before its ranks share memory, as callbacks: lets a program without MPI (or with a launcher
 * of its own) create contexts. Programs with MPI use comity_mpi.h instead. Conventions: see comity.h. */
#ifndef COMITY_BOOTSTRAP_H
#define COMITY_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#include <comity/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The job that creates a context. "Candidates" are those of its ranks that the launcher believes to be on this node;
 *  their order is job-rank order. Each callback returns COMITY_OK or the code that the create shall fail with; it is called
 *  only inside create, by the thread that creates. Since: 0.1. Source: DESIGN, layers. */
typedef struct comity_bootstrap {
  void* self;             /**< handed to each callback */
  int32_t job_rank;       /**< 0 .. job_size-1 */
  int32_t job_size;       /**< at least 1 */
  int32_t candidate_rank; /**< 0 .. candidate_size-1 */
  int32_t candidate_size; /**< 1 .. job_size */
  /** Collective over the candidates: `mine` [block_bytes, in] is this rank's block; `all` [candidate_size blocks, out] gets
   *  everybody's in candidate order; block_bytes [bytes] is equal on all. */
  comity_status (*candidate_gather)(void* self, const void* mine, void* all, size_t block_bytes);
  /** Collective over the job: `largest` [number, out] gets the largest of all values `mine` [number]. */
  comity_status (*job_max)(void* self, int64_t mine, int64_t* largest);
  /** Collective over the job: `sum` [number, out] gets the sum of all values `mine` [number]. */
  comity_status (*job_sum)(void* self, int64_t mine, int64_t* sum);
} comity_bootstrap;

/** A number by which a bootstrap finds its candidates: equal on processes that one kernel runs in one network namespace,
 *  whatever names their containers have, and all but surely different on others. Where the kernel does not say which
 *  boot this is, the host's name takes its place.
 *  @param key [number, out].
 *  @return COMITY_OK; COMITY_ERR_ARGUMENT: null; COMITY_ERR_MEMORY.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: DESIGN, topology and node. */
COMITY_EXPORT comity_status comity_node_key(uint64_t* key);

/** The ranks that this rank's launcher started on this node and that have not ended, for a callback that waits for others: who
 *  is missing here will not come. Reads a file or two of each process of the node, which takes milliseconds: ask when a
 *  wait has lasted a quarter of a second.
 *  @param ranks [job ranks, out] ascending; null with capacity 0 only counts.   @param capacity [ranks] room in `ranks`.
 *  @param count [ranks, out] how many live.   @param started [ranks, out] how many the launcher says that it started on
 *  this node; 0: it does not say.
 *  @return COMITY_OK; COMITY_ERR_UNSUPPORTED: nobody can tell, for this process was not started as a rank, or its launcher is
 *  in another PID namespace, or a process below the launcher shows no rank, or two show the same; COMITY_ERR_RANGE: more than `capacity`
 *  (count is set); COMITY_ERR_ARGUMENT: null, or a capacity below 0.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: DESIGN, liveness. */
COMITY_EXPORT comity_status comity_launched_ranks(int32_t* ranks, int32_t capacity, int32_t* count, int32_t* started);

#ifdef __cplusplus
}
#endif
#endif
