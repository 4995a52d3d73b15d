// SPDX-License-Identifier: BSD-3-Clause
// A phase that the kernel refuses a rank leaves it OpenMP teams of the size that they had. Built once a runtime (GNU, LLVM).
#include <comity/comity.h>

#include <gtest/gtest.h>
#include <omp.h>
#include <sys/syscall.h>

#include <cerrno>

#include "faults/refusal.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/namespaces.hpp"

namespace comity::testing {
namespace {

constexpr Refusal kNoBinding{SYS_sched_setaffinity, EPERM};
constexpr int kTeam = 7;  // another size than that of a phase

void enter_one_core(comity_context* context, comity_status expected) {
  std::int32_t selected = 0;
  EXPECT_EQ(comity_context_enter(context, COMITY_MACHINE, 1, 1, &selected), expected) << comity_last_error();
}

int cores_here() {
  comity_context* context = nullptr;
  std::int32_t cores = 0;
  EXPECT_EQ(comity_context_create_local(&context), COMITY_OK) << comity_last_error();
  EXPECT_EQ(comity_context_count(context, COMITY_CORE, &cores), COMITY_OK) << comity_last_error();
  EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  return cores;
}

// A phase sets the size to its cores before it moves, and here it does not come to move. The runtime has begun by then.
TEST(RefusedTeam, IsOfTheSizeThatItHad) {
  if (!would_work([] { return refuse(kNoBinding); })) {
    GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
  }
  if (cores_here() < 2) GTEST_SKIP() << "NOT TESTED: on one core no phase moves";
  const auto ends = run_ranks(1, [](ForkBootstrap&) {
    comity_context* context = nullptr;
    ASSERT_EQ(comity_context_create_local(&context), COMITY_OK) << comity_last_error();
    omp_set_num_threads(kTeam);
    enter_one_core(context, COMITY_OK);
    EXPECT_EQ(omp_get_max_threads(), 1) << "the size of a phase";
    ASSERT_EQ(comity_context_leave(context), COMITY_OK) << comity_last_error();
    ASSERT_EQ(omp_get_max_threads(), kTeam);
    ASSERT_TRUE(refuse(kNoBinding));
    enter_one_core(context, COMITY_ERR_SYSTEM);
    EXPECT_EQ(omp_get_max_threads(), kTeam);
    EXPECT_EQ(comity_context_leave(context), COMITY_OK) << comity_last_error();
    EXPECT_EQ(omp_get_max_threads(), kTeam);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
