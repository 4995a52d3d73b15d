// SPDX-License-Identifier: BSD-3-Clause
// A region of OpenBLAS's pool: one product, large enough for all its threads.
#pragma once

#include <cblas.h>

#include <vector>

namespace comity::testing {

// Whether the product is right.
inline bool multiply() {
  constexpr int n = 120;
  static const std::vector<double> a(n * n, 1.0);
  static std::vector<double> c(n * n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, a.data(), n, 0.0, c.data(), n);
  return c.front() == n && c.back() == n;
}

}  // namespace comity::testing
