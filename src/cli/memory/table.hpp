// SPDX-License-Identifier: BSD-3-Clause
// A view of processes' memory as text for people.
#pragma once

#include <cstddef>
#include <string>

#include "cli/common/screen.hpp"
#include "cli/memory/view.hpp"

namespace comity::cli {

[[nodiscard]] std::string memory_text(const Screen& screen, const MemoryView& view, std::size_t columns);

}  // namespace comity::cli
