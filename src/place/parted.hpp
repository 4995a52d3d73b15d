// SPDX-License-Identifier: BSD-3-Clause
// Parted: which edges of each rank a division parts. Of a grid's ranks, of which many in turn have their neighbours equally far away, it is counted
// edge by edge along such a run, without a branch: several ranks at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "place/job/graph.hpp"
#include "place/site.hpp"

namespace comity::place {

struct Parted {
  Weight weight = 0;
  Weight edges = 0;

  void operator+=(const Parted& more) {
    weight += more.weight;
    edges += more.edges;
  }
  void operator-=(const Parted& less) {
    weight -= less.weight;
    edges -= less.edges;
  }
};

// Of up to so many ranks with rows alike.
class PartedRun {
 public:
  static constexpr std::size_t kMostRanks = 512;

  // `domain_of`: of all ranks.
  void look_at(std::span<const Domain> domain_of, Rank from, std::size_t ranks, const Row& row);
  [[nodiscard]] Parted of(std::size_t rank) const {
    const auto edges = static_cast<Weight>(edges_[rank]);
    return {is_weighted_ ? weight_[rank] : edges, edges};
  }

 private:
  std::array<std::uint32_t, kMostRanks> edges_{};
  std::array<Weight, kMostRanks> weight_{};
  bool is_weighted_ = false;
};

// Visits (rank, Parted) of each of these ranks.
template <typename Visit>
void for_each_parted(const Graph& graph, std::span<const Domain> domain_of, Rank first, Rank end, Visit&& visit) {
  if (graph.kinds() == 0) {
    for (Rank rank = first; rank < end; ++rank) {
      Parted parted;
      graph.for_each_edge(rank, [&](Rank other, Weight weight) {
        const auto counts = static_cast<Weight>(domain_of[other] != domain_of[rank]);
        parted.weight += counts * weight;
        parted.edges += counts;
      });
      visit(rank, parted);
    }
    return;
  }
  PartedRun run;
  graph.for_each_run(first, end, PartedRun::kMostRanks, [&](Rank from, std::size_t ranks, const Row& row) {
    run.look_at(domain_of, from, ranks, row);
    for (std::size_t i = 0; i < ranks; ++i) visit(static_cast<Rank>(from + i), run.of(i));
  });
}

}  // namespace comity::place
