// SPDX-License-Identifier: BSD-3-Clause
// Rules of pushes and pops.
#include <bit>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "output.hpp"
#include "rules.hpp"
#include "sanitizer.hpp"
#include "threads.hpp"

namespace conform {
namespace {

constexpr int kMostPushes = 127;
constexpr QUO_obj_type_t kTypes[] = {QUO_OBJ_MACHINE, QUO_OBJ_NUMANODE, QUO_OBJ_SOCKET, QUO_OBJ_CORE, QUO_OBJ_PU};

std::string main_mask() { return list_of(mask_of(0)); }

// Each object's CPUs are as many as it has PUs inside, other objects' are others, and all of them are the machine's.
void push_of_a_number() {
  const Context q;
  const int pus = count(q, QUO_OBJ_PU);
  for (const QUO_obj_type_t type : kTypes) {
    std::size_t together = 0;
    Cpus all;
    for (int index = 0; index < count(q, type); ++index) {
      push(q, type, index);
      const Cpus cpus = mask_of(0);
      expect_equal(binding(q), list_of(cpus), "the binding while it is pushed");
      int inside = -1;
      expect_equal(QUO_nobjs_in_type_by_type(q, type, index, QUO_OBJ_PU, &inside), QUO_SUCCESS, "PUs inside");
      expect_equal(static_cast<long>(cpus.size()), inside, "CPUs of what is pushed");
      together += cpus.size();
      all = union_of(all, cpus);
      pop(q);
    }
    if (count(q, type) == 0) continue;
    expect_equal(static_cast<long>(together), static_cast<long>(all.size()), "objects share a CPU");
    expect_equal(static_cast<long>(all.size()), pus, "CPUs of all objects");
  }
}

void bad_pushes() {
  const Context q;
  const auto no_policy = std::bit_cast<QUO_bind_push_policy_t>(-1);
  const auto no_type = static_cast<QUO_obj_type_t>(6);
  const std::string before = binding(q);
  for (const int index : {-1, count(q, QUO_OBJ_PU)}) {
    expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, index), QUO_ERR_INVLD_ARG, "no such PU");
  }
  expect_equal(QUO_bind_push(q, no_policy, QUO_OBJ_PU, 0), QUO_ERR_INVLD_ARG, "no such policy");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, no_type, 0), QUO_ERR_INVLD_ARG, "no such type");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, no_type, 0), QUO_ERR_INVLD_ARG, "no such type");
  expect_equal(binding(q), before, "the binding after refused pushes");
  expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "nothing was pushed");
}

// The lowest object that the binding touches; what is given as its number does not matter.
void push_of_what_is_touched() {
  const Context q;
  const int cores = count(q, QUO_OBJ_CORE);
  const std::string first = list_of(cpus_of(q, QUO_OBJ_CORE, 0));
  const std::string last = list_of(cpus_of(q, QUO_OBJ_CORE, cores - 1));
  for (const int index : {0, -5, cores, cores - 1}) {
    expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_CORE, index), QUO_SUCCESS, "push");
    expect_equal(main_mask(), first, "the core of an unbound process");
    pop(q);
  }
  push(q, QUO_OBJ_CORE, cores - 1);
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_CORE, 0), QUO_SUCCESS, "push");
  expect_equal(main_mask(), last, "the core of a process on the last core");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_MACHINE, 0), QUO_SUCCESS, "push");
  expect_equal(main_mask(), list_of(all_cpus()), "the machine of a process on the last core");
  for (int time = 0; time < 3; ++time) pop(q);
}

// No core encloses what the process is on, and core 0 is not of it.
void push_of_the_first_of_several() {
  const Context finder;
  if (fewest_of_all_ranks(count(finder, QUO_OBJ_CORE)) < 3) return not_tested("a machine has fewer than three cores");
  const Cpus core = cpus_of(finder, QUO_OBJ_CORE, 1);
  int pus_before = -1;
  expect_equal(QUO_nobjs_in_type_by_type(finder, QUO_OBJ_CORE, 0, QUO_OBJ_PU, &pus_before), QUO_SUCCESS, "PUs inside");
  const Cpus pu = cpus_of(finder, QUO_OBJ_PU, pus_before);
  bind_all(cpus_of_all_but(finder, QUO_OBJ_CORE, 0));
  const Context q;
  for (const auto& [type, first] : {std::pair{QUO_OBJ_CORE, core}, std::pair{QUO_OBJ_PU, pu}}) {
    expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, type, 0), QUO_SUCCESS, "push");
    expect_equal(main_mask(), list_of(first), "the first object of a process on all cores but one");
    pop(q);
  }
}

bool is_on(QUO_context q, int pu) {
  int found = -1;
  expect_equal(QUO_cpuset_in_type(q, QUO_OBJ_PU, pu, &found), QUO_SUCCESS, "QUO_cpuset_in_type");
  return found == 1;
}

int ranks_on(QUO_context q, int pu) {
  int found = -1;
  int* list = nullptr;
  expect_equal(QUO_qids_in_type(q, QUO_OBJ_PU, pu, &found, &list), QUO_SUCCESS, "QUO_qids_in_type");
  std::free(list);
  return found;
}

// A process that has moved itself from what it pushed is where it is, for every question and for the next push.
void moved_from_under_a_push() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  if (fewest_of_all_ranks(last) < 1) return not_tested("a machine has one PU");
  const Cpus last_cpu = cpus_of(q, QUO_OBJ_PU, last);
  const Cpus last_core = cpus_of(q, QUO_OBJ_CORE, count(q, QUO_OBJ_CORE) - 1);
  push(q, QUO_OBJ_MACHINE, 0);
  bind_all(last_cpu);
  expect_equal(binding(q), list_of(last_cpu), "the binding");
  int bound = -1;
  expect_equal(QUO_bound(q, &bound), QUO_SUCCESS, "QUO_bound");
  expect_equal(bound, 1, "bound");
  expect(!is_on(q, 0), "the process is on PU 0, which it has left");
  expect(is_on(q, last), "the process is not on the PU that it moved to");
  meet();
  expect_equal(ranks_on(q, 0), 0, "ranks on PU 0, which all have left");
  expect_equal(ranks_on(q, last), node().size, "ranks on the last PU");
  meet();
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_OBJ, QUO_OBJ_CORE, 0), QUO_SUCCESS, "push");
  expect_equal(main_mask(), list_of(last_core), "the core that was touched");
  pop(q);
  pop(q);
}

// A thread that may run anywhere: a push of the last PU moves it there, the pop back.
template <typename Thread>
void expect_reached(const Context& q, const Thread& thread, const char* whose) {
  const int last = count(q, QUO_OBJ_PU) - 1;
  push(q, QUO_OBJ_PU, last);
  expect_equal(list_of(thread.mask()), list_of(cpus_of(q, QUO_OBJ_PU, last)), whose);
  pop(q);
  expect_equal(list_of(thread.mask()), list_of(all_cpus()), "its mask after the pop");
}

void push_reaches_threads() {
  const Context q;
  const PinnedThread another(all_cpus());
  expect_reached(q, another, "the mask of another thread");
}

void push_reaches_older_threads() {
  const PinnedThread older(all_cpus());
  const Context q;
  expect_reached(q, older, "the mask of a thread that is older than the context");
}

// As MPI's own threads do, which are left alone.
void push_reaches_polling_threads() {
  if (comity::testing::kHasSanitizer) return not_tested("a sanitizer begins all threads");
  const PollingThread poller;
  const bool sleeps = other_threads_asleep().has_value();
  if (fewest_of_all_ranks(sleeps ? 1 : 0) < 1) return not_tested("a thread does not come to sleep");
  const Context q;
  expect_reached(q, poller, "the mask of the program's thread that polls");
  bind_thread(0, cpus_of(q, QUO_OBJ_PU, count(q, QUO_OBJ_PU) - 1));
  expect_equal(binding(q), list_of(all_cpus()), "the binding of a process whose main thread alone has pinned itself");
}

void pops_go_backwards() {
  const Context q;
  const int last = count(q, QUO_OBJ_PU) - 1;
  std::vector<std::string> masks{main_mask()};
  for (const auto& [type, index] :
       {std::pair{QUO_OBJ_PU, last}, std::pair{QUO_OBJ_MACHINE, 0}, std::pair{QUO_OBJ_PU, 0}}) {
    push(q, type, index);
    masks.push_back(main_mask());
  }
  for (; masks.size() > 1; masks.pop_back()) {
    expect_equal(main_mask(), masks.back(), "the mask between pops");
    pop(q);
  }
  expect_equal(main_mask(), masks.back(), "the mask after all pops");
}

void pop_of_nothing() {
  const Context q;
  const std::string before = main_mask();
  for (int time = 0; time < 3; ++time) expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "pop of nothing");
  expect_equal(main_mask(), before, "the mask");
}

void pop_of_nothing_keeps_the_base() {
  const Context q;
  const std::string before = main_mask();
  expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "pop of nothing");
  push(q, QUO_OBJ_PU, 0);
  pop(q);
  expect_equal(main_mask(), before, "the mask after a push and a pop");
}

void push_to_the_brim(QUO_context q) {
  const int last = count(q, QUO_OBJ_PU) - 1;
  for (int depth = 0; depth < kMostPushes; ++depth) push(q, QUO_OBJ_PU, depth % 2 == 0 ? last : 0);
}

void a_context_has_127_pushes() {
  const Context q;
  const std::string before = main_mask();
  push_to_the_brim(q);
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0), QUO_ERR_OOR, "push 128");
  for (int depth = 0; depth < kMostPushes; ++depth) pop(q);
  expect_equal(main_mask(), before, "the mask after all pops");
  expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "pop 128");
}

void a_push_too_many_changes_nothing() {
  const Context q;
  if (fewest_of_all_ranks(count(q, QUO_OBJ_PU)) < 2) return not_tested("a machine has one PU");
  push_to_the_brim(q);
  const std::string before = main_mask();
  (void)QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_MACHINE, 0);
  expect_equal(main_mask(), before, "the mask after push 128");
  for (int depth = 0; depth < kMostPushes; ++depth) pop(q);
}

void each_context_counts_its_pushes() {
  const Context full;
  const Context other;
  push_to_the_brim(full);
  push(other, QUO_OBJ_MACHINE, 0);
  expect_equal(main_mask(), list_of(all_cpus()), "the mask pushed through the other context");
  pop(other);
  for (int depth = 0; depth < kMostPushes; ++depth) pop(full);
}

void contexts_nest() {
  const Context finder;
  const Cpus first_cpu = cpus_of(finder, QUO_OBJ_PU, 0);
  const int last = count(finder, QUO_OBJ_PU) - 1;
  bind_all(first_cpu);
  const Context inner;
  const Context outer;
  push(outer, QUO_OBJ_MACHINE, 0);
  push(inner, QUO_OBJ_PU, last);
  pop(inner);
  expect_equal(main_mask(), list_of(all_cpus()), "the mask of the outer push after the inner pop");
  pop(outer);
  expect_equal(main_mask(), list_of(first_cpu), "the mask after both pops");
}

void pop_across_another_push() {
  const Context first;
  const Context second;
  push(first, QUO_OBJ_MACHINE, 0);
  push(second, QUO_OBJ_PU, count(second, QUO_OBJ_PU) - 1);
  const std::string before = main_mask();
  Output output;
  const int code = QUO_bind_pop(first);
  expect(!output.end().empty(), "nothing is written of a pop across the push of another context");
  expect_equal(code, QUO_ERR_POP, "the pop");
  expect_equal(main_mask(), before, "the mask after it");
  pop(second);
  pop(first);
  expect_equal(main_mask(), list_of(all_cpus()), "the mask after both pops");
}

void expect_masks(const std::vector<pid_t>& threads, const Cpus& wanted, const std::string& when) {
  for (const pid_t thread : threads) expect_equal(list_of(mask_of(thread)), list_of(wanted), "a thread of MPI " + when);
}

// MPI's own; none, and why is said, where a rule of them cannot be tried on some rank of the job.
std::vector<pid_t> threads_of_mpi() {
  const std::optional<std::vector<pid_t>> asleep = other_threads_asleep();
  const std::vector<pid_t> threads = asleep.value_or(std::vector<pid_t>{});
  if (fewest_of_all_ranks(asleep.has_value() ? 1 : 0) < 1) {
    not_tested("a thread of this MPI does not sleep");
  } else if (fewest_of_all_ranks(static_cast<int>(threads.size())) < 1) {
    not_tested("this MPI has no threads of its own");
  } else if (fewest_of_all_ranks(static_cast<int>(all_cpus().size())) < 2) {
    not_tested("a process may use one CPU");
  } else {
    return threads;
  }
  return {};
}

// All of them on the last CPU; what is pushed is more, other than that, and other again.
void threads_of_mpi_stay() {
  const std::vector<pid_t> threads = threads_of_mpi();
  if (threads.empty()) return;
  const Cpus home{all_cpus().back()};
  for (const pid_t thread : threads) bind_thread(thread, home);
  const Context q;
  expect_masks(threads, home, "after the create");
  for (const auto& [type, index] :
       {std::pair{QUO_OBJ_MACHINE, 0}, std::pair{QUO_OBJ_PU, 0}, std::pair{QUO_OBJ_PU, count(q, QUO_OBJ_PU) - 1}}) {
    push(q, type, index);
    expect_masks(threads, home, "under a push");
  }
  for (int time = 0; time < 3; ++time) pop(q);
  expect_masks(threads, home, "after the pops");
}

void threads_of_mpi_do_not_count() {
  if (threads_of_mpi().empty()) return;
  const Cpus mine{all_cpus().front()};
  bind_thread(0, mine);
  const Context q;
  int bound = -1;
  expect_equal(QUO_bound(q, &bound), QUO_SUCCESS, "QUO_bound");
  expect_equal(bound, 1, "bound");
  expect_equal(binding(q), list_of(mine), "the binding of a process whose only thread has pinned itself");
  push(q, QUO_OBJ_MACHINE, 0);
  pop(q);
  expect_equal(main_mask(), list_of(mine), "its mask after a push and a pop");
}

void threads_born_under_a_push() {
  const Context q;
  const Cpus before = mask_of(0);
  push(q, QUO_OBJ_PU, 0);
  const Cpus pushed = mask_of(0);
  Cpus born;
  std::thread([&] { born = mask_of(0); }).join();
  expect_equal(list_of(born), list_of(pushed), "a thread that was born under a push");
  const PinnedThread other(pushed);
  pop(q);
  expect_equal(list_of(other.mask()), list_of(before), "a thread that was born under a push, after the pop");
}

void threads_get_their_own_masks_back() {
  const Context q;
  const Cpus last_cpu = cpus_of(q, QUO_OBJ_PU, count(q, QUO_OBJ_PU) - 1);
  const PinnedThread pinned(last_cpu);
  push(q, QUO_OBJ_PU, 0);
  pop(q);
  expect_equal(list_of(pinned.mask()), list_of(last_cpu), "the mask of a thread that pinned itself");
}

void pop_gives_back_what_the_push_found() {
  const Context q;
  const Cpus last_cpu = cpus_of(q, QUO_OBJ_PU, count(q, QUO_OBJ_PU) - 1);
  bind_all(last_cpu);
  push(q, QUO_OBJ_PU, 0);
  pop(q);
  expect_equal(main_mask(), list_of(last_cpu), "the mask after the pop");
}

}  // namespace

std::span<const Rule> binding_rules() {
  static constexpr Rule kRules[] = {
      {"push-of-a-number-binds-to-that-object", push_of_a_number},
      {"bad-pushes-are-argument-errors-and-change-nothing", bad_pushes},
      {"push-of-what-is-touched-takes-the-lowest", push_of_what_is_touched},
      {"push-of-what-is-touched-takes-the-first-of-several", push_of_the_first_of_several},
      {"a-move-from-under-a-push-is-the-binding", moved_from_under_a_push},
      {"push-reaches-all-threads", push_reaches_threads},
      {"push-reaches-threads-that-are-older-than-the-context", push_reaches_older_threads},
      {"push-reaches-threads-of-the-program-that-poll", push_reaches_polling_threads},
      {"threads-born-under-a-push-have-it", threads_born_under_a_push},
      {"pops-go-backwards", pops_go_backwards},
      {"pop-of-nothing-is-told-and-changes-nothing", pop_of_nothing},
      {"pop-of-nothing-keeps-the-base", pop_of_nothing_keeps_the_base},
      {"a-context-has-127-pushes", a_context_has_127_pushes},
      {"a-push-too-many-changes-nothing", a_push_too_many_changes_nothing},
      {"each-context-counts-its-own-pushes", each_context_counts_its_pushes},
      {"contexts-nest", contexts_nest},
      {"a-pop-across-the-push-of-another-context-changes-nothing", pop_across_another_push},
      {"threads-of-mpi-stay-where-they-are", threads_of_mpi_stay},
      {"threads-of-mpi-do-not-count-in-the-binding", threads_of_mpi_do_not_count},
      {"threads-get-their-own-masks-back", threads_get_their_own_masks_back},
      {"pop-gives-back-what-the-push-found", pop_gives_back_what_the_push_found},
  };
  return kRules;
}

}  // namespace conform
