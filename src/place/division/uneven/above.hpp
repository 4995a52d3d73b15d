// SPDX-License-Identifier: BSD-3-Clause
// UnevenAbove: ranks with unequal numbers of threads packed from a network down: into its outermost domains first, then into those in
// them, into nodes, and inside. Not: nodes that change places afterwards (arrange.hpp).
#pragma once

#include <functional>
#include <vector>

#include "place/division/uneven/inside.hpp"
#include "place/progress.hpp"

namespace comity::place {

class UnevenAbove {
 public:
  UnevenAbove(const UnevenJob& job, UnevenInside& inside) : job_(job), inside_(inside) {}

  // In several ways, each mapping told as it is found.
  void each_way(const Progress& progress, const std::function<void(const Mapping&)>& found);
  [[nodiscard]] std::size_t ways() const { return most_kept_free() * kSpares.size(); }

 private:
  struct Way {
    Spare spare;
    std::uint32_t kept_free;  // cores of each node: what wide ranks may not fit into
    Hundredths& bar;
  };

  // Below a network each rank is packed at several levels, in several ways.
  [[nodiscard]] bool many() const { return job_.graph.ranks() > 65'536; }
  [[nodiscard]] std::uint32_t most_kept_free() const { return many() ? 1 : 2; }
  [[nodiscard]] std::size_t steps_of(std::size_t level) const;
  [[nodiscard]] bool fill(std::size_t level, Place from, Place to, const std::vector<Rank>& ranks, const Way& way,
                          Mapping& mapping);
  [[nodiscard]] std::vector<std::uint32_t> rooms_between(std::size_t level, const std::vector<Place>& borders,
                                                         std::uint32_t kept_free) const;
  [[nodiscard]] std::size_t nodes_between(Place from, Place to) const;

  const UnevenJob& job_;
  UnevenInside& inside_;
};

}  // namespace comity::place
