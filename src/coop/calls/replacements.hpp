// SPDX-License-Identifier: BSD-3-Clause
// Replacements: the functions that go another way, by name.
#pragma once

#include <algorithm>
#include <string_view>

#include "interpose/subscriber.hpp"

namespace comity::coop {

struct Replaced {
  interpose::Replacement function = nullptr;
  interpose::Replacement inside = nullptr;  // for calls from inside another one; null: those go to the library
};

struct NamedReplacement {
  std::string_view name;  // MPI_x
  Replaced by;
};

template <typename Function>
[[nodiscard]] NamedReplacement named(std::string_view name, Function* function, Function* inside = nullptr) {
  return {name, {reinterpret_cast<interpose::Replacement>(function), reinterpret_cast<interpose::Replacement>(inside)}};
}

template <typename Rows>
[[nodiscard]] Replaced find_replacement(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, &NamedReplacement::name);
  return found == rows.end() ? Replaced() : found->by;
}

// Of nulls where this part has none.
[[nodiscard]] Replaced replacement_of_start(std::string_view name);
[[nodiscard]] Replaced replacement_of_question(std::string_view name);
[[nodiscard]] Replaced replacement_of_message(std::string_view name);
[[nodiscard]] Replaced replacement_of_completion(std::string_view name);
[[nodiscard]] Replaced replacement_of_collective(std::string_view name);
[[nodiscard]] Replaced replacement_of_window(std::string_view name);
[[nodiscard]] Replaced replacement_of_file(std::string_view name);

}  // namespace comity::coop
