// SPDX-License-Identifier: BSD-3-Clause
// Candidates: the divisions among nodes that are worth working on, the best by the objective that was asked, and beside them the best by
// each of the two aims that divisions are made for. These are the same whatever was asked, so what is begun from them is, too, and neither
// of the two aims' answers is worse in its own figure than the other's. Not: what is inside nodes (best.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "place/cut.hpp"
#include "place/division/anneal.hpp"
#include "place/objective.hpp"

namespace comity::place {

struct Division {
  std::string name;
  std::vector<Domain> node_of;
  Crossing cut;
};

class Candidates {
 public:
  enum class Keep : std::uint8_t { asked, of_both_aims };  // asked: nothing will be begun from the others

  // `most` of each kind.
  Candidates(const Graph& graph, std::size_t nodes, const Objective& objective, std::size_t most, Keep keep);

  void consider(const std::string& name, std::vector<Domain> node_of);
  void consider(const std::string& name, std::vector<Domain> node_of, const Crossing& cut);

  // Begins anew.
  void forget_all();

  // By the objective, the best first.
  [[nodiscard]] const std::vector<Division>& best() const { return asked_.divisions; }
  // By the worst node or by the sum, whatever was asked; the best first. Of those who keep both.
  [[nodiscard]] const std::vector<Division>& best_by(Wanted wanted) const;
  // The best by each aim and, where these are one, the next: one or two.
  [[nodiscard]] std::vector<Division> to_begin_from() const;

 private:
  struct Kind {
    Objective objective;
    std::vector<Division> divisions = {};  // the best first
  };

  [[nodiscard]] static std::size_t place_in(const Kind& kind, const Division& division);
  void keep(Kind& kind, std::size_t place, Division division) const;

  const Graph& graph_;
  std::size_t nodes_, most_;
  Kind asked_;
  std::vector<Kind> by_aim_;  // of Aim::worst and Aim::sum, or none
};

}  // namespace comity::place
