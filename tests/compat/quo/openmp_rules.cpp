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
#include "sanitizer.hpp"
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

void expect_a_core_each(const std::vector<pid_t>& members) {
  Cpus taken;
  for (const pid_t member : members) {
    const Cpus mine = mask_of(member);
    const Cpus together = union_of(taken, mine);
    expect(!mine.empty() && together.size() == taken.size() + mine.size(), "a member shares CPUs " + list_of(mine));
    taken = together;
  }
  expect_equal(list_of(taken), list_of(all_cpus()), "the CPUs of all members");
}

void members_have_a_core_each() {
  if (comity::testing::kHasSanitizer) return not_tested("a sanitizer begins all threads");
  const Context q;
  const int cores = count(q, QUO_OBJ_CORE);
  if (fewest_of_all_ranks(cores) < 2) return not_tested("a machine has one core");
  const std::vector<pid_t> members = members_of_a_team(cores);
  const bool is_whole = std::ranges::find(members, 0) == members.end();
  if (fewest_of_all_ranks(is_whole ? 1 : 0) < 1) return not_tested("OpenMP gives smaller teams here");
  const int threads = thread_count_at_rest();
  for (int time = 0; time < 2; ++time) {
    push(q, QUO_OBJ_MACHINE, 0);
    expect_a_core_each(members);
    expect_equal(binding(q), list_of(all_cpus()), "the binding meanwhile");
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
      {"members-of-a-team-have-a-core-each", members_have_a_core_each},
  };
  return kRules;
}

}  // namespace conform
