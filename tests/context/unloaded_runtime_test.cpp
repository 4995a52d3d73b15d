// SPDX-License-Identifier: BSD-3-Clause
// An OpenMP runtime that the program unloads: pushes go on, with its team or without. This program links none itself.
#include <comity/comity.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace comity {
namespace {

TEST(UnloadedRuntime, PushesGoOnAfterTheProgramGaveItBack) {
  Context context = Context::local();
  void* const runtime = dlopen("libgomp.so.1", RTLD_NOW);
  ASSERT_NE(runtime, nullptr) << dlerror();
  context.push(Resource::machine, 0);
  context.pop();
  ASSERT_EQ(dlclose(runtime), 0);
  for (int round = 0; round < 3; ++round) {
    context.push(Resource::machine, 0);
    EXPECT_EQ(context.width().cores, context.count(Resource::core));
    context.pop();
  }
}

}  // namespace
}  // namespace comity
