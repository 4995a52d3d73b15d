// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out on demand: the n-th allocation of this process fails, alone or with all that follow. The program's
// operator new is replaced in memory.cpp. For one thread.
#pragma once

#include <cstddef>

namespace comity::testing {

enum class Shortage { one_allocation, from_then_on };

// From here the `nth` allocation (1: the next) fails.
void run_out_of_memory(long nth, Shortage shortage) noexcept;
// Memory is there again. Returns whether an allocation failed.
bool end_shortage() noexcept;

// While this lives, allocations neither fail nor count: what the test does itself.
class MemoryForTheTest {
 public:
  MemoryForTheTest() noexcept;
  ~MemoryForTheTest();
  MemoryForTheTest(const MemoryForTheTest&) = delete;
  MemoryForTheTest& operator=(const MemoryForTheTest&) = delete;

 private:
  bool before_;
};

}  // namespace comity::testing
