// SPDX-License-Identifier: BSD-3-Clause
// Ranks that a launcher put on one node, and that are nodes of their own to us. Not: who is a candidate (the bootstrap).
#pragma once

#include "node/bootstrap.hpp"

namespace comity::node {

// One line from one rank of the node, once, where all ranks of the launch create together and fewer of them are candidates
// here than were put here.
void warn_of_ranks_apart(const Bootstrap& bootstrap);

}  // namespace comity::node
