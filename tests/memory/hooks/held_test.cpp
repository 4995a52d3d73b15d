// SPDX-License-Identifier: BSD-3-Clause
// What is held, by places of code, as it is found in this process's heaps. Runs with libcomity_memory.so preloaded.
#include "memory/rank/held.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "libraries.h"
#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

std::vector<HeldSite> held_by(std::string_view component) {
  std::vector<HeldSite> all = held_now(ledger());
  std::erase_if(all, [&](const HeldSite& each) {
    return each.component != static_cast<Component>(number_of(component)) || each.place == kElsewhere;
  });
  return all;
}

std::int64_t bytes_of(const std::vector<HeldSite>& sites) {
  std::int64_t bytes = 0;
  for (const HeldSite& site : sites) bytes += site.bytes;
  return bytes;
}

TEST(MemoryHeld, FindsEachBlockAndWhereItWasAskedFor) {
  const std::int64_t before = bytes_of(held_by("alpha"));
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < 20'000; ++i) blocks.push_back(alpha_malloc(1 + i % 700));
  for (std::size_t i = 0; i < 3; ++i) blocks.push_back(alpha_calloc(4, 200'000));
  std::int64_t small = 0;
  for (std::size_t i = 0; i < 20'000; ++i) small += static_cast<std::int64_t>(1 + i % 700);
  const std::vector<HeldSite> held = held_by("alpha");
  EXPECT_EQ(bytes_of(held) - before, small + 3 * 800'000);
  const auto of = [&](std::string_view function) {
    return std::find_if(held.begin(), held.end(), [&](const HeldSite& site) {
      return site.place.find("libmemory_alpha.so+0x") == 0 && site.place.find(function) != std::string::npos;
    });
  };
  ASSERT_NE(of("(alpha_malloc+0x"), held.end());
  EXPECT_EQ(of("(alpha_malloc+0x")->bytes, small);
  EXPECT_EQ(of("(alpha_malloc+0x")->blocks, 20'000);
  ASSERT_NE(of("(alpha_calloc+0x"), held.end());
  EXPECT_EQ(of("(alpha_calloc+0x")->bytes, 3 * 800'000);
  EXPECT_EQ(of("(alpha_calloc+0x")->blocks, 3);
  for (void* const block : blocks) free(block);
  EXPECT_EQ(bytes_of(held_by("alpha")), before);
}

// Those that were moved, freed or copied are none.
TEST(MemoryHeld, FindsNoBlockThatHasGone) {
  const std::int64_t before = bytes_of(held_by("beta"));
  std::vector<void*> blocks;
  for (int i = 0; i < 5'000; ++i) blocks.push_back(beta_new(333));
  EXPECT_EQ(bytes_of(held_by("beta")) - before, 5'000 * 333);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 2 == 0) beta_delete(blocks[i]);
  }
  EXPECT_EQ(bytes_of(held_by("beta")) - before, 2'500 * 333);
  for (std::size_t i = 1; i < blocks.size(); i += 2) beta_delete(blocks[i]);
  EXPECT_EQ(bytes_of(held_by("beta")), before);
}

TEST(MemoryHeld, FindsBlocksOfOtherThreads) {
  const std::int64_t before = bytes_of(held_by("alpha"));
  std::vector<void*> blocks(4'000);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < blocks.size(); i += 4) blocks[i] = alpha_malloc(111);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bytes_of(held_by("alpha")) - before, 4'000 * 111);
  for (void* const block : blocks) free(block);
}

// While others allocate, and give their arenas back.
TEST(MemoryHeld, IsReadWhileOthersComeAndGo) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done.load()) {
      std::vector<void*> blocks;
      for (std::size_t i = 0; i < 2'000; ++i) blocks.push_back(beta_new(10 + i * 40));
      for (void* const block : blocks) beta_delete(block);
    }
  });
  void* const block = alpha_malloc(12'345);
  for (int i = 0; i < 20; ++i) EXPECT_GE(bytes_of(held_by("alpha")), 12'345);
  done.store(true);
  other.join();
  free(block);
}

// Who called is told on demand.
TEST(MemoryHeld, HasPlacesWithoutPaths) {
  EXPECT_EQ(ledger().tells_paths(), 0);
  void* const block = alpha_malloc(54'321);
  for (std::uint32_t i = 0; i < ledger().sites(); ++i) {
    LedgerSite site{};
    ledger().site(i, &site);
    EXPECT_EQ(site.caller, 0U);
    LedgerSiteSum sum{};
    ledger().site_sum(i, &sum);
    EXPECT_EQ(sum.asked_bytes, 0);
  }
  free(block);
}

// A library that is loaded again has the places that it had.
TEST(MemoryHeld, NamesPlacesOfALibraryThatHasGone) {
  void* const object = alpha_load(COMITY_TEST_LIBRARIES "/libmemory_gamma.so");
  ASSERT_NE(object, nullptr);
  auto* const allocate = reinterpret_cast<void* (*)(std::size_t)>(::dlsym(object, "plugin_malloc"));
  ASSERT_NE(allocate, nullptr);
  void* const block = allocate(4'321);
  ASSERT_EQ(held_by("gamma").size(), 1U);
  EXPECT_NE(held_by("gamma")[0].place.find("(plugin_malloc+0x"), std::string::npos);
  ASSERT_EQ(::dlclose(object), 0);
  ASSERT_EQ(held_by("gamma").size(), 1U);
  EXPECT_EQ(held_by("gamma")[0].place.find("libmemory_gamma.so+0x"), 0U);
  EXPECT_EQ(held_by("gamma")[0].bytes, 4'321);
  free(block);
  EXPECT_TRUE(held_by("gamma").empty());
}

}  // namespace
}  // namespace comity::memory
