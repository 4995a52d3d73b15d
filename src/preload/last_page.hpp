// SPDX-License-Identifier: BSD-3-Clause
// The page that a run prints when it ends: what the figures of its ranks come to. Not: how they come together (watched_run).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/format/bytes.hpp"

namespace comity::preload {

enum class MetricsToo : std::uint8_t { no, yes };  // no: whose the memory was alone

// Of the figures of each rank, encoded, in their order.
[[nodiscard]] std::string last_page(const std::vector<record::Bytes>& ranks, MetricsToo metrics_too);

}  // namespace comity::preload
