// SPDX-License-Identifier: BSD-3-Clause
// Fold: what a rank gets of a sum of all and the like, from what all have given, combined in an order that a library uses (Orders), to the last bit.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "coop/board.hpp"
#include "coop/orders.hpp"

namespace comity::coop {

// given(rank): what that one gave, as many elements of so many bytes each. how(in, inout, elements): combines them, as MPI_Reduce_local.
template <class Given, class Combine>
class Fold {
 public:
  Fold(Order order, std::size_t ranks, std::size_t element, Given given, Combine how)
      : order_(order),
        pairs_(ranks - std::bit_floor(ranks)),
        places_(std::bit_floor(ranks)),
        element_(element),
        given_(given),
        combine_(how) {}

  void of(std::size_t rank, std::span<std::byte> result) {
    if (order_ == Order::halves) return combine_pieces(result);
    const std::size_t place = rank < 2 * pairs_ ? rank / 2 : rank - pairs_;
    combine_below(place, places_, {0, result});
  }

 private:
  // As elements of any type want it.
  struct alignas(std::max_align_t) Room {
    std::array<std::byte, Board::kMostBytes> bytes;
  };

  // Some elements that lie behind one another, where they begin in what a rank gave, and where what is made of them is to stand.
  struct Piece {
    std::size_t begin;
    std::span<std::byte> bytes;
  };

  // As many as there are places, the first ones an element longer where they do not come out even. Who keeps the first half in a step is at an
  // even place, then at one of which the next bit is 0: so a piece ends where the bits of its number say, read backwards.
  void combine_pieces(std::span<std::byte> result) {
    const std::size_t elements = result.size() / element_;
    std::size_t begin = 0;
    for (std::size_t piece = 0; piece < places_ && begin < result.size(); ++piece) {
      const std::size_t bytes = (elements / places_ + (piece < elements % places_ ? 1 : 0)) * element_;
      combine_below(backwards(piece), places_, {begin, result.subspan(begin, bytes)});
      begin += bytes;
    }
  }
  [[nodiscard]] std::size_t backwards(std::size_t bits) const {
    std::size_t turned = 0;
    for (std::size_t left = 1; left < places_; left *= 2, bits /= 2) turned = 2 * turned + bits % 2;
    return turned;
  }

  // What the one at that place has when each has exchanged with those nearer than `reach`.
  void combine_below(std::size_t place, std::size_t reach, const Piece& piece) {
    if (reach == 1) return begin_at(place, piece);
    const std::size_t other = place ^ (reach / 2);
    const bool is_other_first = order_ != Order::lower_first || other < place;
    Room room;
    const std::span<std::byte> first(room.bytes.data(), piece.bytes.size());
    combine_below(is_other_first ? other : place, reach / 2, {piece.begin, first});
    combine_below(is_other_first ? place : other, reach / 2, piece);
    combine(first, piece.bytes);
  }
  // The first ranks in pairs of neighbours.
  void begin_at(std::size_t place, const Piece& piece) {
    if (place >= pairs_) return copy(place + pairs_, piece);
    Room room;
    const std::span<std::byte> even(room.bytes.data(), piece.bytes.size());
    copy(2 * place, {piece.begin, even});
    copy(2 * place + 1, piece);
    combine(even, piece.bytes);
  }
  void copy(std::size_t rank, const Piece& piece) {
    std::copy_n(given_(rank) + piece.begin, piece.bytes.size(), piece.bytes.begin());
  }
  void combine(std::span<const std::byte> in, std::span<std::byte> inout) {
    combine_(in.data(), inout.data(), inout.size() / element_);
  }

  Order order_;
  std::size_t pairs_;   // of ranks beyond a power of two
  std::size_t places_;  // of those that go on
  std::size_t element_;
  Given given_;
  Combine combine_;
};

}  // namespace comity::coop
