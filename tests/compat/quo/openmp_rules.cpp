// SPDX-License-Identifier: BSD-3-Clause
// Rules of a program that is built with OpenMP, first where it has had no parallel region yet. Checked last, for the team that
// they make stays.
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "rules.hpp"
#include "threads.hpp"

namespace conform {
namespace {

// Of a team of so many, the calling thread first; 0 in the place of a member that there is not.
std::vector<pid_t> members_of_a_team(int size) {
  std::vector<pid_t> members(static_cast<std::size_t>(size));
#pragma omp parallel num_threads(size)
  members[static_cast<std::size_t>(omp_get_thread_num())] = static_cast<pid_t>(syscall(SYS_gettid));
  return members;
}

void push_starts_no_thread() {
  const Context q;
  const int threads = thread_count_at_rest();
  push(q, QUO_OBJ_MACHINE, 0);
  expect_equal(thread_count(), threads, "threads under a push");
  pop(q);
  expect_equal(thread_count(), threads, "threads after the pop");
}

void all_of_a_push_is_the_threads() {
  const Context q;
  push(q, QUO_OBJ_MACHINE, 0);
  expect_equal(list_of(mask_of(0)), list_of(all_cpus()), "the mask of the thread that pushes");
  Cpus born;
  std::thread([&] { born = mask_of(0); }).join();
  expect_equal(list_of(born), list_of(all_cpus()), "the mask of a thread that it starts");
  pop(q);
}

// All that it starts under a push has what is pushed, also where a team exists that could have a core or a PU each.
void members_have_all_of_a_push() {
  const Context q;
  if (fewest_of_all_ranks(count(q, QUO_OBJ_PU)) < 2) return not_tested("a machine has one PU");
  const std::vector<pid_t> members = members_of_a_team(std::max(count(q, QUO_OBJ_CORE), 2));
  const bool is_whole = std::ranges::find(members, 0) == members.end();
  if (fewest_of_all_ranks(is_whole ? 1 : 0) < 1) return not_tested("OpenMP gives smaller teams here");
  const int threads = thread_count_at_rest();
  for (const QUO_obj_type_t type : {QUO_OBJ_MACHINE, QUO_OBJ_CORE, QUO_OBJ_MACHINE}) {
    push(q, type, 0);
    const std::string pushed = list_of(cpus_of(q, type, 0));
    for (const pid_t member : members) expect_equal(list_of(mask_of(member)), pushed, "a member under the push");
    Cpus born;
    std::thread([&] { born = mask_of(0); }).join();
    expect_equal(list_of(born), pushed, "a thread that the pushing one starts");
    expect_equal(binding(q), pushed, "the binding meanwhile");
    pop(q);
    for (const pid_t member : members) expect_equal(list_of(mask_of(member)), list_of(all_cpus()), "a member at last");
  }
  expect_equal(thread_count(), threads, "threads after pushes and pops");
}

}  // namespace

std::span<const Rule> openmp_rules() {
  static constexpr Rule kRules[] = {
      {"a-push-starts-no-thread", push_starts_no_thread},
      {"without-a-team-all-of-a-push-is-the-threads", all_of_a_push_is_the_threads},
      {"members-of-a-team-have-all-of-a-push", members_have_all_of_a_push},
  };
  return kRules;
}

}  // namespace conform
