// SPDX-License-Identifier: BSD-3-Clause
// FullExact: what the exact search (division/exact.hpp) finds and proves of a small job that fills nodes alike, for both aims, and beyond them
// where limits or costs inside the nodes may be worth more between them. Not: the search itself, nor other divisions (full.hpp).
#pragma once

#include <vector>

#include "place/candidates.hpp"
#include "place/division/exact.hpp"
#include "place/objective.hpp"
#include "place/progress.hpp"

namespace comity::place {

class FullExact {
 public:
  FullExact(const Graph& graph, const Site& site, const Objective& objective, const Progress& progress)
      : graph_(graph), site_(site), objective_(objective), progress_(progress) {}

  [[nodiscard]] bool may_search() const;
  // `candidates`: of at least one, which are added to; `together`: what all levels down to each must cut, which is raised.
  void search(Candidates& candidates, std::vector<Weight>& together);

  // Those that the objective asks for; they are worth settling, whatever cuts less between nodes.
  [[nodiscard]] const std::vector<std::vector<Domain>>& found() const { return found_; }
  // The search knows connected pieces alone: what it finds is the best there is only where it reaches the bounds of all.
  [[nodiscard]] bool reaches(const Crossing& least) const;

 private:
  void search_for(Aim aim, ExactSearch& search, Candidates& candidates, Weight least_worst);
  void search_with_less_inside(ExactSearch& search, const Crossing& known, Weight least_worst,
                               std::vector<Domain> node_of);
  [[nodiscard]] Aim aim_between_nodes() const;
  [[nodiscard]] bool node_has_halves() const;

  const Graph& graph_;
  const Site& site_;
  const Objective& objective_;
  const Progress& progress_;
  std::vector<std::vector<Domain>> found_;
};

}  // namespace comity::place
