// SPDX-License-Identifier: BSD-3-Clause
// Packing: ranks of unequal width into bins with so much room each, such that few exchanges cross. Several first packings, one of
// them by search where no other comes out (fit.hpp), then moves and swaps as long as they pay, limited by a count of steps; of few
// items all packings are tried (try_all.hpp). Not: what the bins are (uneven.hpp).
// Invariant: no bin holds more than its room; equal input, equal answer.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "place/cut.hpp"
#include "place/division/fit.hpp"
#include "place/job/graph.hpp"
#include "place/progress.hpp"

namespace comity::place {

enum class Spare : std::uint8_t { worst_bin, sum };  // what is to be small first

inline constexpr std::size_t kUsualPackingEffort = 300'000;   // steps of the search for the best of few
inline constexpr std::size_t kMostPackingSteps = 20'000'000;  // edges looked at by moves and swaps

struct PackingTask {
  const Graph& graph;
  const std::vector<Rank>& items;           // ascending
  const std::vector<std::uint32_t>& width;  // of each rank of the graph
  const std::vector<std::uint32_t>& rooms;  // of each bin
  Spare spare = Spare::worst_bin;
  std::size_t effort = kUsualPackingEffort;
  const Fit* fit =
      nullptr;  // of the items into the bins, where that is known; else it is searched for where it takes a search
  std::size_t most_steps = kMostPackingSteps;
  const Portions* portions = nullptr;  // of all that it may take; null: nobody wants to know
};

// What crosses a bin's border: the worst bin, and all bins, so that each exchange counts at both ends.
struct PackingScore {
  Weight worst = 0;
  Weight sum = 0;

  [[nodiscard]] std::pair<Weight, Weight> key(Spare spare) const {
    return spare == Spare::sum ? std::pair(sum, worst) : std::pair(worst, sum);
  }
};

struct Packing {
  std::optional<std::vector<Domain>> bin_of;  // of each item; none: no packing was found
  PackingScore score = {};
  bool proven = false;  // no packing has a better score; without one, there is none
};

[[nodiscard]] Packing packed(const PackingTask& task);

}  // namespace comity::place
