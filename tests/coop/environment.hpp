// SPDX-License-Identifier: BSD-3-Clause
// A planted environment.
#pragma once

#include <map>
#include <string>

#include "coop/decision/idle_threads.hpp"

namespace comity::testing {

inline coop::Lookup environment(std::map<std::string, std::string, std::less<>> variables) {
  return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

}  // namespace comity::testing
