// SPDX-License-Identifier: BSD-3-Clause
// A program that has an operator new of its own, and none for arrays, is called as if nothing stood before it: for arrays
// too, which the C++ library makes with it.
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace {
int made = 0;
int ended = 0;
}  // namespace

void* operator new(std::size_t bytes) {
  ++made;
  return std::malloc(bytes);
}
void operator delete(void* block) noexcept {
  ++ended;
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

int main() {
  const int before = made;
  int* volatile one = new int(1);
  int* volatile many = new int[100];
  int* volatile perhaps = new (std::nothrow) int(2);
  delete one;
  delete[] many;
  delete perhaps;
  const bool right = made - before == 3 && ended >= 3;
  if (!right) std::printf("the program's operators were called %d and %d times\n", made - before, ended);
  return right ? 0 : 1;
}
