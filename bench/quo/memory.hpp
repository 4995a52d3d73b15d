// SPDX-License-Identifier: BSD-3-Clause
// What the memory of this process counts for on its node: each page by its part (PSS), from /proc/self/smaps.
#pragma once

namespace bench::quo {

struct Memory {
  double data_kb = 0;  // of writable mappings: heap, stacks, shared segments
  double code_kb = 0;  // of the others, such as libraries: a page counts once a node, whoever reads it first

  [[nodiscard]] double all_kb() const { return data_kb + code_kb; }
  friend Memory operator+(const Memory& a, const Memory& b) { return {a.data_kb + b.data_kb, a.code_kb + b.code_kb}; }
  friend Memory operator-(const Memory& a, const Memory& b) { return {a.data_kb - b.data_kb, a.code_kb - b.code_kb}; }
};

// Throws std::runtime_error where the kernel does not say.
[[nodiscard]] Memory memory_now();

}  // namespace bench::quo
