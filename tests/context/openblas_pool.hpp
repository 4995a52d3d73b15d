// SPDX-License-Identifier: BSD-3-Clause
// Regions of OpenBLAS's pool: products, and who computed them where. Its idle workers spin for a tenth of a second before they
// sleep, which OPENBLAS_THREAD_TIMEOUT makes shorter: a watched product waits for that.
#pragma once

#include <cblas.h>
#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "context/at_work.hpp"

namespace comity::testing {

inline constexpr int kMostAtWork = 16;  // for more members a product would have to be so large that it takes long

// Of a pool of so many, how many have a piece of each product.
inline int members_at_work(int members) { return std::min(members, kMostAtWork); }

// Whether the product is right.
inline bool multiply(int members) {
  constexpr int kLeast = 120;
  constexpr int kRowsOfAPiece = 32;  // on no processor does OpenBLAS ask for more
  constexpr std::size_t kMost = kRowsOfAPiece * kMostAtWork;
  static const std::vector<double> a(kMost * kMost, 1.0);
  static std::vector<double> c(kMost * kMost);
  const int n = std::max(kLeast, kRowsOfAPiece * members_at_work(members));
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, a.data(), n, 0.0, c.data(), n);
  const auto last = static_cast<std::size_t>(n) * static_cast<std::size_t>(n) - 1;
  return c.front() == n && c[last] == n;
}

// One product, and where those ran that computed it: the caller, and those of `workers` that it woke. A right product whose
// workers slept on has too few.
inline std::vector<int> cpus_of_product(int members, const Threads& workers) {
  const AtWork at_work(workers);
  if (!multiply(members)) return {};
  std::vector<int> cpus = at_work.cpus(static_cast<std::size_t>(members_at_work(members) - 1));
  cpus.push_back(sched_getcpu());
  return cpus;
}

// The workers, and the caller as the last member, on a core each of the pushed binding. False: this OpenBLAS cannot.
inline bool place_members(const Context& context, int members) {
  using Place = int(int member, std::size_t bytes, cpu_set_t* cpus);
  auto* const place = reinterpret_cast<Place*>(dlsym(RTLD_DEFAULT, "openblas_setaffinity"));
  if (place == nullptr) return false;
  const std::vector<Cpus> cores = pushed_cores(context);
  bool placed = true;
  for (int member = 0; member < members; ++member) {
    cpu_set_t core = set_of(cores[static_cast<std::size_t>(member) % cores.size()]);
    placed = place(member, sizeof(core), &core) == 0 && placed;
  }
  return placed;
}

}  // namespace comity::testing
