/* SPDX-License-Identifier: BSD-3-Clause */
/* QUO's C interface, version 1.4.1, over Comity: for programs that are written for libquo. New programs use comity.h, which
 * says more and does more; docs/quo-migration.md shows call by call how to move over.
 *
 * Conventions of all functions
 *  - Each returns a QUO_SUCCESS or a QUO_ERR code. A null context or a null result pointer is QUO_ERR_INVLD_ARG. Results are
 *    untouched on failure unless said otherwise.
 *  - Why a call failed is told on the standard error where the user must act: a system or an MPI that refuses, a rank that has
 *    died, a policy or flags that do not exist, a pop across the push of another context. What a program may ask for to try it
 *    (no such type, index or object, nothing to pop, a push too many or refused) has its code alone; comity_last_error() has
 *    the sentence.
 *  - Objects are numbered 0 .. count-1 in logical order, over what the job may use of this node. A "qid" is a rank's number
 *    among those of the creating communicator on its node, from 0, in the order of that communicator.
 *  - My binding is the union of the masks of the threads of my process, without those that MPI keeps for itself.
 *  - "Collective: over the node" means all ranks of the creating communicator on the caller's node.
 *  - One thread of a process at a time uses a context. A fork child of that process gets QUO_ERR_INVLD_ARG from calls that move,
 *    meet, distribute or make a communicator; the others answer as of its parent. */
#ifndef QUO_H_INCLUDED
#define QUO_H_INCLUDED

#include <mpi.h>

#if defined(__GNUC__)
#define QUO_EXPORT __attribute__((visibility("default")))
#else
#define QUO_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LIBQUO 1
#define QUO_HAS_API_VERSIONING 1
#define QUO_API_VERSION 0x00010401 /* 1.4.1: a byte each for major, minor and micro */

/* NOLINTBEGIN(modernize-use-using): this is C */
struct QUO_t;
typedef struct QUO_t QUO_t; /**< opaque */
typedef QUO_t* QUO_context; /**< from QUO_create to QUO_free */

/** What every function returns. */
enum {
  QUO_SUCCESS = 0,
  QUO_SUCCESS_ALREADY_DONE = 1, /**< never returned */
  QUO_ERR = 2,                  /**< a defect of the library */
  QUO_ERR_SYS = 3,              /**< the system refused, or a rank of the node has died */
  QUO_ERR_OOR = 4,              /**< out of memory, or more than 127 pushes */
  QUO_ERR_INVLD_ARG = 5,        /**< a null pointer, or no such type, index, policy, number or flag */
  QUO_ERR_CALL_BEFORE_INIT = 6, /**< never returned */
  QUO_ERR_TOPO = 7,             /**< the topology cannot be read */
  QUO_ERR_MPI = 8,              /**< MPI is not initialised, is finalised, or reports an error */
  QUO_ERR_NOT_SUPPORTED = 9,    /**< the kernel refuses a binding, nothing to bind to, or QUO has no such thing */
  QUO_ERR_POP = 10,             /**< a pop that matches no push */
  QUO_ERR_NOT_FOUND = 11        /**< no such object here */
};

/** A kind of hardware object. */
typedef enum {
  QUO_OBJ_MACHINE = 0,
  QUO_OBJ_NUMANODE = 1,
  QUO_OBJ_PACKAGE = 2,
  QUO_OBJ_SOCKET = 3, /**< the same as QUO_OBJ_PACKAGE */
  QUO_OBJ_CORE = 4,
  QUO_OBJ_PU = 5 /**< a hardware thread */
} QUO_obj_type_t;

/** What QUO_bind_push binds to. */
typedef enum {
  QUO_BIND_PUSH_PROVIDED = 0, /**< the object of the number that is given */
  QUO_BIND_PUSH_OBJ = 1       /**< the lowest object that my binding touches; the number is ignored */
} QUO_bind_push_policy_t;

/** How a context sees the node. */
typedef enum {
  QUO_CREATE_NO_FLAGS = 0,
  QUO_CREATE_NO_MT = 1 /**< as if each core had one hardware thread */
} QUO_create_flags_t;
/* NOLINTEND(modernize-use-using) */

/** Version of the binary interface: 8 and 0. Before anything else, too.
 *  @param version [number, out].   @param subversion [number, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_version(int* version, int* subversion);

/** Create a context on an intra-communicator, which may be freed afterwards.
 *  @param q [context, out] null on failure.   @param comm [MPI handle].
 *  @return QUO_SUCCESS; QUO_ERR_MPI: before MPI_Init or after MPI_Finalize, a bad communicator, or an MPI error;
 *  QUO_ERR_TOPO; QUO_ERR_SYS; QUO_ERR_OOR: also where the node has 128 contexts, and 2 more for each of its ranks, already;
 *  QUO_ERR_INVLD_ARG: also where a setting of Comity is bad.
 *  Collective: over the communicator. A failure of one rank fails all. A rank that dies in it is QUO_ERR_SYS to the others
 *  within a second. Nobody tells of a node of which no rank is left, or whose launcher does not show its ranks, nor, in a
 *  first create of some ranks of a job on several nodes, of one that had ended before; after a death inside MPI_Comm_idup
 *  Open MPI makes no communicators any more. */
QUO_EXPORT int QUO_create(QUO_context* q, MPI_Comm comm);

/** As QUO_create.
 *  @param q [context, out] null on failure.   @param comm [MPI handle].   @param flags [enum] the same on all ranks.
 *  @return as QUO_create; QUO_ERR_INVLD_ARG: no such flags. */
QUO_EXPORT int QUO_create_with_flags(QUO_context* q, MPI_Comm comm, QUO_create_flags_t flags);

/** Free a context. The binding stays as it is: pop what was pushed before, where it shall not.
 *  @param q [context] null is QUO_SUCCESS.
 *  @return QUO_SUCCESS; QUO_ERR_SYS; QUO_ERR_MPI.
 *  Collective: over the communicator that created it, before MPI_Finalize. */
QUO_EXPORT int QUO_free(QUO_context q);

/** How many objects of a kind this node has.
 *  @param q [context].   @param target_type [enum].   @param out_nobjs [objects, out] 0 where there is none.
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_nobjs_by_type(QUO_context q, QUO_obj_type_t target_type, int* out_nobjs);

/** How many objects of a kind lie inside one object by their CPUs: a NUMA node of memory alone lies in none.
 *  @param q [context].   @param in_type [enum] of that object.   @param in_type_index [index] of that object.
 *  @param type [enum] what is counted.   @param out_result [objects, out] 0 on failure.
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_nobjs_in_type_by_type(QUO_context q, QUO_obj_type_t in_type, int in_type_index, QUO_obj_type_t type,
                                         int* out_result);

/** Whether my binding touches an object.
 *  @param q [context].   @param type [enum].   @param in_type_index [index].   @param out_result [0 or 1, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG; QUO_ERR_SYS. */
QUO_EXPORT int QUO_cpuset_in_type(QUO_context q, QUO_obj_type_t type, int in_type_index, int* out_result);

/** Which ranks of my node touch an object.
 *  @param q [context].   @param type [enum].   @param in_type_index [index].   @param out_nqids [ranks, out] 0 on failure.
 *  @param out_qids [qids, out] ascending, the caller frees it; null where nobody does, and on failure.
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG; QUO_ERR_OOR; QUO_ERR_SYS: also where a rank of the node has ended. */
QUO_EXPORT int QUO_qids_in_type(QUO_context q, QUO_obj_type_t type, int in_type_index, int* out_nqids, int** out_qids);

/** How many NUMA nodes this node has.
 *  @param q [context].   @param out_nnumanodes [objects, out] at least 1.
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_nnumanodes(QUO_context q, int* out_nnumanodes);

/** How many sockets this node has.
 *  @param q [context].   @param out_nsockets [objects, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_nsockets(QUO_context q, int* out_nsockets);

/** How many cores this node has.
 *  @param q [context].   @param out_ncores [objects, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_ncores(QUO_context q, int* out_ncores);

/** How many hardware threads this node has.
 *  @param q [context].   @param out_npus [objects, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_npus(QUO_context q, int* out_npus);

/** How many nodes the ranks of the creating communicator run on.
 *  @param q [context].   @param out_nodes [nodes, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_nnodes(QUO_context q, int* out_nodes);

/** How many ranks of the creating communicator run on my node.
 *  @param q [context].   @param out_nqids [ranks, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_nqids(QUO_context q, int* out_nqids);

/** My qid.
 *  @param q [context].   @param out_qid [qid, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_id(QUO_context q, int* out_qid);

/** Whether my binding is less than the node allows.
 *  @param q [context].   @param bound [0 or 1, out].
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG; QUO_ERR_SYS. */
QUO_EXPORT int QUO_bound(QUO_context q, int* bound);

/** My binding as a list, such as "0-3,8".
 *  @param q [context].   @param cbind_str [string, out] the caller frees it.
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG; QUO_ERR_OOR; QUO_ERR_SYS. */
QUO_EXPORT int QUO_stringify_cbind(QUO_context q, char** cbind_str);

/** Bind my process, with all its threads, to an object, until QUO_bind_pop. At most 127 pushes of a context are open.
 *  @param q [context].   @param policy [enum].   @param type [enum].   @param obj_index [index] for
 *  QUO_BIND_PUSH_PROVIDED.
 *  @return QUO_SUCCESS; QUO_ERR_INVLD_ARG; QUO_ERR_NOT_FOUND: my binding touches no such object; QUO_ERR_OOR;
 *  QUO_ERR_NOT_SUPPORTED: the kernel refuses, or the object has no CPUs; QUO_ERR_SYS. On failure nothing has changed. */
QUO_EXPORT int QUO_bind_push(QUO_context q, QUO_bind_push_policy_t policy, QUO_obj_type_t type, int obj_index);

/** Undo the last push: every thread gets the mask back that it had.
 *  @param q [context].
 *  @return QUO_SUCCESS; QUO_ERR_POP: nothing is pushed, or another context has pushed since (nothing has changed);
 *  QUO_ERR_NOT_SUPPORTED: it is undone, but the kernel refuses a thread its former mask; QUO_ERR_INVLD_ARG. */
QUO_EXPORT int QUO_bind_pop(QUO_context q);

/** Rest until all ranks of my node have come; a rank that rests leaves its cores to others.
 *  @param q [context].
 *  @return QUO_SUCCESS; QUO_ERR_SYS: a rank of the node has died; QUO_ERR_INVLD_ARG.
 *  Collective: over the node. */
QUO_EXPORT int QUO_barrier(QUO_context q);

/** Select ranks of my node, at most so many for each object of a kind.
 *  @param q [context].   @param distrib_over_this [enum] the same on all ranks.   @param max_qids_per_res_type [ranks] at
 *  least 1, the same on all ranks.   @param out_selected [0 or 1, out] 0 on failure where the other arguments are good.
 *  @return QUO_SUCCESS; QUO_ERR_NOT_FOUND: the node has no such object; QUO_ERR_INVLD_ARG; QUO_ERR_SYS.
 *  Collective: over the node. */
QUO_EXPORT int QUO_auto_distrib(QUO_context q, QUO_obj_type_t distrib_over_this, int max_qids_per_res_type,
                                int* out_selected);

/** A communicator of the ranks of my node, in the order of their qids.
 *  @param q [context].   @param target_type [enum] QUO_OBJ_MACHINE.   @param out_comm [MPI handle, out] the caller frees it.
 *  @return QUO_SUCCESS; QUO_ERR_NOT_SUPPORTED: another type; QUO_ERR_SYS: a rank of the node has died, but for one that dies inside
 *  MPI_Comm_create_group, which the first call makes where the context has several nodes: those of its node wait in MPI;
 *  QUO_ERR_NOT_FOUND: there this rank was bound to CPUs that its node lacks, at the create; QUO_ERR_MPI; QUO_ERR_INVLD_ARG.
 *  Collective: over the node. */
QUO_EXPORT int QUO_get_mpi_comm_by_type(QUO_context q, QUO_obj_type_t target_type, MPI_Comm* out_comm);

#ifdef __cplusplus
}
#endif
#endif
