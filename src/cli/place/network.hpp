// SPDX-License-Identifier: BSD-3-Clause
// The network that the words of `comity place` name: a file (Slurm's topology.conf, or JSON), or the extents of a torus.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/place/report.hpp"
#include "place/network.hpp"

namespace comity::cli {

// {"switches": [{"name": "s1", "nodes": "n[1-4]"}, {"name": "top", "switches": ["s1", ..]}]}, or {"torus": [4, 4, 2]}.
// Throws Error.
[[nodiscard]] place::Network parse_network_json(std::string_view text, const std::string& name);

// None where no word names one. Throws UsageError and Error.
[[nodiscard]] std::optional<place::Network> read_network(const std::string& file, const std::string& torus);

// How far a job's exchanges go in a torus: the sum of weight times links, by our mapping, in the sequential order (null, and a
// sentence, where ranks with unequal threads do not fit in that), and at least.
[[nodiscard]] nlohmann::ordered_json hops_json(const place::Network& network, const Placed& placed);
[[nodiscard]] std::string hops_text(const place::Network& network, const Placed& placed);

}  // namespace comity::cli
