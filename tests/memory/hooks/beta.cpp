// SPDX-License-Identifier: BSD-3-Clause
// Another library of the same kind, in C++.
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct alignas(256) Wide {
  char bytes[256];
};

extern "C" {

void* beta_new(std::size_t bytes) {
  void* volatile block = ::operator new(bytes);
  return block;
}
void beta_delete(void* block) { ::operator delete(block); }
Wide* beta_wide(std::size_t count) {
  Wide* volatile many = new (std::nothrow) Wide[count];
  return many;
}
void beta_end_wide(Wide* many) { delete[] many; }

// Grown inside the C++ library, step by step.
std::string* beta_string(std::size_t letters) {
  auto text = std::make_unique<std::string>();
  while (text->size() < letters) text->append("0123456789abcdef");
  return text.release();
}
void beta_end_string(std::string* text) { delete text; }
}
