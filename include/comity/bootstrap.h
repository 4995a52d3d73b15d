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

#ifdef __cplusplus
}
#endif
#endif
