// SPDX-License-Identifier: BSD-3-Clause
// Asks a machine everything, with indices inside and outside, for machines whose image may be damaged.
#pragma once

#include <cstddef>

#include "machine/machine.hpp"

namespace comity::machine {

// Reads every object, the whole tree and the whole name. The result depends on all answers, so that none is
// optimised away. Throws nothing for a machine that could be constructed; walks each object of the tree at
// most once.
std::size_t ask_everything(const Machine& machine);

}  // namespace comity::machine
