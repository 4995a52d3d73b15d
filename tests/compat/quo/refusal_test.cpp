// SPDX-License-Identifier: BSD-3-Clause
// What is refused.   refusal_test binding|space|space-of-one|contexts   LIBQUO names another library.
// binding: every change of a mask. That is QUO_ERR_NOT_SUPPORTED, whatever the kernel calls it, and a push that is refused
// changes nothing. space: memory for what ranks share. That is QUO_ERR_OOR on all ranks, and no signal; of-one: also where the first
// of a node alone is refused it. contexts: more of them than
// a node holds. That is QUO_ERR_OOR too, and when they are freed there are more; for one rank.
#include <quo.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "binding_text.hpp"
#include "faults/refusal.hpp"
#include "judged.hpp"
#include "mpi/expect.hpp"

using namespace comity::testing;

namespace {

constexpr int kSkipped = 77;
const char* why_not = "this process may set no filter of system calls (seccomp)";

bool refusals_are_code_9() {
  QUO_context q = nullptr;
  expect_equal(QUO_create(&q, MPI_COMM_WORLD), QUO_SUCCESS, "QUO_create");
  int last = -1;
  expect_equal(QUO_npus(q, &last), QUO_SUCCESS, "QUO_npus");
  expect_equal(QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, --last), QUO_SUCCESS, "a push before");
  const std::string before = conform::binding(q);
  bool refused = true;
  for (const int error : {EPERM, EINVAL}) {
    refused = refused && refuse({SYS_sched_setaffinity, error});
    if (!refused) break;
    const int code = QUO_bind_push(q, QUO_BIND_PUSH_PROVIDED, QUO_OBJ_PU, 0);
    expect_equal(code, last > 0 ? QUO_ERR_NOT_SUPPORTED : code, "a refused push");
    expect(last == 0 || conform::binding(q) == before,
           "a refused push has changed the binding to " + conform::binding(q));
  }
  if (refused) {
    const int popped = QUO_bind_pop(q);
    expect(popped == QUO_SUCCESS || popped == QUO_ERR_NOT_SUPPORTED, "a pop returned " + std::to_string(popped));
    expect_equal(QUO_bind_pop(q), QUO_ERR_POP, "one pop too many");
  }
  expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free");
  return refused;
}

// A library that does not ask for space beforehand has what there is, and is ended by a signal where there is none.
bool asks_for_no_space(int code) { return code == QUO_SUCCESS && conform::judged_library() != nullptr; }

bool no_space_is_code_4(bool for_me) {
  int is_refused = !for_me || refuse({SYS_fallocate, ENOSPC}) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &is_refused, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (is_refused == 0) return false;
  int anything = 0;
  auto* q = reinterpret_cast<QUO_context>(&anything);
  const int code = QUO_create(&q, MPI_COMM_WORLD);
  if (asks_for_no_space(code)) {
    why_not = "this libquo asks for no space before it uses it";
    return false;
  }
  expect_equal(code, QUO_ERR_OOR, "QUO_create without space");
  expect(q == nullptr, "the context is not null after a failed create");
  return true;
}

std::vector<QUO_context> contexts_until_refused(std::size_t most, int* code) {
  std::vector<QUO_context> made;
  QUO_context q = nullptr;
  while (made.size() < most && (*code = QUO_create(&q, MPI_COMM_SELF)) == QUO_SUCCESS) made.push_back(q);
  expect(*code == QUO_SUCCESS || q == nullptr, "the context is not null after a failed create");
  return made;
}

void free_all(const std::vector<QUO_context>& contexts) {
  for (QUO_context q : contexts) expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free");
}

bool too_many_contexts_are_code_4() {
  constexpr std::size_t kHeld = 128 + 2;  // by a node of one rank
  int code = QUO_SUCCESS;
  const std::vector<QUO_context> first = contexts_until_refused(2 * kHeld, &code);
  free_all(first);
  if (code == QUO_SUCCESS && conform::judged_library() != nullptr) {
    why_not = "this libquo makes as many contexts as there is memory for";
    return false;
  }
  expect_equal(code, QUO_ERR_OOR, "QUO_create of one context too many");
  expect_equal(static_cast<long>(first.size()), static_cast<long>(kHeld), "contexts of a rank by itself");
  const std::vector<QUO_context> again = contexts_until_refused(kHeld, &code);
  expect_equal(static_cast<long>(again.size()), static_cast<long>(kHeld), "contexts when the first are freed");
  free_all(again);
  return true;
}

bool tried(std::string_view what) {
  if (what == "space") return no_space_is_code_4(true);
  if (what == "space-of-one") return no_space_is_code_4(world_rank == 0);
  return what == "contexts" ? too_many_contexts_are_code_4() : refusals_are_code_9();
}

}  // namespace

int main(int argc, char** argv) {
  conform::load_the_library_to_judge(argv);
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what != "binding" && what != "space" && what != "space-of-one" && what != "contexts") return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const bool tested = tried(what);
  if (!tested && world_rank == 0) std::printf("NOT TESTED: %s\n", why_not);
  MPI_Finalize();
  return tested ? finish() : kSkipped;
}
