// SPDX-License-Identifier: BSD-3-Clause
// What the node has, who is on it, and where they run: calls that no rank waits in.
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "compat/quo/codes.hpp"
#include "compat/quo/context.hpp"

namespace {

using comity::quo::answer;
using comity::quo::answer_index;
using comity::quo::decline;
using comity::quo::fail;
using comity::quo::find_type;
using comity::quo::has_lost_a_rank;

int need(const char* call) {
  return decline(call, QUO_ERR_INVLD_ARG, "a null pointer; pass a context, and where the result goes");
}

int count(const char* call, QUO_context q, QUO_obj_type_t type, int* result) {
  if (q == nullptr || result == nullptr) return need(call);
  comity_type kind{};
  if (!find_type(call, type, kind)) return QUO_ERR_INVLD_ARG;
  return answer(call, comity_context_count(q->context, kind, result));
}

int known(const char* call, QUO_context q, int QUO_t::*number, int* result) {
  if (q == nullptr || result == nullptr) return need(call);
  *result = q->*number;
  return QUO_SUCCESS;
}

// `set` has CPUs, and all of them are in `whole`.
bool lies_in(const comity_cpuset& set, const comity_cpuset& whole) {
  bool has_cpus = false;
  for (std::size_t i = 0; i < std::size(set.words); ++i) {
    if ((set.words[i] & ~whole.words[i]) != 0) return false;
    has_cpus = has_cpus || set.words[i] != 0;
  }
  return has_cpus;
}

// By their CPUs, as QUO has it: a node of memory alone lies in nothing.
comity_status count_numa_nodes(const comity_context* context, comity_type outer, int index, int& result) {
  comity_cpuset whole{};
  std::int32_t nodes = 0;
  comity_status status = comity_context_cpuset(context, outer, index, &whole);
  if (status == COMITY_OK) status = comity_context_count(context, COMITY_NUMA, &nodes);
  int inside = 0;
  for (std::int32_t node = 0; node < nodes && status == COMITY_OK; ++node) {
    comity_cpuset set{};
    status = comity_context_cpuset(context, COMITY_NUMA, node, &set);
    if (lies_in(set, whole)) ++inside;
  }
  if (status == COMITY_OK) result = inside;
  return status;
}

// Bytes that QUO's callers free themselves.
template <typename Item>
Item* allocate(std::size_t items) {
  return static_cast<Item*>(std::malloc(items * sizeof(Item)));
}

}  // namespace

bool comity::quo::find_type(const char* call, QUO_obj_type_t type, comity_type& found) {
  switch (static_cast<int>(type)) {
    case QUO_OBJ_MACHINE:
      found = COMITY_MACHINE;
      return true;
    case QUO_OBJ_NUMANODE:
      found = COMITY_NUMA;
      return true;
    case QUO_OBJ_PACKAGE:
    case QUO_OBJ_SOCKET:
      found = COMITY_PACKAGE;
      return true;
    case QUO_OBJ_CORE:
      found = COMITY_CORE;
      return true;
    case QUO_OBJ_PU:
      found = COMITY_PU;
      return true;
    default:
      (void)decline(call, QUO_ERR_INVLD_ARG, "no such type; give one of QUO_OBJ_MACHINE (0) to QUO_OBJ_PU (5)");
      return false;
  }
}

int QUO_nobjs_by_type(QUO_context q, QUO_obj_type_t target_type, int* out_nobjs) {
  return count("QUO_nobjs_by_type", q, target_type, out_nobjs);
}

int QUO_nnumanodes(QUO_context q, int* out_nnumanodes) {
  return count("QUO_nnumanodes", q, QUO_OBJ_NUMANODE, out_nnumanodes);
}

int QUO_nsockets(QUO_context q, int* out_nsockets) { return count("QUO_nsockets", q, QUO_OBJ_SOCKET, out_nsockets); }

int QUO_ncores(QUO_context q, int* out_ncores) { return count("QUO_ncores", q, QUO_OBJ_CORE, out_ncores); }

int QUO_npus(QUO_context q, int* out_npus) { return count("QUO_npus", q, QUO_OBJ_PU, out_npus); }

int QUO_nobjs_in_type_by_type(QUO_context q, QUO_obj_type_t in_type, int in_type_index, QUO_obj_type_t type,
                              int* out_result) {
  constexpr const char* kCall = "QUO_nobjs_in_type_by_type";
  if (q == nullptr || out_result == nullptr) return need(kCall);
  *out_result = 0;
  comity_type outer{};
  comity_type inner{};
  if (!find_type(kCall, in_type, outer) || !find_type(kCall, type, inner)) return QUO_ERR_INVLD_ARG;
  if (inner == COMITY_NUMA) return answer_index(kCall, count_numa_nodes(q->context, outer, in_type_index, *out_result));
  return answer_index(kCall, comity_context_count_within(q->context, inner, outer, in_type_index, out_result));
}

int QUO_cpuset_in_type(QUO_context q, QUO_obj_type_t type, int in_type_index, int* out_result) {
  constexpr const char* kCall = "QUO_cpuset_in_type";
  if (q == nullptr || out_result == nullptr) return need(kCall);
  comity_type kind{};
  if (!find_type(kCall, type, kind)) return QUO_ERR_INVLD_ARG;
  return answer_index(kCall, comity_context_intersects(q->context, kind, in_type_index, out_result));
}

int QUO_qids_in_type(QUO_context q, QUO_obj_type_t type, int in_type_index, int* out_nqids, int** out_qids) {
  constexpr const char* kCall = "QUO_qids_in_type";
  if (q == nullptr || out_nqids == nullptr || out_qids == nullptr) return need(kCall);
  *out_nqids = 0;
  *out_qids = nullptr;
  comity_type kind{};
  if (!find_type(kCall, type, kind)) return QUO_ERR_INVLD_ARG;
  int* const qids = allocate<int>(static_cast<std::size_t>(q->qids));
  if (qids == nullptr) return fail(kCall, QUO_ERR_OOR, "out of memory for the list of ranks");
  int found = 0;
  const comity_status status =
      comity_context_peers_in(q->context, kind, in_type_index, COMITY_VIEW_LIVE, qids, q->qids, &found);
  const bool has_lost = status == COMITY_OK && found < q->qids && has_lost_a_rank(q);
  if (status != COMITY_OK || has_lost || found == 0) std::free(qids);
  if (status != COMITY_OK) return answer_index(kCall, status);
  if (has_lost) return fail(kCall, QUO_ERR_SYS, "a rank of this node has ended; go on in a context of the others");
  if (found == 0) return QUO_SUCCESS;
  *out_nqids = found;
  *out_qids = qids;
  return QUO_SUCCESS;
}

int QUO_nnodes(QUO_context q, int* out_nodes) { return known("QUO_nnodes", q, &QUO_t::nodes, out_nodes); }

int QUO_nqids(QUO_context q, int* out_nqids) { return known("QUO_nqids", q, &QUO_t::qids, out_nqids); }

int QUO_id(QUO_context q, int* out_qid) { return known("QUO_id", q, &QUO_t::qid, out_qid); }

int QUO_bound(QUO_context q, int* bound) {
  if (q == nullptr || bound == nullptr) return need("QUO_bound");
  return answer("QUO_bound", comity_context_is_bound(q->context, bound));
}

int QUO_stringify_cbind(QUO_context q, char** cbind_str) {
  constexpr const char* kCall = "QUO_stringify_cbind";
  if (q == nullptr || cbind_str == nullptr) return need(kCall);
  comity_cpuset mine{};
  std::size_t length = 0;
  comity_status status = comity_context_binding(q->context, &mine);
  // Without room it only tells the length, as a failure.
  if (status == COMITY_OK) (void)comity_cpuset_string(&mine, COMITY_FORM_LIST, nullptr, 0, &length);
  if (status != COMITY_OK) return answer(kCall, status);
  char* const text = allocate<char>(length + 1);
  if (text == nullptr) return fail(kCall, QUO_ERR_OOR, "out of memory for the text");
  status = comity_cpuset_string(&mine, COMITY_FORM_LIST, text, length + 1, nullptr);
  if (status != COMITY_OK) {
    std::free(text);
    return answer(kCall, status);
  }
  *cbind_str = text;
  return QUO_SUCCESS;
}
