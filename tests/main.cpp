// SPDX-License-Identifier: BSD-3-Clause
// The main of every GoogleTest program. GoogleTest ends with 0 where tests were skipped, and where the filter chose none;
// ctest would count both as passed. What is skipped only in places is an entry of its own: APART of comity_test.
#include <gtest/gtest.h>

#include <cstdio>

namespace {

constexpr int kFailed = 1;
constexpr int kSkipped = 77;  // COMITY_MAY_SKIP in ComityTest.cmake

int exit_code(const testing::UnitTest& all, int result) {
  if (result != 0) return kFailed;  // before all else: a failure is never hidden by a skipped neighbour
  if (all.test_to_run_count() == 0) {
    std::fprintf(stderr, "no test has a name that the filter wants (GTEST_FILTER)\n");
    return kFailed;
  }
  return all.skipped_test_count() == 0 ? 0 : kSkipped;
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  return exit_code(*testing::UnitTest::GetInstance(), result);
}
