// SPDX-License-Identifier: BSD-3-Clause
// A machine as a tree for people, and as JSON for programs. Pure functions of the machine.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/common/screen.hpp"
#include "machine/machine.hpp"

namespace comity::cli {

using Json = nlohmann::ordered_json;

enum class Detail : std::uint8_t { compressed, all };  // compressed: runs of like cores on one line

[[nodiscard]] std::string tree_text(const Screen& screen, const machine::Machine& machine, Detail detail);

// {"machine": {name, counts, allowed, ...}, "tree": {type, index, os_index, cpuset, bytes, children}}
[[nodiscard]] Json tree_json(const machine::Machine& machine);

}  // namespace comity::cli
