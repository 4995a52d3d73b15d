// SPDX-License-Identifier: BSD-3-Clause
#include "place/spare.hpp"

#include <algorithm>
#include <numeric>

namespace comity::place {

std::vector<Place> first_places(std::size_t ranks) {
  std::vector<Place> places(ranks);
  std::iota(places.begin(), places.end(), Place{0});
  return places;
}

std::size_t fewest_nodes(const Site& site, std::size_t ranks) {
  const std::vector<Place>& ends = site.levels()[site.node_level()].first;
  return static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), static_cast<Place>(ranks)) - ends.begin());
}

std::vector<Place> even_places(const Site& site, std::size_t ranks, std::size_t nodes) {
  const Level& level = site.levels()[site.node_level()];
  std::vector<std::size_t> by_size(nodes);
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](std::size_t one, std::size_t other) { return level.size(one) < level.size(other); });
  std::vector<std::size_t> share(nodes);
  std::size_t left = ranks;
  for (std::size_t i = 0; i < nodes; ++i) {  // the small ones first, so that what they lack goes to the others
    const std::size_t node = by_size[i];
    share[node] = std::min(level.size(node), left / (nodes - i));
    left -= share[node];
  }
  std::vector<Place> places;
  places.reserve(ranks);
  for (std::size_t node = 0; node < nodes; ++node) {
    for (std::size_t i = 0; i < share[node]; ++i) places.push_back(level.first[node] + static_cast<Place>(i));
  }
  return places;
}

std::vector<Place> proportional_places(const Site& site, std::size_t ranks) {
  const Level& level = site.levels()[site.node_level()];
  std::vector<Place> places;
  places.reserve(ranks);
  for (std::size_t node = 0; node < level.domains(); ++node) {
    const std::size_t end = level.first[node + 1] * ranks / site.places();  // of the ranks up to this node
    for (Place place = level.first[node]; places.size() < end; ++place) places.push_back(place);
  }
  return places;
}

}  // namespace comity::place
