// SPDX-License-Identifier: BSD-3-Clause
// The mapping that a question asks for, by the mapper that fits it, with what is proven of it; partitioners of others are asked
// where they are on the PATH.
#pragma once

#include <string>
#include <vector>

#include "cli/place/progress.hpp"
#include "place/mapper.hpp"
#include "place/network.hpp"

namespace comity::cli {

// Of the word of --partitioner. Throws UsageError, and Error where one that is asked for is not here.
[[nodiscard]] place::Partition partition_by(const std::string& word);

// What is to be placed, and where.
struct Question {
  const place::Graph& graph;
  const place::Grid* grid;
  const place::Site& site;
  const std::vector<std::uint32_t>& threads;
  const place::Objective& objective;
  const place::Network* torus;  // null: the nodes are no torus
  place::Partition ask;
};

[[nodiscard]] place::Answer find(const Question& question, PlaceProgress& progress);

}  // namespace comity::cli
