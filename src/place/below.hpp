// SPDX-License-Identifier: BSD-3-Clause
// Below: where a job with fewer ranks than places goes on nodes below a network. What fits below one switch, or into one block, need cross
// none; else few of them shall take part. Not: which ranks go where (some.hpp), nor nodes without a network (spare.hpp).
#pragma once

#include <cstddef>
#include <vector>

#include "place/spare.hpp"

namespace comity::place {

struct Part {
  std::size_t level;  // above the nodes
  Domain domain;
};

// Of the innermost level with a domain that has room for so many ranks the smallest of these, and the one in which fewest nodes have it,
// if that is another; or none.
[[nodiscard]] std::vector<Part> parts_with_room(const Site& site, std::size_t ranks);

// Ways for what fits into no part: at each level, the outermost first, the fewest domains, the largest ones, filled one behind the other, or
// evenly; and all of their nodes evenly. Of very large jobs the first of these.
[[nodiscard]] std::vector<Shares> shares_below(const Site& site, std::size_t ranks);

}  // namespace comity::place
