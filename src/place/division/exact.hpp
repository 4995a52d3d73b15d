// SPDX-License-Identifier: BSD-3-Clause
// Exact: the best division of a small graph into nodes of equal size, by trying all connected pieces, and what no
// division can fall below, disconnected pieces included. A division is an exact cover of the ranks; what is left to cover
// is remembered, so that no such rest is solved twice. Not: graphs of more than kMostExactRanks ranks, or where all this
// is too much: then it says nothing.
// Invariant: what it calls a bound was proven; it stops after a number of steps, not after a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "place/cut.hpp"
#include "place/objective.hpp"
#include "place/progress.hpp"

namespace comity::place {

inline constexpr std::size_t kMostExactRanks = 128;

class ExactSearch {
 public:
  // `halves`: a node has two inner domains of equal size, and what crosses between them counts too.
  ExactSearch(const Graph& graph, std::size_t nodes, bool halves, const Progress& progress = {});
  ~ExactSearch();
  ExactSearch(const ExactSearch&) = delete;
  ExactSearch& operator=(const ExactSearch&) = delete;

  // Whether all connected pieces could be listed; without, neither question has an answer.
  [[nodiscard]] bool possible() const;
  // Whether all pieces are halved in a second or two, which a limit of what crosses inside nodes asks for.
  [[nodiscard]] bool halves_soon() const;
  // The sum of a division is at least this, given that one of `known` exists.
  [[nodiscard]] Weight least_sum(Weight known);
  // The nodes of the best division into connected pieces that is better than `known` by the objective, or as good at the
  // first level and better below; none where there is none, or it could not be found out. Inner cuts count with `halves`
  // alone.
  [[nodiscard]] std::optional<std::vector<Domain>> best(const Objective& objective, const Crossing& known,
                                                        Weight least_worst);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace comity::place
