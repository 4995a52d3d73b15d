// SPDX-License-Identifier: BSD-3-Clause
// Room: the nodes of a job and the places that they give its ranks. Places lie inside domains, on the first cores that hosts have slots for,
// and more freely only where the job does not fit so: on any cores then, and across the borders of levels, the innermost first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/place/hosts.hpp"
#include "place/network.hpp"
#include "place/site.hpp"

namespace comity::cli {

class Room {
 public:
  // `threads`: of each rank; one number where all have it. `whole`: nodes with all that they have. Throws as with_slots (hosts.hpp).
  Room(std::vector<place::NodeRun> whole, std::vector<place::Host> hosts, std::vector<std::uint32_t> threads,
       bool spread);

  [[nodiscard]] const std::vector<place::NodeRun>& nodes() const { return nodes_; }

  // Settles where ranks may be. Of ranks that differ a place is a core, and who searches for a packing says whether they fit.
  [[nodiscard]] place::Site site_for(std::size_t ranks, const std::optional<place::Network>& network);

 private:
  [[nodiscard]] std::vector<place::NodeRun> laid(SlotsTake take) const;
  [[nodiscard]] place::Site site(const std::optional<place::Network>& network, place::LevelsKept kept) const;

  std::vector<place::NodeRun> whole_;
  std::vector<place::Host> hosts_;
  std::vector<std::uint32_t> threads_;
  ThreadsLie lie_;
  std::vector<place::NodeRun> nodes_;  // as laid
};

}  // namespace comity::cli
