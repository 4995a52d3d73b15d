// SPDX-License-Identifier: BSD-3-Clause
// Best: the best of the mappings that are offered, by an objective, and what launchers would have made beside it.
#pragma once

#include <string>

#include "place/mapper.hpp"

namespace comity::place {

class Best {
 public:
  Best(const Graph& graph, const Site& site, const Objective& objective)
      : graph_(graph), site_(site), objective_(objective) {}

  // Kept where nothing was, or where it is better than what was. `name`: which way of dividing the job it came from.
  void offer(const std::string& name, Mapping mapping);
  void offer(const std::string& name, Mapping mapping, Cut cut);
  void offer_launchers();
  // The same where nobody wants to see them beside.
  void offer_launchers_unseen();

  // What crosses so between nodes is, whatever is done inside.
  [[nodiscard]] bool is_worse(const Crossing& nodes) const;

  Answer answer;                 // its bounds are the caller's
  const Cut* to_beat = nullptr;  // of what was found elsewhere, or none

 private:
  [[nodiscard]] bool is_worse_between_nodes(const Mapping& mapping) const;

  const Graph& graph_;
  const Site& site_;
  const Objective& objective_;
};

}  // namespace comity::place
