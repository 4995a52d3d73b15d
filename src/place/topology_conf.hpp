// SPDX-License-Identifier: BSD-3-Clause
// Topology conf: reads a tree of switches as Slurm has it. Not: what the tree is (network.hpp).
#pragma once

#include <string>
#include <string_view>

#include "place/network.hpp"

namespace comity::place {

// The lines SwitchName=.. with Switches=.. or Nodes=.., as in a topology.conf. `name` is what errors call it. Throws Status::argument for what is
// no such line, or a tree that is none.
[[nodiscard]] Network parse_topology_conf(std::string_view text, const std::string& name);

}  // namespace comity::place
