// SPDX-License-Identifier: BSD-3-Clause
// Memory that runs out on demand: the n-th allocation of this process fails, alone or with all that follow: of C++, or also
// those that C libraries make. The program's operator new is replaced in memory.cpp, its malloc in memory_c.cpp where no
// sanitizer has one of its own. For one thread.
#pragma once

#include <cstddef>

namespace comity::testing {

enum class Shortage { one_allocation, from_then_on };
enum class Allocations { of_cpp, of_c_too };

// False where memory_c.cpp is left out.
[[nodiscard]] bool can_refuse_c() noexcept;
// Asked by malloc and its like.
[[nodiscard]] bool c_fails_now() noexcept;

// From here the `nth` allocation (1: the next) fails.
void run_out_of_memory(long nth, Shortage shortage, Allocations which = Allocations::of_cpp) noexcept;
// Memory is there again. Returns whether an allocation failed.
bool end_shortage() noexcept;
// The code that asked operator new for what it did not get last: an address in the program or in a library.
[[nodiscard]] const void* refused_caller() noexcept;

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
