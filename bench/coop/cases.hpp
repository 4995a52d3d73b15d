// SPDX-License-Identifier: BSD-3-Clause
// The groups of cases of `comity bench coop`, each what one job measures. Collective over the world; the outcomes of rank 0
// count. All throw std::runtime_error with what to do.
#pragma once

#include <string>
#include <vector>

#include "common/arguments.hpp"
#include "common/timing.hpp"
#include "common/world.hpp"

namespace bench::coop {

struct Found {
  std::vector<Outcome> outcomes;
  std::string work = {};  // a checksum of what was computed
};

// Of one rank alone: how much work takes how long.
[[nodiscard]] Found kernel_units(const World& world, const Arguments& arguments);
[[nodiscard]] Found stencil_units(const World& world, const Arguments& arguments);

[[nodiscard]] Found waits(const World& world, const Arguments& arguments);
[[nodiscard]] Found idle(const World& world, const Arguments& arguments);
[[nodiscard]] Found messages(const World& world, const Arguments& arguments);
[[nodiscard]] Found oversubscribed_latency(const World& world, const Arguments& arguments);
[[nodiscard]] Found remote_latency(const World& world, const Arguments& arguments);
[[nodiscard]] Found remote_wait(const World& world, const Arguments& arguments);
[[nodiscard]] Found oversubscribed_stencil(const World& world, const Arguments& arguments);
[[nodiscard]] Found crowded_8(const World& world, const Arguments& arguments);
[[nodiscard]] Found hybrid(const World& world, const Arguments& arguments);

}  // namespace bench::coop
