// SPDX-License-Identifier: BSD-3-Clause
// Rules of QUO_auto_distrib, each against a selection made here from the masks of all ranks of the node.
#include <algorithm>
#include <bitset>
#include <functional>
#include <vector>

#include "rules.hpp"
#include "threads.hpp"

namespace conform {
namespace {

constexpr QUO_obj_type_t kTypes[] = {QUO_OBJ_MACHINE, QUO_OBJ_NUMANODE, QUO_OBJ_SOCKET, QUO_OBJ_CORE, QUO_OBJ_PU};

using Bits = std::bitset<1024>;

Bits bits_of(const Cpus& cpus) {
  Bits bits;
  for (const int cpu : cpus) bits.set(static_cast<std::size_t>(cpu));
  return bits;
}

// Of each rank, how many objects it touches and the lowest of them.
struct Touch {
  int objects = 0;
  int first = -1;
};

std::vector<Touch> touches_of_all(const std::vector<Bits>& objects) {
  const Bits mine = bits_of(mask_of(0));
  Touch touch;
  for (std::size_t object = 0; object < objects.size(); ++object) {
    if ((objects[object] & mine).none()) continue;
    if (touch.objects++ == 0) touch.first = static_cast<int>(object);
  }
  std::vector<Touch> all(static_cast<std::size_t>(node().size));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&touch, 2, MPI_INT, all.data(), 2, MPI_INT, node().communicator, &request);
  finish(request);
  return all;
}

// Ranks on one object alone, the first `most` of each; where all are on several, by number.
bool am_selected(const std::vector<Touch>& all, int objects, int most) {
  const bool all_overlap = std::ranges::all_of(all, [](const Touch& touch) { return touch.objects > 1; });
  const int me = node().rank;
  if (all_overlap) return me < most * objects;
  const Touch& mine = all[static_cast<std::size_t>(me)];
  if (mine.objects != 1) return false;
  const auto before = std::count_if(all.begin(), all.begin() + me, [&](const Touch& touch) {
    return touch.objects == 1 && touch.first == mine.first;
  });
  return before < most;
}

std::vector<Bits> objects_of(QUO_context q, QUO_obj_type_t type) {
  std::vector<Bits> objects;
  for (int index = 0; index < count(q, type); ++index) objects.push_back(bits_of(cpus_of(q, type, index)));
  return objects;
}

// Of ranks each of which is on CPUs of its own choice.
void expect_selection(QUO_context q, const Cpus& mine, const std::string& pattern) {
  for (const QUO_obj_type_t type : kTypes) {
    const std::vector<Bits> cpus = objects_of(q, type);
    const int objects = static_cast<int>(cpus.size());
    if (objects == 0) continue;
    bind_all(mine);  // here, for a pop may have undone it
    meet();
    const std::vector<Touch> all = touches_of_all(cpus);
    for (const int most : {1, 2, 3, 100}) {
      int selected = -1;
      expect_equal(QUO_auto_distrib(q, type, most, &selected), QUO_SUCCESS, "QUO_auto_distrib");
      expect_equal(selected, am_selected(all, objects, most) ? 1 : 0,
                   "selected, ranks " + pattern + ", type " + std::to_string(static_cast<int>(type)) + ", most " +
                       std::to_string(most));
    }
  }
  bind_all(all_cpus());
}

// Each rank is on one PU, or on all: which one the pattern says, -1 for all.
void selection_of(const std::string& pattern, const std::function<int(int pus)>& pu_of_mine) {
  const Context q;
  const int pu = pu_of_mine(count(q, QUO_OBJ_PU));
  expect_selection(q, pu < 0 ? all_cpus() : cpus_of(q, QUO_OBJ_PU, pu), pattern);
}

void ranks_apart() {
  selection_of("on PUs in turn", [](int pus) { return node().rank % pus; });
  selection_of("all on PU 0", [](int) { return 0; });
  selection_of("all on the last PU", [](int pus) { return pus - 1; });
}

void ranks_everywhere() {
  selection_of("unbound", [](int) { return -1; });
}

void ranks_of_both_kinds() {
  selection_of("unbound but rank 0", [](int) { return node().rank == 0 ? 0 : -1; });
  selection_of("unbound but the last", [](int pus) { return node().rank == node().size - 1 ? pus - 1 : -1; });
  selection_of("bound and unbound in turn",
               [](int pus) { return node().rank % 2 == 0 ? (node().rank / 2) % pus : -1; });
}

// Each rank on all cores but one, which are several and not all.
void ranks_on_several_objects() {
  const Context q;
  const int last = count(q, QUO_OBJ_CORE) - 1;
  if (fewest_of_all_ranks(last) < 2) return not_tested("a machine has fewer than three cores");
  const Cpus lower = cpus_of_all_but(q, QUO_OBJ_CORE, last);
  const Cpus upper = cpus_of_all_but(q, QUO_OBJ_CORE, 0);
  expect_selection(q, node().rank % 2 == 0 ? lower : upper, "on all cores but the last and but the first in turn");
  expect_selection(q, upper, "on all cores but the first");
}

void a_rank_on_one_object_among_others() {
  const Context q;
  const int last = count(q, QUO_OBJ_CORE) - 1;
  if (fewest_of_all_ranks(last) < 2) return not_tested("a machine has fewer than three cores");
  const bool alone = node().rank == node().size - 1;
  expect_selection(q, alone ? cpus_of(q, QUO_OBJ_CORE, last) : cpus_of_all_but(q, QUO_OBJ_CORE, 0),
                   "on all cores but the first, the last on the last core");
}

// All push PU 0; odd ranks then move themselves to the last PU, where they are when they distribute.
void ranks_moved_from_under_a_push() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  const Cpus last_cpu = cpus_of(q, QUO_OBJ_PU, last);
  const bool moves = node().rank % 2 == 1;
  push(q, QUO_OBJ_PU, 0);
  if (moves) bind_all(last_cpu);
  expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  int selected = -1;
  expect_equal(QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected), QUO_SUCCESS, "QUO_auto_distrib");
  expect_equal(selected, node().rank < 2 ? 1 : 0, "selected, the first of each PU");
  pop(q);
  meet();
}

void bad_distributions() {
  const Context q;
  for (const int most : {0, -1}) {
    int selected = -7;
    expect_equal(QUO_auto_distrib(q, QUO_OBJ_PU, most, &selected), QUO_ERR_INVLD_ARG, "at most nobody");
    expect_equal(selected, -7, "the result of a failure");
  }
  int selected = -7;
  expect_equal(QUO_auto_distrib(q, static_cast<QUO_obj_type_t>(6), 1, &selected), QUO_ERR_INVLD_ARG, "no such type");
  expect_equal(selected, 0, "the result of a failure");
  meet();
}

// Who goes on at once and binds itself elsewhere changes nobody's selection.
void selection_holds_whatever_comes_next() {
  const Context q;
  for (int time = 0; time < 20; ++time) {
    int selected = -1;
    expect_equal(QUO_auto_distrib(q, QUO_OBJ_PU, 1, &selected), QUO_SUCCESS, "QUO_auto_distrib");
    push(q, QUO_OBJ_PU, 0);
    int sum = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(&selected, &sum, 1, MPI_INT, MPI_SUM, node().communicator, &request);
    finish(request);
    pop(q);
    const int pus = count(q, QUO_OBJ_PU);
    expect_equal(sum, pus > 1 ? std::min(node().size, pus) : 1, "selected ranks");
    meet();
  }
}

}  // namespace

std::span<const Rule> distribution_rules() {
  static constexpr Rule kRules[] = {
      {"ranks-on-one-object-each-are-selected-first-come", ranks_apart},
      {"ranks-on-all-objects-are-selected-by-number", ranks_everywhere},
      {"ranks-on-several-objects-fill-nothing", ranks_of_both_kinds},
      {"ranks-on-several-objects-but-not-all-are-selected-by-number", ranks_on_several_objects},
      {"a-rank-on-one-object-is-selected-before-those-on-several", a_rank_on_one_object_among_others},
      {"ranks-moved-from-under-a-push-are-selected-where-they-are", ranks_moved_from_under_a_push},
      {"bad-distributions-are-argument-errors", bad_distributions},
      {"a-selection-holds-whatever-comes-next", selection_holds_whatever_comes_next},
  };
  return kRules;
}

}  // namespace conform
