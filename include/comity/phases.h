/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases: which ranks of a node work (distribution), and the phase in which they are wide and the others rest.
 * Conventions of all C headers: see comity.h. */
#ifndef COMITY_PHASES_H
#define COMITY_PHASES_H

#include <stdint.h>

#include <comity/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- distribution -------------------------------------------------------------------------------------------------- */

/** How ranks are selected. Since: 0.1. */
typedef enum comity_rule {
  COMITY_RULE_FILL = 0,        /**< ranks inside one object first, then the others where room is left (000_... III.C);
                                *   objects with equal CPU sets count once, under the lowest number */
  COMITY_RULE_ALGORITHM_1 = 1, /**< Algorithm 1 of 003_... 3.3.6, to the letter */
  COMITY_RULE_QUO_1_4 = 2      /**< what libquo 1.4 does: only ranks inside one object, unless all are in several */
} comity_rule;

/** My part in a distribution. Since: 0.1. */
typedef struct comity_distribution {
  int32_t selected;    /**< [0 or 1] I work in the phase */
  int32_t object;      /**< [index] the object that I work on; -1 where not selected */
  int32_t leader;      /**< [node rank] the selected rank that works for me: myself where selected; -1 if nobody is */
  int32_t share;       /**< [index] 0 .. share_count-1: my place among the ranks of my leader; the leader is 0 */
  int32_t share_count; /**< [ranks] how many ranks my leader works for, itself included */
  int32_t selected_count; /**< [ranks] how many ranks of the node are selected */
} comity_distribution;

/** Select ranks of this node, at most `max_per` an object. Equal on all ranks, from the published masks. Nobody is selected
 *  for a NUMA node without PUs. Where two have the same PUs (a node's ordinary and its fast memory), COMITY_RULE_FILL
 *  selects for the lower number alone; the other two rules count both, as their sources do.
 *  @param context [handle].   @param type [enum].   @param max_per [ranks an object] at least 1.   @param rule [enum].
 *  @param result [comity_distribution, out].
 *  @return COMITY_OK; COMITY_ERR_NOT_FOUND: the machine has no such object, or none with CPUs; COMITY_ERR_RANGE: max_per;
 *  COMITY_ERR_HANDLE; COMITY_ERR_ARGUMENT: null, or no such kind or rule.
 *  Call from: any thread. Blocks: no. Collective: no. Owns: nothing. Since: 0.1. Source: 000_... III.C; 003_... 3.3.6.
 *  */
COMITY_EXPORT comity_status comity_context_distribute(comity_context* context, comity_type type, int32_t max_per,
                                                      comity_rule rule, comity_distribution* result);

/* --- phases -------------------------------------------------------------------------------------------------------- */

/** Begin a wide phase: see what the cgroup allows now, select (rule fill), and on the selected ranks push their object
 *  and size the OpenMP team of the calling thread to it. The phase's body runs on the ranks where *selected is 1; every
 *  rank then calls comity_context_leave:
 *      comity_context_enter(context, COMITY_NUMA, 1, 0, &selected);
 *      if (selected) solve();
 *      comity_context_leave(context);
 *  @param context [handle].   @param type [enum].   @param per [ranks an object] at least 1; ranks selected for one
 *  object divide its cores in order, and objects with equal CPU sets count once.   @param width [cores] of my share; 0, or
 *  more than there are: all of it. Fewer leave the rest of the object to ranks that go on working on their own bindings:
 *  those cores are taken first on which fewest of them work, of these the rank's own.
 *  @param selected [0 or 1, out] 0 on failure.
 *  @return COMITY_OK. COMITY_ERR_NOT_FOUND: no such object with CPUs; COMITY_ERR_RANGE: per, width, or 64 phases are open;
 *  COMITY_ERR_HANDLE: as in comity_context_push; COMITY_ERR_ARGUMENT: null, or no such kind: with these four nothing
 *  has changed, and no phase is open. Any other failure (COMITY_ERR_SYSTEM: the kernel refused this rank's push;
 *  COMITY_ERR_MEMORY) is this rank's alone and comes after the selection: the phase is open without it, so
 *  comity_context_leave is due all the same.
 *  Call from: one thread a rank. Blocks: no. Collective: over the node. Owns: one phase until leave. Since: 0.1.
 *  Source: 000_... Example 1. */
COMITY_EXPORT comity_status comity_context_enter(comity_context* context, comity_type type, int32_t per, int32_t width,
                                                 int32_t* selected);

/** End a phase: pop (also what the body pushed through this context and did not pop), quiesce until all ranks of the
 *  node have left, restore the size of the team. Nothing else ends the entry that comity_context_enter pushed: a
 *  comity_context_pop inside the phase is COMITY_ERR_ORDER once what the body pushed is popped. Where a phase of another
 *  context, entered later, is still open, its binding and its team stay, and its end gives back what was before both.
 *  @param context [handle] the one that entered.
 *  @return COMITY_OK; COMITY_ERR_ORDER: no enter before; COMITY_ERR_PEER_LOST (the binding is restored all the same);
 *  COMITY_ERR_HANDLE: as in comity_context_push; COMITY_ERR_ARGUMENT: null; COMITY_ERR_SYSTEM: the phase is left and the
 *  ranks have met, but the kernel refused a thread of this rank its former mask (as in comity_context_pop), or told this
 *  rank's binding no more.
 *  Call from: the thread that entered. Blocks: yes. Collective: over the node. Owns: gives the phase back. Since: 0.1.
 *  Source: 000_... Example 1. */
COMITY_EXPORT comity_status comity_context_leave(comity_context* context);

#ifdef __cplusplus
}
#endif
#endif
