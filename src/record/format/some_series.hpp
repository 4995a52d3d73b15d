// SPDX-License-Identifier: BSD-3-Clause
// Reading a rank with some of its series, by name, and nothing else of what happened over time: chunks of other series and of spans, which
// may be most of a body, are checked and passed over. Not: all of it, or none (content).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "record/format/content.hpp"

namespace comity::record {

// Otherwise as decode(). A sample of a series that was not declared is taken for one of a series that nobody asked for.
[[nodiscard]] Scan decode_with_series(std::span<const std::byte> chunks, std::span<const std::string_view> names,
                                      Content& content);

}  // namespace comity::record
