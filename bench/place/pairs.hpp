// SPDX-License-Identifier: BSD-3-Clause
// Pairs: which ranks are to exchange something, so that each kind of boundary between two cores is crossed by a few pairs. Pure.
#pragma once

#include <comity/place.h>

#include <cstddef>
#include <string>
#include <vector>

namespace bench::place {

// What lies between two ranks: "node", or the types of objects that they do not share, the coarser first; empty: they share all.
[[nodiscard]] std::vector<std::string> apart(const comity_place_seat& one, const comity_place_seat& other);

struct Pair {
  int first, second;  // ranks
};

// A few pairs for each kind that there is, of different nodes more (a network's levels lie between them); the same for equal
// seats. Ranks that share a core are no pair.
[[nodiscard]] std::vector<Pair> pairs_of(const std::vector<comity_place_seat>& seats);

}  // namespace bench::place
