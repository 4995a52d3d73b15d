// SPDX-License-Identifier: BSD-3-Clause
// Part: a count and a type of a call, which are a number of bytes.
#pragma once

#include "interpose/arguments.hpp"
#include "interpose/requests/type_size.hpp"

namespace comity::interpose {

struct Part {
  std::int8_t count;
  bool each;  // a count for each rank
  std::int8_t type;
};

// What a call gives, or all that it moves where it has no other; what it gets.
[[nodiscard]] constexpr Part given(const Row& row) { return {row.at.count, row.each.count, row.at.type}; }
[[nodiscard]] constexpr Part taken(const Row& row) {
  return {row.at.other_count, row.each.other_count, row.at.other_type};
}

// Where there is one for each rank, that of rank `i`.
template <class Function>
[[nodiscard]] std::uint64_t bytes_of(const Arguments<Function>& call, Part part, std::size_t i = 0) {
  if (part.type == kAbsent) return 0;
  const std::uint64_t element = size_of(call.type(part.type, i));
  if (part.count == kAbsent) return element;  // MPI_Fetch_and_op
  return static_cast<std::uint64_t>(call.count(part.count, part.each, i)) * element;
}

}  // namespace comity::interpose
