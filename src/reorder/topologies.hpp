// SPDX-License-Identifier: BSD-3-Clause
// Topologies: the functions of MPI that may reorder, as those that do.
#pragma once

#include <atomic>
#include <string_view>

#include "interpose/subscriber.hpp"

namespace comity::reorder {

// Whether all ranks of MPI_COMM_WORLD reorder; until somebody knows, nobody does.
inline constinit std::atomic<bool> all_reorder{false};

// Null where this part has none.
[[nodiscard]] interpose::Replacement replacement_of(std::string_view name);

}  // namespace comity::reorder
