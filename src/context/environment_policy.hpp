// SPDX-License-Identifier: BSD-3-Clause
// Static thread-binding policies in the environment that fight with a pushed binding: the OpenMP runtime pins its threads
// by them at load, and again whenever it likes. Not: undoing them (nobody can, after load).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace comity::context {

using Lookup = std::function<std::optional<std::string>(std::string_view)>;

struct FightingPolicy {
  std::string variable;
  std::string value;
};

// All that are set to something that binds, as GNU's runtime reads them.
[[nodiscard]] std::vector<FightingPolicy> fighting_policies(const Lookup& lookup);

// One sentence that names them all and says what to unset; empty for none.
[[nodiscard]] std::string describe(const std::vector<FightingPolicy>& policies);

}  // namespace comity::context
