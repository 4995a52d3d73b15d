// SPDX-License-Identifier: BSD-3-Clause
// The unit of work and of summation in L1: a strip is a few whole rows. Strips come from the mesh alone;
// threads take strips, sums run over strips in order, so results do not depend on who computes which strip.
#pragma once

#include <vector>

namespace twomesh::l1 {

struct Strip {
  int begin, end;  // local rows [begin, end)
};

using Strips = std::vector<Strip>;

// Runs body(strip index) for all strips on a team of threads. The body touches its own strip's rows only.
template <typename Body>
void for_each_strip(const Strips& strips, int team, const Body& body) {
  const int count = static_cast<int>(strips.size());
#pragma omp parallel for schedule(static) num_threads(team)
  for (int strip = 0; strip < count; ++strip) body(static_cast<std::size_t>(strip));
}

}  // namespace twomesh::l1
