// SPDX-License-Identifier: BSD-3-Clause
// Puts a query written as words, as in tests/data/machines/README.md, to a machine. The answer is text again.
#pragma once

#include <string>

#include "machine/machine.hpp"

namespace comity::machine {

// Errors of the machine are answers ("range"); a query that does not exist throws std::invalid_argument.
[[nodiscard]] std::string ask(const Machine& machine, const std::string& query);

}  // namespace comity::machine
