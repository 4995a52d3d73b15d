// SPDX-License-Identifier: BSD-3-Clause
// Weighed: what no mapping falls below in figures that take the levels together: the time of the objective of that name, and the
// links of a torus. They follow from the bounds of an answer, which tell of its levels one by one.
// Invariant: as of bounds.hpp, a bound never exceeds what any mapping has.
#pragma once

#include "place/mapper.hpp"

namespace comity::place {

// Of time_of(): that of any mapping, with these costs.
[[nodiscard]] double least_time(const Site& site, const Objective& objective, const Answer& answer);

// Of links_of(): an exchange between nodes goes over one link at least; of few ranks all ways were compared.
[[nodiscard]] Weight least_links(const Site& site, const Answer& answer);

}  // namespace comity::place
