// SPDX-License-Identifier: BSD-3-Clause
// Replacements: the functions that go another way, by name.
#pragma once

#include <algorithm>
#include <string_view>

#include "interpose/subscriber.hpp"

namespace comity::coop {

struct NamedReplacement {
  std::string_view name;  // MPI_x
  interpose::Replacement function;
};

template <typename Function>
[[nodiscard]] NamedReplacement named(std::string_view name, Function* function) {
  return {name, reinterpret_cast<interpose::Replacement>(function)};
}

template <typename Rows>
[[nodiscard]] interpose::Replacement find_replacement(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &NamedReplacement::name);
  return found == rows.end() ? nullptr : found->function;
}

// Null where this part has none.
[[nodiscard]] interpose::Replacement replacement_of_start(std::string_view name);
[[nodiscard]] interpose::Replacement replacement_of_question(std::string_view name);
[[nodiscard]] interpose::Replacement replacement_of_message(std::string_view name);
[[nodiscard]] interpose::Replacement replacement_of_completion(std::string_view name);
[[nodiscard]] interpose::Replacement replacement_of_collective(std::string_view name);
[[nodiscard]] interpose::Replacement replacement_of_window(std::string_view name);
[[nodiscard]] interpose::Replacement replacement_of_file(std::string_view name);

}  // namespace comity::coop
