// SPDX-License-Identifier: BSD-3-Clause
// The unit of work and of summation in L1: a strip is a few whole rows. Strips come from the mesh alone;
// threads take strips, sums run over strips in order, so results do not depend on who computes which strip.
#pragma once

#include <omp.h>

#include <algorithm>
#include <vector>

namespace twomesh::l1 {

struct Strip {
  int begin, end;  // local rows [begin, end)
};

using Strips = std::vector<Strip>;

// The threads of one solve. OpenMP may give fewer than it is asked for (OMP_THREAD_LIMIT, OMP_DYNAMIC).
struct Team {
  explicit Team(int threads) : asked(threads), ran(threads) {}
  int asked;
  int ran;  // in the narrowest loop so far
};

// Runs body(strip index) for all strips on a team of threads. The body touches its own strip's rows only.
template <typename Body>
void for_each_strip(const Strips& strips, Team& team, const Body& body) {
  const int count = static_cast<int>(strips.size());
  int ran = 0;
#pragma omp parallel num_threads(team.asked)
  {
    if (omp_get_thread_num() == 0) ran = omp_get_num_threads();
#pragma omp for schedule(static) nowait
    for (int strip = 0; strip < count; ++strip) body(static_cast<std::size_t>(strip));
  }
  team.ran = std::min(team.ran, ran);
}

}  // namespace twomesh::l1
