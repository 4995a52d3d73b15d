// SPDX-License-Identifier: BSD-3-Clause
// The nodes that the words of `comity place` name: so many of one description or recorded machine after the other,
// without the cores that are missing.
#pragma once

#include <string>
#include <vector>

#include "place/site.hpp"

namespace comity::cli {

struct NodeWords {
  std::string count;                    // of a single kind of node
  std::vector<std::string> topologies;  // "pack:2 core:4", or "3*pack:2 core:4"
  std::vector<std::string> xml_files;   // "node.xml", or "3*node.xml"; behind the topologies
  std::vector<std::string> missing;     // "3=0,5-7", or "n04=0,5-7": node and cores
  std::vector<std::string> names;       // of the nodes, if they have any
  std::size_t hosts = 0;                // in a list of hosts: so many nodes where the words do not count them
};

// Whether the words say how many nodes there are, and not a list of hosts.
[[nodiscard]] bool count_nodes(const NodeWords& words);

// Of this machine's kind where the words name no other. Throws UsageError, or Error where a machine cannot be read.
[[nodiscard]] std::vector<place::NodeRun> read_nodes(const NodeWords& words);

}  // namespace comity::cli
