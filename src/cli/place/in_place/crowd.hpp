// SPDX-License-Identifier: BSD-3-Clause
// Crowd: threads that have fewer cores together than they are, whatever each of them is on. Hall's theorem (P. Hall, On representatives of
// subsets, 1935): there are such where not all threads can have a core of their own among those that they may run on.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace comity::cli {

using Cores = std::set<std::size_t>;

struct Crowd {
  std::vector<std::size_t> threads;  // by number, ascending; empty: each can have a core of its own
  std::size_t cores = 0;             // that these may run on
};

[[nodiscard]] Crowd crowd_among(const std::vector<Cores>& cores_of_threads);

}  // namespace comity::cli
