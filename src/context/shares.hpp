// SPDX-License-Identifier: BSD-3-Clause
// Shares: which cores of an object each of the ranks has that a phase selected for it. Equal on all ranks, which compute it from
// the same masks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/cpu_set.hpp"

namespace comity::context {

// The cores, divided in order among so many ranks; where there are fewer cores than ranks, ranks double up.
[[nodiscard]] CpuSet equal_share(std::span<const CpuSet> cores, std::size_t sharers, std::size_t place);

// So many cores of each share, fewer than all of them together, for a phase that leaves the rest to ranks that go on
// working on their own bindings: first those on which fewest of them work, of these the rank's own, then those next to
// its equal share. `sharers`: bindings of the ranks that share the object, in order. `working`: of the ranks that were
// not selected.
[[nodiscard]] CpuSet narrow_share(std::span<const CpuSet> cores, std::span<const CpuSet> sharers, std::size_t place,
                                  std::span<const CpuSet> working, std::size_t width);

}  // namespace comity::context
