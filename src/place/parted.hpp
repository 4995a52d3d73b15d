// SPDX-License-Identifier: BSD-3-Clause
// Parted: which edges of each rank a division parts. Of a grid's ranks, of which many in turn have their neighbours equally far away, it is counted
// edge by edge along such a run, without a branch: many ranks at once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// The domain of each rank, two bytes each where that is enough, so that more ranks fit into one instruction.
class RankDomains {
 public:
  RankDomains(std::size_t ranks, std::size_t domains) {
    if (domains <= kMostNarrow) {
      narrow_.resize(ranks + kBehind);
    } else {
      wide_.resize(ranks + kBehind);
    }
  }

  // Calls work with the first of them. What stands behind the last rank's may be read, and counts for nothing.
  template <typename Work>
  void with(Work&& work) {
    narrow_.empty() ? work(wide_.data()) : work(narrow_.data());
  }
  template <typename Work>
  void with(Work&& work) const {
    narrow_.empty() ? work(wide_.data()) : work(narrow_.data());
  }

  static constexpr std::size_t kBehind = 32;  // ranks that are looked at together

 private:
  static constexpr std::size_t kMostNarrow = std::size_t{1} << 16U;

  std::vector<std::uint16_t> narrow_;
  std::vector<std::uint32_t> wide_;
};

// Of up to so many ranks with rows alike, of at most 65,535 edges.
class PartedRun {
 public:
  static constexpr std::size_t kMostRanks = 512;

  // `domain_of`: of all ranks (RankDomains).
  template <typename Number>
  void look_at(const Number* domain_of, Rank from, std::size_t ranks, const Row& row);
  [[nodiscard]] Parted of(std::size_t rank) const {
    const auto edges = static_cast<Weight>(edges_[rank]);
    return {is_weighted_ ? weight_[rank] : edges, edges};
  }

 private:
  std::array<std::uint32_t, kMostRanks> edges_{};
  std::array<Weight, kMostRanks> weight_{};
  bool is_weighted_ = false;
};

// Visits (rank, Parted) of each of these ranks. Where they have no kinds.
template <typename Visit>
void for_each_parted(const Graph& graph, std::span<const Domain> domain_of, Rank first, Rank end, Visit&& visit) {
  for (Rank rank = first; rank < end; ++rank) {
    Parted parted;
    graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      const auto counts = static_cast<Weight>(domain_of[other] != domain_of[rank]);
      parted.weight += counts * weight;
      parted.edges += counts;
    });
    visit(rank, parted);
  }
}

// The same where they have.
template <typename Visit>
void for_each_parted(const Graph& graph, const RankDomains& domains, Rank first, Rank end, Visit&& visit) {
  PartedRun run;
  domains.with([&](const auto* domain_of) {
    graph.for_each_run(first, end, PartedRun::kMostRanks, [&](Rank from, std::size_t ranks, const Row& row) {
      run.look_at(domain_of, from, ranks, row);
      for (std::size_t i = 0; i < ranks; ++i) visit(static_cast<Rank>(from + i), run.of(i));
    });
  });
}

}  // namespace comity::place
