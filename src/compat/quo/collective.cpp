// SPDX-License-Identifier: BSD-3-Clause
// The calls in which the ranks of a node meet.
#include "compat/quo/codes.hpp"
#include "compat/quo/context.hpp"

namespace {

using comity::quo::answer;
using comity::quo::fail;

// All ranks of the node learn where this one's threads are now. It meets them also where it cannot tell that itself.
comity_status publish(comity_context* context) {
  comity_cpuset mine{};
  const comity_status looked = comity_context_binding(context, &mine);
  const comity_status met = comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER);
  return met == COMITY_OK ? looked : met;
}

}  // namespace

int QUO_barrier(QUO_context q) {
  if (q == nullptr) return fail("QUO_barrier", QUO_ERR_INVLD_ARG, "the context is null");
  return answer("QUO_barrier", comity_context_quiesce(q->context, nullptr, 0, COMITY_FOREVER));
}

// The masks that all ranks publish when they meet are those that it goes by, so it is equal on all, whatever they do next.
int QUO_auto_distrib(QUO_context q, QUO_obj_type_t distrib_over_this, int max_qids_per_res_type, int* out_selected) {
  constexpr const char* kCall = "QUO_auto_distrib";
  if (q == nullptr || out_selected == nullptr) {
    return fail(kCall, QUO_ERR_INVLD_ARG, "a null pointer; pass a context, and where the result goes");
  }
  if (max_qids_per_res_type <= 0) {
    return fail(kCall, QUO_ERR_INVLD_ARG, "at least one rank for each object is needed");
  }
  *out_selected = 0;
  comity_type kind{};
  if (!comity::quo::find_type(kCall, distrib_over_this, kind)) return QUO_ERR_INVLD_ARG;
  comity_distribution mine{};
  comity_status status = publish(q->context);
  if (status == COMITY_OK) {
    status = comity_context_distribute(q->context, kind, max_qids_per_res_type, COMITY_RULE_QUO_1_4, &mine);
  }
  *out_selected = mine.selected;
  return answer(kCall, status);
}

int QUO_get_mpi_comm_by_type(QUO_context q, QUO_obj_type_t target_type, MPI_Comm* out_comm) {
  constexpr const char* kCall = "QUO_get_mpi_comm_by_type";
  if (q == nullptr || out_comm == nullptr) {
    return fail(kCall, QUO_ERR_INVLD_ARG, "a null pointer; pass a context, and where the result goes");
  }
  if (target_type != QUO_OBJ_MACHINE) {
    return fail(kCall, QUO_ERR_NOT_SUPPORTED,
                "there are communicators of QUO_OBJ_MACHINE only; comity_context_communicator makes the others");
  }
  MPI_Comm made = MPI_COMM_NULL;
  if (MPI_Comm_dup(q->node, &made) != MPI_SUCCESS) {
    return fail(kCall, QUO_ERR_MPI, "MPI_Comm_dup failed; see MPI's own message");
  }
  *out_comm = made;
  return QUO_SUCCESS;
}
