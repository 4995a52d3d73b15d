// SPDX-License-Identifier: BSD-3-Clause
// Which call paths have asked for how much. Runs with libcomity_memory.so preloaded, and with COMITY_MEMORY_PATHS=on.
#include "memory/rank/paths.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "libraries.h"
#include "memory/hooks/since.hpp"
#include "memory/rank/held.hpp"

#define COMITY_NAMED extern "C" __attribute__((noinline, visibility("default")))

// What follows has names that this program shows; a call at a function's end would make its caller return for it.
COMITY_NAMED void* path_of_one(std::size_t bytes) {
  void* volatile block = alpha_malloc(bytes);
  return block;
}
COMITY_NAMED void* path_of_another(std::size_t bytes) {
  void* volatile block = alpha_malloc(bytes);
  return block;
}
COMITY_NAMED void* path_by_another(std::size_t bytes) {
  void* volatile block = path_of_one(bytes);
  return block;
}
COMITY_NAMED void* path_that_resizes(void* block, std::size_t bytes) {
  void* volatile moved = alpha_realloc(block, bytes);
  return moved;
}
COMITY_NAMED void* path_that_maps(std::size_t bytes) {
  void* volatile start = alpha_map(nullptr, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  return start;
}
COMITY_NAMED char* path_that_copies(const char* text) {
  char* volatile copy = alpha_strdup(text);
  return copy;
}
COMITY_NAMED void* path_far_down(int frames) {
  void* volatile block = frames == 0 ? alpha_malloc(5000) : path_far_down(frames - 1);
  return block;
}
COMITY_NAMED void* path_of_threads(std::size_t bytes) {
  void* volatile block = alpha_malloc(bytes);
  return block;
}

namespace comity::memory {
namespace {

struct Sum {
  std::int64_t most = 0;
  std::int64_t last = 0;
  std::int64_t asked = 0;
  std::int64_t times = 0;
  std::size_t paths = 0;
  std::string path;  // the last one

  friend bool operator==(const Sum& a, const Sum& b) {
    return a.most == b.most && a.last == b.last && a.asked == b.asked && a.times == b.times;
  }
};
std::ostream& operator<<(std::ostream& out, const Sum& sum) {
  return out << "most " << sum.most << ", last " << sum.last << ", asked " << sum.asked << ", times " << sum.times
             << " in " << sum.paths << " paths, " << sum.path;
}

// Of alpha's paths through these functions, each called by the next one.
Sum sum_of_path(const std::vector<std::string>& functions) {
  const record::Table table = Paths(&ledger()).table(Components());
  Sum sum;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string path = table.text(row, "path");
    if (path.find("libmemory_alpha.so+0x") != 0) continue;
    std::size_t at = 0;
    for (const std::string& function : functions) {
      if (at != std::string::npos) at = path.find('(' + function + "+0x", at);
    }
    if (at == std::string::npos) continue;
    sum.most += table.integer(row, "most_bytes");
    sum.last += table.integer(row, "last_bytes");
    sum.asked += table.integer(row, "asked_bytes");
    sum.times += table.integer(row, "times");
    sum.path = path;
    ++sum.paths;
  }
  return sum;
}

Sum expected(std::int64_t most, std::int64_t last, std::int64_t asked, std::int64_t times) {
  return {most, last, asked, times, 0, {}};
}

TEST(MemoryPaths, AreToldApartByWhoCalled) {
  std::vector<void*> ours;
  for (int i = 0; i < 100; ++i) ours.push_back(path_of_one(1000));
  std::vector<void*> others;
  for (int i = 0; i < 3; ++i) others.push_back(path_of_another(kMega));
  std::vector<void*> by_others;
  for (int i = 0; i < 7; ++i) by_others.push_back(path_by_another(2000));
  EXPECT_EQ(sum_of_path({"alpha_malloc", "path_of_another"}), expected(3 * kMega, 3 * kMega, 3 * kMega, 3));
  EXPECT_EQ(sum_of_path({"path_of_one", "path_by_another"}), expected(14'000, 14'000, 14'000, 7));
  EXPECT_EQ(sum_of_path({"alpha_malloc", "path_of_one"}), expected(114'000, 114'000, 114'000, 107));
  EXPECT_EQ(sum_of_path({"path_by_another", "path_of_one"}), expected(0, 0, 0, 0)) << "the innermost stands first";
  for (std::size_t i = 0; i < 60; ++i) free(ours[i]);
  for (void* const block : others) free(block);
  EXPECT_EQ(sum_of_path({"path_of_another"}), expected(3 * kMega, 0, 3 * kMega, 3));
  EXPECT_EQ(sum_of_path({"path_of_one"}), expected(114'000, 54'000, 114'000, 107));
  for (std::size_t i = 60; i < ours.size(); ++i) free(ours[i]);
  for (void* const block : by_others) free(block);
}

TEST(MemoryPaths, OfWhatIsResizedAreThoseOfWhoDidSo) {
  void* block = path_of_another(300'000);
  const Sum before = sum_of_path({"path_of_another"});
  block = path_that_resizes(block, 500'000);
  EXPECT_EQ(sum_of_path({"path_of_another"}).last, before.last - 300'000);
  EXPECT_EQ(sum_of_path({"path_that_resizes"}), expected(500'000, 500'000, 500'000, 1));
  block = path_that_resizes(block, 10'000);
  EXPECT_EQ(sum_of_path({"path_that_resizes"}).last, 10'000);
  free(block);
  EXPECT_EQ(sum_of_path({"path_that_resizes"}).last, 0);
}

TEST(MemoryPaths, AreToldOfMappingsAndOfTheirParts) {
  void* const start = path_that_maps(8 * kMega);
  EXPECT_EQ(sum_of_path({"alpha_map", "path_that_maps"}), expected(8 * kMega, 8 * kMega, 8 * kMega, 1));
  EXPECT_EQ(munmap(static_cast<char*>(start) + 2 * kMega, kMega), 0);
  EXPECT_EQ(sum_of_path({"path_that_maps"}), expected(8 * kMega, 7 * kMega, 8 * kMega, 1));
  EXPECT_EQ(munmap(start, 8 * kMega), 0);
  EXPECT_EQ(sum_of_path({"path_that_maps"}).last, 0);
}

TEST(MemoryPaths, BeginOutsideTheRuntimesAndLeaveThemOut) {
  const std::string text(9'999, 'x');
  char* const copy = path_that_copies(text.c_str());
  const Sum sum = sum_of_path({"alpha_strdup", "path_that_copies"});
  EXPECT_EQ(sum, expected(10'000, 10'000, 10'000, 1));
  EXPECT_EQ(sum.path.find("libc"), std::string::npos) << sum.path;
  free(copy);
}

TEST(MemoryPaths, EndAfterAFewFunctions) {
  void* const block = path_far_down(40);
  const Sum sum = sum_of_path(
      {"alpha_malloc", "path_far_down", "path_far_down", "path_far_down", "path_far_down", "path_far_down"});
  EXPECT_EQ(sum, expected(5000, 5000, 5000, 1));
  std::size_t callers = 0;
  for (std::size_t at = 0; (at = sum.path.find(kCallerMark, at)) != std::string::npos; ++at) ++callers;
  EXPECT_EQ(callers, 5U) << sum.path;
  free(block);
}

TEST(MemoryPaths, OfThreadsAtOnceLoseNothing) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      std::vector<void*> blocks;
      for (int i = 0; i < 1000; ++i) blocks.push_back(path_of_threads(500));
      for (std::size_t i = 0; i < 900; ++i) free(blocks[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Sum sum = sum_of_path({"path_of_threads"});
  EXPECT_EQ(sum.last, 4 * 100 * 500);
  EXPECT_EQ(sum.asked, 4 * 1000 * 500);
  EXPECT_EQ(sum.times, 4000);
  EXPECT_GE(sum.most, 1000 * 500);
  EXPECT_LE(sum.most, 4 * 1000 * 500);
}

TEST(MemoryPaths, HaveNoPeakWhileNothingIsRecorded) {
  ledger().keep_peaks(0);
  free(path_far_down(0));
  void* const block = path_that_maps(64 * kMega);
  EXPECT_EQ(munmap(block, 64 * kMega), 0);
  ledger().keep_peaks(1);
  EXPECT_LE(sum_of_path({"path_that_maps"}).most, 8 * kMega);
}

// What is held in the end is told by the same paths, small blocks and large ones.
TEST(MemoryPaths, AreThoseOfWhatIsHeld) {
  std::vector<void*> blocks;
  for (int i = 0; i < 50; ++i) blocks.push_back(path_by_another(3000));
  blocks.push_back(path_by_another(2 * kMega));
  std::int64_t bytes = 0;
  for (const HeldSite& site : held_now(ledger())) {
    if (site.place.find("(path_of_one+0x") < site.place.find("(path_by_another+0x")) bytes += site.bytes;
  }
  EXPECT_EQ(bytes, 50 * 3000 + static_cast<std::int64_t>(2 * kMega));
  for (void* const block : blocks) free(block);
}

}  // namespace
}  // namespace comity::memory
