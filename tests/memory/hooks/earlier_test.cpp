// SPDX-License-Identifier: BSD-3-Clause
// Behind a library that is preloaded before the hooks and stands before mmap itself: both see each mapping.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <string>

#include "libraries.h"
#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

int earlier_maps() {
  auto* const count = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "earlier_maps"));
  return count == nullptr ? -1 : count();
}

TEST(MemoryEarlier, SeesMappingsOfTablesThatWereFilledAtOnce) {
  const Since alpha("alpha");
  const int before = earlier_maps();
  ASSERT_GE(before, 0) << "it is not preloaded";
  void* const start = alpha_map(nullptr, 2 * kMega, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  EXPECT_EQ(earlier_maps(), before + 1);
  EXPECT_EQ(alpha.ranges(), 2 * kMega);
  EXPECT_EQ(munmap(start, 2 * kMega), 0);
  EXPECT_EQ(alpha.ranges(), 0);
}

TEST(MemoryEarlier, SeesMappingsOfTablesThatAreFilledCallByCall) {
  for (const char* const name : {"gamma", "delta"}) {
    const Since mine(name);
    void* const object = dlopen((std::string(COMITY_TEST_LIBRARIES "/libmemory_") + name + ".so").c_str(), RTLD_LAZY);
    ASSERT_NE(object, nullptr) << dlerror();
    auto* const map = reinterpret_cast<void* (*)(std::size_t)>(dlsym(object, "plugin_map"));
    const int before = earlier_maps();
    void* const start = map(kMega);
    EXPECT_EQ(earlier_maps(), before + 1) << name;
    EXPECT_EQ(mine.ranges(), kMega) << name;
    EXPECT_EQ(munmap(start, kMega), 0);
    EXPECT_EQ(dlclose(object), 0);
  }
}

}  // namespace
}  // namespace comity::memory
