// SPDX-License-Identifier: BSD-3-Clause
// What a machine has beside its tree: kinds of cores and of memory, GPUs and NICs. Pure functions of the machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "cli/common/screen.hpp"
#include "machine/machine.hpp"

namespace comity::cli {

using Json = nlohmann::ordered_json;

[[nodiscard]] std::string_view word_for(machine::MemoryKind kind);  // "HBM"

// A table each; "" where there is nothing to show: no devices, one kind of cores or none that is told.
[[nodiscard]] std::string core_kinds_text(const machine::Machine& machine);
[[nodiscard]] std::string devices_text(const machine::Machine& machine);

[[nodiscard]] Json core_kinds_json(const machine::Machine& machine);
[[nodiscard]] Json devices_json(const machine::Machine& machine);

}  // namespace comity::cli
