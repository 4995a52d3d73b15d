// SPDX-License-Identifier: BSD-3-Clause
// The calls in which the ranks of a node meet.
#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "compat/quo/codes.hpp"
#include "compat/quo/context.hpp"

namespace {

using comity::quo::answer;
using comity::quo::answer_aloud;
using comity::quo::decline;
using comity::quo::fail;
using comity::quo::has_lost_a_rank;
using comity::quo::is_in_fork_child;
using comity::quo::noted;

// All ranks of the node learn where this one's threads are now. It meets them also where it cannot tell that itself.
comity_status publish(comity_context* context) {
  comity_cpuset mine{};
  const comity_status looked = comity_context_binding(context, &mine);
  const comity_status met = comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER);
  return met == COMITY_OK ? looked : met;
}

enum class Wait { done, failed, lost };

constexpr int kOnce = 1;
// A message that is on its way between two cores comes meanwhile; else its sender wants a core, perhaps this one. Fewer
// leave the core to nobody and come back late, many more keep it from the sender.
constexpr int kShortSpin = 64;

int test(MPI_Request& request, int& done, int times) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < times && code == MPI_SUCCESS && done == 0; ++i) {
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return code;
}

// All ranks are in the call when it begins: it is over before a sleep would be, and sleeps are for who waits in vain.
Wait wait_for_all(QUO_context q, MPI_Request& request) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kOffer = 5ms;  // as long as a crowd of ranks takes to come by
  constexpr auto kLookEvery = 250ms;
  constexpr std::chrono::microseconds kLongestSleep = 200us;
  const auto start = Clock::now();
  auto next_look = start + kLookEvery;
  std::chrono::microseconds sleep = 20us;
  int tests = kShortSpin;
  while (true) {
    int done = 0;
    if (test(request, done, tests) != MPI_SUCCESS) return Wait::failed;
    if (done != 0) return Wait::done;
    const auto now = Clock::now();
    if (now - start < kOffer) {
      std::this_thread::yield();
      continue;
    }
    tests = kOnce;
    if (now >= next_look) {
      next_look = now + kLookEvery;
      if (has_lost_a_rank(q)) return Wait::lost;
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(2 * sleep, kLongestSleep);
  }
}

// As if it were made from that one.
void take_errhandler(MPI_Comm made, MPI_Comm from) {
  MPI_Errhandler handler = MPI_ERRORS_ARE_FATAL;
  if (MPI_Comm_get_errhandler(from, &handler) != MPI_SUCCESS) return;
  MPI_Comm_set_errhandler(made, handler);
  MPI_Errhandler_free(&handler);
}

// The communicator of my node. Collective over the node. Where there are others, MPI has no call for it that returns at once: who
// ends inside leaves the ranks of its node waiting. So it stands here, and not in a create.
int find_node(const char* call, QUO_context q, MPI_Comm& node) {
  constexpr int kTag = 0;
  node = q->nodes == 1 ? q->all : q->node;
  if (node != MPI_COMM_NULL) return QUO_SUCCESS;
  if (MPI_Comm_create_group(q->all, q->here, kTag, &node) != MPI_SUCCESS) {
    return fail(call, QUO_ERR_MPI, "MPI_Comm_create_group failed; see MPI's own message");
  }
  if (node == MPI_COMM_NULL) {  // of the empty group
    return fail(call, QUO_ERR_NOT_FOUND,
                "this rank was bound to CPUs that its node lacks when the context was created; bind it to those of the "
                "node, and create another");
  }
  take_errhandler(node, q->all);
  q->node = node;
  return QUO_SUCCESS;
}

// Nobody is waited for, and a request costs more than the duplicate.
int duplicate_alone(const char* call, MPI_Comm node, MPI_Comm& made) {
  if (MPI_Comm_dup(node, &made) == MPI_SUCCESS) return QUO_SUCCESS;
  return fail(call, QUO_ERR_MPI, "MPI_Comm_dup failed; see MPI's own message");
}

int duplicate(const char* call, QUO_context q, MPI_Comm& made) {
  MPI_Comm node = MPI_COMM_NULL;
  if (const int code = find_node(call, q, node); code != QUO_SUCCESS) return code;
  if (q->qids == 1) return duplicate_alone(call, node, made);
  MPI_Request request = MPI_REQUEST_NULL;
  const bool begun = MPI_Comm_idup(node, &q->made, &request) == MPI_SUCCESS;
  const Wait end = begun ? wait_for_all(q, request) : Wait::failed;
  if (end == Wait::done) {
    made = std::exchange(q->made, MPI_COMM_NULL);
    return QUO_SUCCESS;
  }
  q->mpi_holds_on = begun;
  if (end == Wait::lost)
    return fail(call, QUO_ERR_SYS, "a rank of this node has ended, and MPI waits for it; end this job");
  return fail(call, QUO_ERR_MPI, "MPI_Comm_idup failed; see MPI's own message");
}

}  // namespace

int QUO_barrier(QUO_context q) {
  if (q == nullptr) return decline("QUO_barrier", QUO_ERR_INVLD_ARG, "the context is null");
  return answer_aloud("QUO_barrier", noted(q, comity_context_quiesce(q->context, nullptr, 0, COMITY_FOREVER)));
}

// The masks that all ranks publish when they meet are those that it goes by, so it is equal on all, whatever they do next.
int QUO_auto_distrib(QUO_context q, QUO_obj_type_t distrib_over_this, int max_qids_per_res_type, int* out_selected) {
  constexpr const char* kCall = "QUO_auto_distrib";
  if (q == nullptr || out_selected == nullptr) {
    return decline(kCall, QUO_ERR_INVLD_ARG, "a null pointer; pass a context, and where the result goes");
  }
  if (max_qids_per_res_type <= 0) {
    return decline(kCall, QUO_ERR_INVLD_ARG, "at least one rank for each object is needed");
  }
  *out_selected = 0;
  comity_type kind{};
  if (!comity::quo::find_type(kCall, distrib_over_this, kind)) return QUO_ERR_INVLD_ARG;
  comity_distribution mine{};
  comity_status status = noted(q, publish(q->context));
  if (status == COMITY_OK) {
    status = comity_context_distribute(q->context, kind, max_qids_per_res_type, COMITY_RULE_QUO_1_4, &mine);
  }
  *out_selected = mine.selected;
  return answer(kCall, status);
}

int QUO_get_mpi_comm_by_type(QUO_context q, QUO_obj_type_t target_type, MPI_Comm* out_comm) {
  constexpr const char* kCall = "QUO_get_mpi_comm_by_type";
  if (q == nullptr || out_comm == nullptr) {
    return decline(kCall, QUO_ERR_INVLD_ARG, "a null pointer; pass a context, and where the result goes");
  }
  if (target_type != QUO_OBJ_MACHINE) {
    return decline(kCall, QUO_ERR_NOT_SUPPORTED,
                   "there are communicators of QUO_OBJ_MACHINE only; comity_context_communicator makes the others");
  }
  const bool alone = q->qids == 1;
  if (alone && is_in_fork_child(*q)) {  // else the wait says so
    return fail(kCall, QUO_ERR_INVLD_ARG,
                "the context belongs to the parent of this process; a fork child creates its own");
  }
  // Whose turn has not come yet is waited for here, and missed if it ends; MPI would wait for ever.
  const comity_status met =
      alone ? COMITY_OK : noted(q, comity_context_quiesce(q->context, nullptr, 0, COMITY_FOREVER));
  if (met != COMITY_OK) return answer_aloud(kCall, met);
  return duplicate(kCall, q, *out_comm);
}
