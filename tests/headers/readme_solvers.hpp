// SPDX-License-Identifier: BSD-3-Clause
// The solvers of the program in the README: conduction() says on which threads it ran, once a call.
#pragma once

#include <omp.h>

#include <cstdio>
#include <set>

#include "context/masks.hpp"

inline int hydro_calls = 0;

inline void hydro() { ++hydro_calls; }

// A team of several, each member on CPUs of its own.
inline void conduction() {
  using comity::testing::Cpus;
  std::set<Cpus> places;
  int members = 0;
#pragma omp parallel
  {
    const Cpus mine = comity::testing::cpus_of(0);
#pragma omp critical
    {
      ++members;
      places.insert(mine);
    }
  }
  const bool is_whole = hydro_calls == 1 && places.size() == static_cast<std::size_t>(members) && members > 1;
  std::printf("conduction %s: %d threads on %zu places\n", is_whole ? "on all cores" : "is short of cores", members,
              places.size());
}
