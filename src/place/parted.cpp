// SPDX-License-Identifier: BSD-3-Clause
#include "place/parted.hpp"

#include <algorithm>

namespace comity::place {
namespace {

void add_edges(const Domain* own, const Domain* others, std::size_t ranks, std::uint32_t* edges) {
  for (std::size_t i = 0; i < ranks; ++i) edges[i] += static_cast<std::uint32_t>(own[i] != others[i]);
}

void add_weights(const Domain* own, const Domain* others, std::size_t ranks, Weight weight, Weight* weights) {
  for (std::size_t i = 0; i < ranks; ++i) weights[i] += own[i] != others[i] ? weight : 0;
}

}  // namespace

void PartedRun::look_at(std::span<const Domain> domain_of, Rank from, std::size_t ranks, const Row& row) {
  const Domain* const own = &domain_of[from];
  is_weighted_ = !row.weights.empty();
  std::fill_n(edges_.begin(), ranks, 0U);
  if (is_weighted_) std::fill_n(weight_.begin(), ranks, Weight{0});
  for (std::size_t edge = 0; edge < row.away.size(); ++edge) {
    const Domain* const others = &domain_of[static_cast<Rank>(from + row.away[edge])];
    add_edges(own, others, ranks, edges_.data());
    if (is_weighted_) add_weights(own, others, ranks, row.weights[edge], weight_.data());
  }
}

}  // namespace comity::place
