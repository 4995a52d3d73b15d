// SPDX-License-Identifier: BSD-3-Clause
// Rules of counts, pushes and selections on machines that are not this one (HWLOC_SYNTHETIC, HWLOC_XMLFILE), where no binding can
// be looked at from outside.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "rules.hpp"

namespace conform {
namespace {

int inside(QUO_context q, QUO_obj_type_t outer, int index, QUO_obj_type_t inner) {
  int found = -1;
  expect_equal(QUO_nobjs_in_type_by_type(q, outer, index, inner, &found), QUO_SUCCESS, "QUO_nobjs_in_type_by_type");
  return found;
}

void two_sockets_are_counted() {
  const Context q;
  expect_equal(count(q, QUO_OBJ_MACHINE), 1, "machines");
  expect_equal(count(q, QUO_OBJ_NUMANODE), 2, "NUMA nodes");
  expect_equal(count(q, QUO_OBJ_SOCKET), 2, "sockets");
  expect_equal(count(q, QUO_OBJ_CORE), 8, "cores");
  expect_equal(count(q, QUO_OBJ_PU), 16, "PUs");
}

void objects_inside_two_sockets() {
  const Context q;
  for (const QUO_obj_type_t outer : {QUO_OBJ_SOCKET, QUO_OBJ_NUMANODE}) {
    for (const int index : {0, 1}) {
      expect_equal(inside(q, outer, index, QUO_OBJ_CORE), 4, "cores in half of it");
      expect_equal(inside(q, outer, index, QUO_OBJ_PU), 8, "PUs in half of it");
      expect_equal(inside(q, outer, index, QUO_OBJ_SOCKET), 1, "sockets in half of it");
      expect_equal(inside(q, outer, index, QUO_OBJ_NUMANODE), 1, "NUMA nodes in half of it");
      expect_equal(inside(q, outer, index, QUO_OBJ_MACHINE), 0, "machines in half of it");
    }
  }
  expect_equal(inside(q, QUO_OBJ_CORE, 7, QUO_OBJ_PU), 2, "PUs in a core");
  expect_equal(inside(q, QUO_OBJ_CORE, 7, QUO_OBJ_SOCKET), 0, "sockets in a core");
  expect_equal(inside(q, QUO_OBJ_PU, 15, QUO_OBJ_CORE), 0, "cores in a PU");
}

void one_pu_a_core() {
  const Context q(MPI_COMM_WORLD, QUO_CREATE_NO_MT);
  expect_equal(count(q, QUO_OBJ_CORE), 8, "cores");
  expect_equal(count(q, QUO_OBJ_PU), 8, "PUs");
  expect_equal(inside(q, QUO_OBJ_CORE, 3, QUO_OBJ_PU), 1, "PUs in a core");
  expect_equal(inside(q, QUO_OBJ_SOCKET, 1, QUO_OBJ_PU), 4, "PUs in a socket");
}

// On rank 0 as on all.
void expect_same_everywhere(const std::string& text, const std::string& what) {
  char first[64] = {};
  (void)std::snprintf(first, sizeof(first), "%s", text.c_str());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibcast(first, sizeof(first), MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  finish(request);
  expect_equal(text, first, what + ", as on rank 0");
}

// Each core's PUs are numbered 2 apart: the first of them is seen.
void one_pu_a_core_is_pushed() {
  const Context q(MPI_COMM_WORLD, QUO_CREATE_NO_MT);
  for (int core = 0; core < count(q, QUO_OBJ_CORE); ++core) {
    push(q, QUO_OBJ_CORE, core);
    expect_equal(binding(q), std::to_string(2 * core), "the binding of core " + std::to_string(core));
    expect_same_everywhere(binding(q), "the binding of core " + std::to_string(core));
    pop(q);
  }
  push(q, QUO_OBJ_MACHINE, 0);
  expect_equal(binding(q), "0,2,4,6,8,10,12,14", "the binding of the machine");
  expect_same_everywhere(binding(q), "the binding of the machine");
  pop(q);
}

// The second PU of core 3 is not seen: who is there is on that core, on every rank.
void a_hidden_pu_is_its_core() {
  constexpr int kCore = 3;
  constexpr int kHidden = 2 * kCore + 1;
  const Context whole;
  const Context q(MPI_COMM_WORLD, QUO_CREATE_NO_MT);
  push(whole, QUO_OBJ_PU, kHidden);
  int number = -1;
  expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_CORE, kCore, &number), QUO_SUCCESS, "QUO_cpuset_in_type");
  expect_equal(number, 1, "is in its core");
  expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_CORE, kCore + 1, &number), QUO_SUCCESS, "QUO_cpuset_in_type");
  expect_equal(number, 0, "is in the next core");
  meet();
  int* list = nullptr;
  expect_equal(QUO_qids_in_type(q, QUO_OBJ_CORE, kCore, &number, &list), QUO_SUCCESS, "QUO_qids_in_type");
  expect_equal(number, node().size, "ranks on the core");
  std::free(list);
  meet();
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_CORE, 0), QUO_SUCCESS, "push of what is touched");
  expect_equal(binding(q), std::to_string(2 * kCore), "the binding");
  pop(q);
  pop(whole);
}

// Of what a rank has pushed.
struct Place {
  QUO_obj_type_t type;
  int index;
};

// Ranks that have pushed an object each: `works` says of a rank whether it is among so many for each object of a type.
void expect_selection(QUO_obj_type_t over, const Place& mine, bool (*works)(int rank, int most)) {
  const Context q;
  push(q, mine.type, mine.index);
  for (const int most : {1, 2, 100}) {
    int selected = -1;
    expect_equal(QUO_auto_distrib(q, over, most, &selected), QUO_SUCCESS, "QUO_auto_distrib");
    expect_equal(selected, works(node().rank, most) ? 1 : 0, "selected, at most " + std::to_string(most));
  }
  pop(q);
  meet();
}

// Four of eight cores: the first of them, and not the first of all where none encloses the socket.
void the_first_object_of_a_socket() {
  struct Case {
    QUO_obj_type_t type;
    const char* cpus;
  };
  const Context q;
  push(q, QUO_OBJ_SOCKET, 1);
  for (const Case& one : {Case{QUO_OBJ_MACHINE, "0-15"}, Case{QUO_OBJ_NUMANODE, "8-15"}, Case{QUO_OBJ_SOCKET, "8-15"},
                          Case{QUO_OBJ_CORE, "8-9"}, Case{QUO_OBJ_PU, "8"}}) {
    expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, one.type, 0), QUO_SUCCESS, "push of what is touched");
    expect_equal(binding(q), one.cpus, "the binding, type " + std::to_string(static_cast<int>(one.type)));
    pop(q);
  }
  pop(q);
}

// As many for each of the eight cores, whichever four a rank touches.
void ranks_on_four_cores_each() {
  const auto by_number = [](int rank, int most) { return rank < 8 * most; };
  expect_selection(QUO_OBJ_CORE, {QUO_OBJ_SOCKET, node().rank % 2}, by_number);
  expect_selection(QUO_OBJ_CORE, {QUO_OBJ_SOCKET, 1}, by_number);
}

// The last rank is on a core of socket 1; the others are on four cores each, as are all others of its socket.
void the_rank_on_one_core() {
  const bool alone = node().rank == node().size - 1;
  const Place mine = alone ? Place{QUO_OBJ_CORE, 5} : Place{QUO_OBJ_SOCKET, node().rank % 2};
  expect_selection(QUO_OBJ_CORE, mine, [](int rank, int /*most*/) { return rank == node().size - 1; });
}

void what_is_not_there_is_counted_as_none() {
  const Context q;
  expect_equal(count(q, QUO_OBJ_SOCKET), 0, "sockets");
  expect_equal(count(q, QUO_OBJ_CORE), 4, "cores");
  expect_equal(inside(q, QUO_OBJ_MACHINE, 0, QUO_OBJ_SOCKET), 0, "sockets in the machine");
  expect(count(q, QUO_OBJ_NUMANODE) >= 1, "there is no NUMA node");
}

void what_is_not_there_has_no_index() {
  const Context q;
  int found = -7;
  int* list = nullptr;
  expect_equal(QUO_nobjs_in_type_by_type(q, QUO_OBJ_SOCKET, 0, QUO_OBJ_PU, &found), QUO_ERR_INVLD_ARG, "PUs inside");
  expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_SOCKET, 0, &found), QUO_ERR_INVLD_ARG, "in socket 0");
  expect_equal(QUO_qids_in_type(q, QUO_OBJ_SOCKET, 0, &found, &list), QUO_ERR_INVLD_ARG, "ranks in socket 0");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_SOCKET, 0), QUO_ERR_INVLD_ARG, "push of socket 0");
}

void what_is_not_there_is_not_found() {
  const Context q;
  int selected = -7;
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_SOCKET, 0), QUO_ERR_NOT_FOUND, "push of my socket");
  expect_equal(QUO_auto_distrib(q, QUO_OBJ_SOCKET, 1, &selected), QUO_ERR_NOT_FOUND, "QUO_auto_distrib");
  expect_equal(selected, 0, "the result of a failure");
  meet();
}

constexpr int kMemoryAlone = 2;  // the NUMA node without CPUs; nodes 0 and 1 have one each

void memory_alone_is_counted() {
  const Context q;
  int nodes = -1;
  expect_equal(QUO_nnumanodes(q, &nodes), QUO_SUCCESS, "QUO_nnumanodes");
  expect_equal(nodes, 3, "NUMA nodes");
  expect_equal(count(q, QUO_OBJ_NUMANODE), 3, "NUMA nodes");
}

// Objects lie in others by their CPUs, so it lies in none, and none in it.
void memory_alone_lies_in_nothing() {
  const Context q;
  expect_equal(inside(q, QUO_OBJ_MACHINE, 0, QUO_OBJ_NUMANODE), 2, "NUMA nodes in the machine");
  expect_equal(inside(q, QUO_OBJ_SOCKET, 0, QUO_OBJ_NUMANODE), 1, "NUMA nodes in a socket");
  expect_equal(inside(q, QUO_OBJ_NUMANODE, 0, QUO_OBJ_NUMANODE), 1, "NUMA nodes in one with CPUs");
  for (const QUO_obj_type_t type : {QUO_OBJ_NUMANODE, QUO_OBJ_CORE, QUO_OBJ_PU}) {
    expect_equal(inside(q, QUO_OBJ_NUMANODE, kMemoryAlone, type), 0, "objects in the one without");
  }
}

void nobody_is_on_memory_alone() {
  const Context q;
  int found = -1;
  expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_NUMANODE, kMemoryAlone, &found), QUO_SUCCESS, "QUO_cpuset_in_type");
  expect_equal(found, 0, "is on it");
  int* list = &found;
  expect_equal(QUO_qids_in_type(q, QUO_OBJ_NUMANODE, kMemoryAlone, &found, &list), QUO_SUCCESS, "QUO_qids_in_type");
  expect_equal(found, 0, "ranks on it");
  expect(list == nullptr, "there is a list of nobody");
}

void a_push_to_memory_alone() {
  const Context q;
  const std::string before = binding(q);
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_NUMANODE, kMemoryAlone), QUO_ERR_NOT_SUPPORTED, "push");
  expect_equal(binding(q), before, "the binding after it");
  expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "nothing was pushed");
}

void nobody_is_selected_for_memory_alone() {
  expect_selection(QUO_OBJ_NUMANODE, {QUO_OBJ_PU, node().rank % 2}, [](int rank, int most) { return rank / 2 < most; });
}

// All ranks on both nodes with CPUs are selected by number, for places to run.
void memory_alone_is_no_place_by_number() {
  expect_selection(QUO_OBJ_NUMANODE, {QUO_OBJ_MACHINE, 0}, [](int rank, int most) { return rank < 2 * most; });
}

}  // namespace

std::span<const Rule> memory_alone_rules() {
  static constexpr Rule kRules[] = {
      {"memory-alone-is-counted-as-a-numa-node", memory_alone_is_counted},
      {"memory-alone-lies-in-nothing", memory_alone_lies_in_nothing},
      {"nobody-is-on-memory-alone", nobody_is_on_memory_alone},
      {"a-push-to-memory-alone-is-not-supported", a_push_to_memory_alone},
      {"nobody-is-selected-for-memory-alone", nobody_is_selected_for_memory_alone},
      {"memory-alone-is-no-place-by-number", memory_alone_is_no_place_by_number},
  };
  return kRules;
}

std::span<const Rule> two_sockets_rules() {
  static constexpr Rule kRules[] = {
      {"two-sockets-are-counted", two_sockets_are_counted},
      {"objects-inside-two-sockets-are-counted", objects_inside_two_sockets},
      {"no-mt-shows-one-pu-a-core-on-all-ranks", one_pu_a_core},
      {"no-mt-pushes-one-pu-a-core-on-all-ranks", one_pu_a_core_is_pushed},
      {"a-pu-that-no-mt-hides-is-its-core", a_hidden_pu_is_its_core},
      {"push-of-what-is-touched-takes-the-first-of-a-socket", the_first_object_of_a_socket},
      {"ranks-on-four-cores-each-are-selected-by-number", ranks_on_four_cores_each},
      {"of-ranks-on-sockets-and-one-core-that-one-is-selected", the_rank_on_one_core},
  };
  return kRules;
}

std::span<const Rule> no_sockets_rules() {
  static constexpr Rule kRules[] = {
      {"what-is-not-there-is-counted-as-none", what_is_not_there_is_counted_as_none},
      {"what-is-not-there-has-no-index", what_is_not_there_has_no_index},
      {"what-is-not-there-is-not-found", what_is_not_there_is_not_found},
  };
  return kRules;
}

}  // namespace conform
