// SPDX-License-Identifier: BSD-3-Clause
// UnevenInside: ranks with unequal numbers of threads on the cores of a domain: packed into the domains in it, level by level. Pieces of
// the job that are alike are packed once: of ten thousand boxes, nearly all of ranks of one width, one is worked on. Not: which ranks a node
// gets (uneven.hpp).
// Invariant: no two ranks share a core, and each has its cores in one run.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "place/division/uneven/job.hpp"
#include "place/job/subgraph.hpp"
#include "place/progress.hpp"

namespace comity::place {

class UnevenInside {
 public:
  explicit UnevenInside(const UnevenJob& job) : job_(job), subgraphs_(job.graph) {}

  // Where all ranks run whose nodes are known. `bar` has a unit for each node.
  [[nodiscard]] Mapping of_nodes(const std::vector<Domain>& node_of, Spare spare, Hundredths& bar);

  // These ranks, ascending, on the cores from..to, from this level on.
  void fill(std::size_t level, Place from, Place to, const std::vector<Rank>& ranks, Spare spare, Mapping& mapping);

  // These ranks, ascending, shared out over the rooms of some domains. It costs what they are, however many there are beside them. None where they
  // were not made to fit.
  [[nodiscard]] std::optional<std::vector<std::vector<Rank>>> packed_among(const std::vector<Rank>& ranks,
                                                                           const std::vector<std::uint32_t>& rooms,
                                                                           Spare spare,
                                                                           std::size_t most_steps = kMostPackingSteps,
                                                                           const Portions* portions = nullptr);

  // Those of a level's domains between two places, with both ends.
  [[nodiscard]] std::vector<Place> borders_of(std::size_t level, Place from, Place to) const;

 private:
  using Packed = std::optional<std::vector<Domain>>;  // the domain of each rank of a piece

  [[nodiscard]] Packed packed_once(const PackingTask& task);
  [[nodiscard]] std::size_t effort() const;
  Place set(Rank rank, Place place, Mapping& mapping) const;

  const UnevenJob& job_;
  Subgraphs subgraphs_;
  std::unordered_map<std::string, Packed> known_;  // by what a piece looks like
  std::size_t known_bytes_ = 0;
};

}  // namespace comity::place
