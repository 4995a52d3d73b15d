// SPDX-License-Identifier: BSD-3-Clause
// Between a library that is preloaded before the hooks and stands before mmap itself, and a malloc behind them that counts: all see what is theirs,
// and the hooks ask for nothing of their own.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <thread>

#include "libraries.h"
#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

int earlier_maps() {
  auto* const count = reinterpret_cast<int (*)()>(::dlsym(RTLD_DEFAULT, "earlier_maps"));
  return count == nullptr ? -1 : count();
}

// Whatever the hooks do for this step, the malloc behind them has so many requests: one more ends the process.
template <typename Step>
void with_requests(long requests, Step&& step) {
  static auto* const allow = reinterpret_cast<long (*)(long)>(::dlsym(RTLD_DEFAULT, "behind_allow"));
  ASSERT_NE(allow, nullptr) << "it is not preloaded";
  (void)allow(requests);
  step();
  EXPECT_EQ(allow(-1), 0) << "of " << requests;
}

struct Kept {
  void* start = nullptr;
  std::size_t bytes = 0;

  [[nodiscard]] bool is_whole() const {
    const auto* const first = static_cast<const char*>(start);
    return std::all_of(first, first + bytes, [](char one) { return one == 7; });
  }
};

Kept kept_by(const char* function, int which) {
  Kept kept;
  auto* const find = reinterpret_cast<void* (*)(int, std::size_t*)>(::dlsym(RTLD_DEFAULT, function));
  if (find != nullptr) kept.start = find(which, &kept.bytes);
  return kept;
}

TEST(MemoryEarlier, AsksForNothingWhereTheProgramAsksForBlocks) {
  constexpr std::array<std::size_t, 4> kSizes{0, 100, 5000, kMega};  // with a tag, wide, and a range
  for (const std::size_t bytes : kSizes) {
    void* block = nullptr;
    with_requests(1, [&] { block = alpha_malloc(bytes); });
    with_requests(1, [&] { block = alpha_realloc(block, 2 * bytes + 1); });
    with_requests(0, [&] { alpha_free(block); });
    with_requests(1, [&] { block = alpha_calloc(bytes, 1); });
    with_requests(0, [&] { alpha_free(block); });
    with_requests(1, [&] { block = alpha_aligned(0, 256, bytes); });
    with_requests(0, [&] { alpha_free(block); });
  }
  char* copy = nullptr;
  with_requests(1,
                [&] { copy = alpha_strdup("from inside the C library, by a way up the stack that nobody has gone"); });
  with_requests(0, [&] { alpha_free(copy); });
  std::thread([] { with_requests(1, [] { alpha_free(alpha_malloc(64)); }); }).join();
}

TEST(MemoryEarlier, AsksForNothingWhereMappingsComeAndGoAndAreLookedAt) {
  with_requests(0, [] {
    void* start = alpha_map(nullptr, 2 * kMega, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    touch(start, 2 * kMega);
    look_now();
    start = alpha_remap(start, 2 * kMega, 4 * kMega, MREMAP_MAYMOVE, nullptr);
    (void)alpha_unmap(start, 4 * kMega);
    std::array<LedgerSum, 64> sums{};
    ledger().sums(0, sums.data(), sums.size());
    std::array<LedgerRange, 64> ranges{};
    (void)ledger().ranges(ranges.data(), ranges.size());
  });
}

TEST(MemoryEarlier, GivesBackWhatConstructorsTookBeforeAndBehindItsOwn) {
  const std::uint64_t unknown = ledger().unknown_blocks();
  for (const char* const by : {"kept_by_earlier", "kept_by_behind"}) {
    for (const int which : {0, 1}) {
      const Kept kept = kept_by(by, which);
      ASSERT_NE(kept.start, nullptr) << by;
      EXPECT_TRUE(kept.is_whole()) << by << which;
      const Since application("application");
      free(kept.start);
      EXPECT_EQ(-application.all(), static_cast<std::int64_t>(kept.bytes)) << by << which;
    }
  }
  EXPECT_EQ(ledger().unknown_blocks(), unknown);
}

// What was mapped before the tables of those who call mmap were changed is nobody's, and is taken from nobody when it goes.
TEST(MemoryEarlier, TakesNothingFromAnybodyForAMappingThatNobodyHasSeen) {
  const Kept kept = kept_by("kept_by_behind", 2);
  ASSERT_NE(kept.start, nullptr);
  EXPECT_TRUE(kept.is_whole());
  const Since application("application");
  const Since alpha("alpha");
  EXPECT_EQ(alpha_unmap(kept.start, kept.bytes), 0);
  EXPECT_EQ(application.ranges(), 0);
  EXPECT_EQ(alpha.ranges(), 0);
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
