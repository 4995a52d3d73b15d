// SPDX-License-Identifier: BSD-3-Clause
#include "l1/neighbourhood.hpp"

#include <algorithm>

namespace twomesh::l1 {

void LoneRank::exchange_rows(RowField& field) {
  const int last = field.rows() - 1;
  std::copy(field.row(last), field.row(last) + field.nx(), field.row(-1));
  std::copy(field.row(0), field.row(0) + field.nx(), field.row(last + 1));
}

void LoneRank::sum(std::span<const double> local, std::span<double> totals) {
  std::fill(totals.begin(), totals.end(), 0.0);
  for (std::size_t place = 0; place < local.size(); ++place) totals[place % totals.size()] += local[place];
}

}  // namespace twomesh::l1
