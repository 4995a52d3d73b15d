// SPDX-License-Identifier: BSD-3-Clause
// Rules of questions: what the node has, and which ranks are where.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "rules.hpp"
#include "threads.hpp"

namespace conform {
namespace {

constexpr QUO_obj_type_t kTypes[] = {QUO_OBJ_MACHINE, QUO_OBJ_NUMANODE, QUO_OBJ_PACKAGE,
                                     QUO_OBJ_SOCKET,  QUO_OBJ_CORE,     QUO_OBJ_PU};
const auto kNoType = static_cast<QUO_obj_type_t>(6);  // the compiler would refuse a larger one

void counts_agree() {
  const Context q;
  const auto same = [&](int (*call)(QUO_context, int*), QUO_obj_type_t type, const char* name) {
    int found = -1;
    expect_equal(call(q, &found), QUO_SUCCESS, name);
    expect_equal(found, count(q, type), name);
  };
  same(QUO_nnumanodes, QUO_OBJ_NUMANODE, "QUO_nnumanodes");
  same(QUO_nsockets, QUO_OBJ_SOCKET, "QUO_nsockets");
  same(QUO_ncores, QUO_OBJ_CORE, "QUO_ncores");
  same(QUO_npus, QUO_OBJ_PU, "QUO_npus");
  expect_equal(count(q, QUO_OBJ_MACHINE), 1, "machines");
  expect_equal(count(q, QUO_OBJ_PACKAGE), count(q, QUO_OBJ_SOCKET), "packages are sockets");
  expect(count(q, QUO_OBJ_NUMANODE) >= 1, "there is no NUMA node");
  expect(count(q, QUO_OBJ_PU) >= static_cast<int>(all_cpus().size()), "fewer PUs than this process may use");
  expect(count(q, QUO_OBJ_PU) >= count(q, QUO_OBJ_CORE), "fewer PUs than cores");
}

void no_such_type_to_count() {
  const Context q;
  int found = -7;
  expect_equal(QUO_nobjs_by_type(q, kNoType, &found), QUO_ERR_INVLD_ARG, "QUO_nobjs_by_type");
  expect_equal(found, -7, "the result of a failure");
}

int inside(QUO_context q, QUO_obj_type_t outer, int index, QUO_obj_type_t inner) {
  int found = -1;
  expect_equal(QUO_nobjs_in_type_by_type(q, outer, index, inner, &found), QUO_SUCCESS, "QUO_nobjs_in_type_by_type");
  return found;
}

void objects_lie_inside_others() {
  const Context q;
  for (const QUO_obj_type_t type : kTypes) {
    expect_equal(inside(q, QUO_OBJ_MACHINE, 0, type), count(q, type), "objects in the machine");
  }
  int pus = 0;
  for (int core = 0; core < count(q, QUO_OBJ_CORE); ++core) pus += inside(q, QUO_OBJ_CORE, core, QUO_OBJ_PU);
  expect_equal(pus, count(q, QUO_OBJ_PU), "PUs in all cores");
  const bool whole_core = count(q, QUO_OBJ_CORE) == 1;
  const bool whole_socket = count(q, QUO_OBJ_SOCKET) == 1;
  expect_equal(inside(q, QUO_OBJ_CORE, 0, QUO_OBJ_MACHINE), whole_core ? 1 : 0, "machines in core 0");
  expect_equal(inside(q, QUO_OBJ_SOCKET, 0, QUO_OBJ_MACHINE), whole_socket ? 1 : 0, "machines in socket 0");
}

void no_such_object_to_count_in() {
  const Context q;
  for (const int index : {-1, count(q, QUO_OBJ_CORE)}) {
    int found = -7;
    expect_equal(QUO_nobjs_in_type_by_type(q, QUO_OBJ_CORE, index, QUO_OBJ_PU, &found), QUO_ERR_INVLD_ARG,
                 "no such core");
    expect_equal(found, 0, "the result of a failure");
  }
  int found = -7;
  expect_equal(QUO_nobjs_in_type_by_type(q, kNoType, 0, QUO_OBJ_PU, &found), QUO_ERR_INVLD_ARG, "no such outer type");
  expect_equal(found, 0, "the result of a failure");
  expect_equal(QUO_nobjs_in_type_by_type(q, QUO_OBJ_CORE, 0, kNoType, &found), QUO_ERR_INVLD_ARG, "no such inner type");
}

bool is_in(QUO_context q, QUO_obj_type_t type, int index) {
  int found = -1;
  expect_equal(QUO_cpuset_in_type(q, type, index, &found), QUO_SUCCESS, "QUO_cpuset_in_type");
  expect(found == 0 || found == 1, "QUO_cpuset_in_type is neither 0 nor 1");
  return found == 1;
}

void in_means_touches() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  for (int pu = 0; pu <= last; ++pu) expect(is_in(q, QUO_OBJ_PU, pu), "an unbound process is not in a PU");
  bind_all(cpus_of(q, QUO_OBJ_PU, last));
  for (int pu = 0; pu <= last; ++pu) expect_equal(is_in(q, QUO_OBJ_PU, pu), pu == last, "in PU " + std::to_string(pu));
  expect(is_in(q, QUO_OBJ_MACHINE, 0), "a bound process is not in the machine");
}

void no_such_object_to_be_in() {
  const Context q;
  for (const int index : {-1, count(q, QUO_OBJ_PU)}) {
    int found = -7;
    expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_PU, index, &found), QUO_ERR_INVLD_ARG, "no such PU");
    expect_equal(found, -7, "the result of a failure");
  }
  int found = -7;
  expect_equal(QUO_cpuset_in_type(q, kNoType, 0, &found), QUO_ERR_INVLD_ARG, "no such type");
}

std::vector<int> qids_in(QUO_context q, QUO_obj_type_t type, int index) {
  int length = -1;
  int* list = nullptr;
  expect_equal(QUO_qids_in_type(q, type, index, &length, &list), QUO_SUCCESS, "QUO_qids_in_type");
  expect_equal(list == nullptr, length == 0, "no list where there is nobody");
  std::vector<int> qids(list, list + std::max(length, 0));
  std::free(list);
  return qids;
}

void expect_qids(const std::vector<int>& found, const std::vector<int>& wanted, const std::string& what) {
  expect_equal(list_of(found), list_of(wanted), what);  // lists of ascending numbers both
  expect(std::ranges::is_sorted(found), what + " are not ascending");
}

// Of this node.
std::vector<int> ranks(bool (*wanted)(int)) {
  std::vector<int> some;
  for (int rank = 0; rank < node().size; ++rank) {
    if (wanted(rank)) some.push_back(rank);
  }
  return some;
}
bool is_even(int rank) { return rank % 2 == 0; }
bool is_odd(int rank) { return rank % 2 == 1; }
bool is_any(int /*rank*/) { return true; }

// Even ranks on the first PU, odd ones on the last, all their threads.
void part(QUO_context q) { bind_all(cpus_of(q, QUO_OBJ_PU, is_even(node().rank) ? 0 : count(q, QUO_OBJ_PU) - 1)); }

void qids_of_a_pu() {
  const Context first;
  const int last = count(first, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  part(first);
  const Context q;
  expect_qids(qids_in(q, QUO_OBJ_PU, 0), ranks(is_even), "ranks on PU 0");
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_odd), "ranks on the last PU");
  expect_qids(qids_in(q, QUO_OBJ_MACHINE, 0), ranks(is_any), "ranks on the machine");
  meet();
}

void qids_follow_pushes() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_any), "unbound ranks on the last PU");
  meet();
  if (is_even(node().rank)) push(q, QUO_OBJ_PU, 0);
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_odd), "ranks on the last PU");
  expect_qids(qids_in(q, QUO_OBJ_PU, 0), ranks(is_any), "ranks on PU 0");
  meet();
  if (is_even(node().rank)) pop(q);
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_any), "ranks on the last PU after the pop");
  meet();
}

// Moved by themselves, without QUO, and nobody asks for itself before the others look.
void qids_follow_other_moves() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  part(q);
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_odd), "ranks on the last PU");
  meet();
}

// All stay on the first PU but for one thread of each odd rank, which is moved after all have told of themselves; and under a
// push but for one of each even rank.
void qids_are_of_all_threads() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  const Cpus last_cpu = cpus_of(q, QUO_OBJ_PU, last);
  bind_all(cpus_of(q, QUO_OBJ_PU, 0));
  PinnedThread other(mask_of(0));
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, 0), ranks(is_any), "ranks on PU 0");
  meet();
  if (is_odd(node().rank)) other.move(last_cpu);
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_odd), "ranks of which a thread is on the last PU");
  expect_qids(qids_in(q, QUO_OBJ_PU, 0), ranks(is_any), "ranks of which a thread is on PU 0");
  meet();
  push(q, QUO_OBJ_PU, 0);
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, last), {}, "ranks on the last PU under a push");
  meet();
  if (is_even(node().rank)) other.move(last_cpu);
  meet();
  expect_qids(qids_in(q, QUO_OBJ_PU, last), ranks(is_even), "ranks of which a thread has left its push");
  meet();
  pop(q);
}

void no_such_object_to_list() {
  const Context q;
  for (const int index : {-1, count(q, QUO_OBJ_PU)}) {
    int length = -7;
    int anything = 0;
    int* list = &anything;
    expect_equal(QUO_qids_in_type(q, QUO_OBJ_PU, index, &length, &list), QUO_ERR_INVLD_ARG, "no such PU");
    expect_equal(length, 0, "the count of a failure");
    expect(list == nullptr, "the list of a failure is not null");
  }
}

int bound(QUO_context q) {
  int found = -1;
  expect_equal(QUO_bound(q, &found), QUO_SUCCESS, "QUO_bound");
  return found;
}

void bound_means_less_than_all() {
  const Context q;
  const bool has_several = count(q, QUO_OBJ_PU) > 1;
  const Cpus last = cpus_of(q, QUO_OBJ_PU, count(q, QUO_OBJ_PU) - 1);
  expect_equal(bound(q), 0, "bound at first");
  bind_all(last);
  expect_equal(bound(q), has_several ? 1 : 0, "bound to a PU");
  const Context narrow;  // the process's binding at the create does not matter
  expect_equal(bound(narrow), has_several ? 1 : 0, "bound to a PU at the create");
}

void the_text_is_a_list() {
  const Context q;
  expect_equal(binding(q), list_of(all_cpus()), "the binding of an unbound process");
  bind_all(cpus_of(q, QUO_OBJ_PU, 0));
  expect_equal(binding(q), list_of(mask_of(0)), "the binding of a bound process");
}

void binding_is_of_all_threads() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  const Cpus first_cpu = cpus_of(q, QUO_OBJ_PU, 0);
  const Cpus last_cpu = cpus_of(q, QUO_OBJ_PU, last);
  bind_all(first_cpu);
  const PinnedThread other(last_cpu);
  expect_equal(binding(q), list_of(union_of(first_cpu, last_cpu)), "the binding of two threads");
  expect(is_in(q, QUO_OBJ_PU, 0) && is_in(q, QUO_OBJ_PU, last), "the process is not where its threads are");
  expect_equal(bound(q), last > 1 ? 1 : 0, "bound");
}

}  // namespace

std::span<const Rule> query_rules() {
  static constexpr Rule kRules[] = {
      {"counts-agree", counts_agree},
      {"no-such-type-to-count-is-an-argument-error", no_such_type_to_count},
      {"objects-are-counted-that-lie-inside", objects_lie_inside_others},
      {"no-such-object-to-count-in-is-an-argument-error", no_such_object_to_count_in},
      {"in-an-object-means-touches-it", in_means_touches},
      {"no-such-object-to-be-in-is-an-argument-error", no_such_object_to_be_in},
      {"qids-in-an-object-are-those-that-touch-it", qids_of_a_pu},
      {"qids-follow-pushes-and-pops-at-once", qids_follow_pushes},
      {"qids-follow-moves-without-quo", qids_follow_other_moves},
      {"qids-are-of-all-threads", qids_are_of_all_threads},
      {"no-such-object-to-list-is-an-argument-error", no_such_object_to_list},
      {"bound-means-less-than-the-node-allows", bound_means_less_than_all},
      {"the-text-of-a-binding-is-a-list", the_text_is_a_list},
      {"a-binding-is-of-all-threads", binding_is_of_all_threads},
  };
  return kRules;
}

}  // namespace conform
