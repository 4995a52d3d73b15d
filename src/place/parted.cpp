// SPDX-License-Identifier: BSD-3-Clause
#include "place/parted.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

namespace comity::place {
namespace {

constexpr std::size_t kBlock = RankDomains::kBehind;

// What one instruction works on; of these a block has four where domains are narrow.
constexpr std::size_t kLaneBytes = 16;
template <typename Number>
struct Several;
template <>
struct Several<std::uint16_t> {
  using Lanes __attribute__((vector_size(kLaneBytes))) = std::uint16_t;
};
template <>
struct Several<std::uint32_t> {
  using Lanes __attribute__((vector_size(kLaneBytes))) = std::uint32_t;
};

// A part of a block, whose counts stay in registers meanwhile. Edges that are not parted are counted, for an instruction says of
// numbers whether they are equal, with all bits.
template <typename Number>
class Part {
 public:
  static constexpr std::size_t kRanks = 4 * kLaneBytes / sizeof(Number);

  explicit Part(const Number* domain_of)
      : own_a_(lanes(domain_of, 0)),
        own_b_(lanes(domain_of, 1)),
        own_c_(lanes(domain_of, 2)),
        own_d_(lanes(domain_of, 3)) {}

  void add(const Number* others) {
    a_ -= equal(own_a_, lanes(others, 0));
    b_ -= equal(own_b_, lanes(others, 1));
    c_ -= equal(own_c_, lanes(others, 2));
    d_ -= equal(own_d_, lanes(others, 3));
  }
  void add(const Number* others, Number weight) {
    a_ += equal(own_a_, lanes(others, 0)) & weight;
    b_ += equal(own_b_, lanes(others, 1)) & weight;
    c_ += equal(own_c_, lanes(others, 2)) & weight;
    d_ += equal(own_d_, lanes(others, 3)) & weight;
  }

  // Of all that each has.
  void put_parted(Number all, Number* parted) const {
    put(all - a_, parted, 0);
    put(all - b_, parted, 1);
    put(all - c_, parted, 2);
    put(all - d_, parted, 3);
  }

 private:
  using Lanes = typename Several<Number>::Lanes;

  static Lanes lanes(const Number* from, std::size_t number) {
    Lanes found;
    std::memcpy(&found, from + number * kRanks / 4, sizeof found);
    return found;
  }
  static void put(Lanes lanes, Number* to, std::size_t number) {
    std::memcpy(to + number * kRanks / 4, &lanes, sizeof lanes);
  }
  static Lanes equal(Lanes one, Lanes other) { return std::bit_cast<Lanes>(one == other); }

  // One by one, for of a list compilers keep none in registers.
  Lanes own_a_, own_b_, own_c_, own_d_;
  Lanes a_{}, b_{}, c_{}, d_{};
};

template <typename Number>
using Block = std::array<Number, kBlock>;

template <typename Number>
void look_at_block(const Number* domain_of, Rank from, const Row& row, Block<Number>& edges) {
  for (std::size_t at = 0; at < kBlock; at += Part<Number>::kRanks) {
    const auto first = static_cast<Rank>(from + at);
    Part<Number> part(domain_of + first);
    for (const Rank away : row.away) part.add(domain_of + static_cast<Rank>(first + away));
    part.put_parted(static_cast<Number>(row.away.size()), &edges[at]);
  }
}

template <typename Number>
void weigh_block(const Number* domain_of, Rank from, const Row& row, Weight all, Block<Number>& weights) {
  for (std::size_t at = 0; at < kBlock; at += Part<Number>::kRanks) {
    const auto first = static_cast<Rank>(from + at);
    Part<Number> part(domain_of + first);
    for (std::size_t edge = 0; edge < row.away.size(); ++edge)
      part.add(domain_of + static_cast<Rank>(first + row.away[edge]), static_cast<Number>(row.weights[edge]));
    part.put_parted(static_cast<Number>(all), &weights[at]);
  }
}

// Of weights that are too large for that.
template <typename Number>
void weigh(const Number* domain_of, Rank from, std::size_t ranks, const Row& row, Weight* weights) {
  std::fill_n(weights, ranks, Weight{0});
  for (std::size_t edge = 0; edge < row.away.size(); ++edge) {
    const Number* const own = domain_of + from;
    const Number* const others = domain_of + static_cast<Rank>(from + row.away[edge]);
    for (std::size_t i = 0; i < ranks; ++i) weights[i] += own[i] != others[i] ? row.weights[edge] : 0;
  }
}

}  // namespace

template <typename Number>
void PartedRun::look_at(const Number* domain_of, Rank from, std::size_t ranks, const Row& row) {
  is_weighted_ = !row.weights.empty();
  const Weight all = std::accumulate(row.weights.begin(), row.weights.end(), Weight{0});
  const bool is_light = all <= static_cast<Weight>(std::numeric_limits<Number>::max());
  Block<Number> block;
  for (std::size_t at = 0; at < ranks; at += kBlock) {
    const auto first = static_cast<Rank>(from + at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kBlock, ranks - at));
    look_at_block(domain_of, first, row, block);
    std::copy(block.begin(), block.begin() + count, edges_.begin() + static_cast<std::ptrdiff_t>(at));
    if (!is_weighted_ || !is_light) continue;
    weigh_block(domain_of, first, row, all, block);
    std::copy(block.begin(), block.begin() + count, weight_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  if (is_weighted_ && !is_light) weigh(domain_of, from, ranks, row, weight_.data());
}

template void PartedRun::look_at(const std::uint16_t*, Rank, std::size_t, const Row&);
template void PartedRun::look_at(const std::uint32_t*, Rank, std::size_t, const Row&);

}  // namespace comity::place
