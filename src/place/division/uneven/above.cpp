// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/uneven/above.hpp"

#include <algorithm>
#include <numeric>

namespace comity::place {

void UnevenAbove::each_way(const Progress& progress, const std::function<void(const Mapping&)>& found) {
  const std::uint64_t ranks_a_way =
      (job_.outer_levels() + 1) * job_.graph.ranks();  // once a level, and inside the nodes
  Hundredths bar(progress, "packing from the network down", ways() * ranks_a_way);
  std::vector<Rank> all(job_.graph.ranks());
  std::iota(all.begin(), all.end(), Rank{0});
  std::uint64_t done = 0;
  for (std::uint32_t kept_free = 0; kept_free < most_kept_free(); ++kept_free) {
    for (const Spare spare : kSpares) {
      Mapping mapping(job_.graph.ranks(), kNoPlace);
      if (fill(0, 0, static_cast<Place>(job_.cores.places()), all, {spare, kept_free, bar}, mapping)) found(mapping);
      bar.reach(++done * ranks_a_way);
    }
  }
}

// Of many ranks all packings of a level together take no longer than a few.
std::size_t UnevenAbove::steps_of(std::size_t level) const {
  constexpr std::size_t kFew = 8;
  const std::size_t packings = level == 0 ? 1 : job_.cores.levels()[level - 1].domains();
  return many() && packings > kFew ? kFew * kMostPackingSteps / packings : kMostPackingSteps;
}

// False where ranks do not fit as they were packed above.
bool UnevenAbove::fill(std::size_t level, Place from, Place to, const std::vector<Rank>& ranks, const Way& way,
                       Mapping& mapping) {
  const std::vector<Place> borders = inside_.borders_of(level, from, to);
  const std::vector<std::uint32_t> rooms = rooms_between(level, borders, way.kept_free);
  const Portions portions = way.bar.within(ranks.size());
  const auto all = inside_.packed_among(ranks, rooms, way.spare, steps_of(level), &portions);
  if (!all) return false;
  way.bar.add(ranks.size());
  for (std::size_t domain = 0; domain < rooms.size(); ++domain) {
    const std::vector<Rank>& own = (*all)[domain];
    const Place begin = borders[domain], end = borders[domain + 1];
    if (level == job_.cores.node_level()) {
      inside_.fill(level + 1, begin, end, own, job_.nodes_decide() ? Spare::sum : way.spare, mapping);
      way.bar.add(own.size());
    } else if (!fill(level + 1, begin, end, own, way, mapping)) {
      return false;
    }
  }
  return true;
}

std::vector<std::uint32_t> UnevenAbove::rooms_between(std::size_t level, const std::vector<Place>& borders,
                                                      std::uint32_t kept_free) const {
  std::vector<std::uint32_t> rooms;
  for (std::size_t domain = 0; domain + 1 < borders.size(); ++domain) {
    const Place begin = borders[domain], end = borders[domain + 1];
    const std::size_t free = level < job_.cores.node_level() ? kept_free * nodes_between(begin, end) : 0;
    rooms.push_back(static_cast<std::uint32_t>(end - begin - free));
  }
  return rooms;
}

std::size_t UnevenAbove::nodes_between(Place from, Place to) const {
  const std::vector<Place>& first = job_.nodes().first;
  return static_cast<std::size_t>(std::lower_bound(first.begin(), first.end(), to) -
                                  std::lower_bound(first.begin(), first.end(), from));
}

}  // namespace comity::place
