// SPDX-License-Identifier: BSD-3-Clause
#include "place/below.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace comity::place {
namespace {

constexpr std::size_t kMostSharedInAllWays = 200'000;  // each way is mapped, which takes a large job long

using Rooms = std::vector<std::uint32_t>;

// Domains of an inner level in one around them.
struct Run {
  std::size_t first, end;
};

Run domains_in(const Level& level, Place from, Place to) {
  const auto place = [&](Place border) {
    return static_cast<std::size_t>(std::ranges::lower_bound(level.first, border) - level.first.begin());
  };
  return {place(from), place(to)};
}

Rooms rooms_in(const Level& level, const Run& run) {
  Rooms rooms;
  for (std::size_t domain = run.first; domain < run.end; ++domain) {
    rooms.push_back(static_cast<std::uint32_t>(level.size(domain)));
  }
  return rooms;
}

// The fewest that have room, the largest first.
std::size_t fewest(Rooms rooms, std::size_t total) {
  std::ranges::sort(rooms, std::greater<>());
  return fewest_nodes(rooms, total);
}

// One behind the other, the largest first; what is left goes where it leaves least room.
Shares filled(const Rooms& rooms, std::size_t total) {
  Shares shares(rooms.size(), 0);
  const auto takes_rest = [&](std::size_t domain) { return shares[domain] == 0 && rooms[domain] >= total; };
  for (const std::size_t domain : largest_first(rooms)) {
    if (total == 0) break;
    std::size_t taker = domain;
    for (std::size_t other = 0; rooms[domain] >= total && other < rooms.size(); ++other) {
      if (takes_rest(other) && rooms[other] < rooms[taker]) taker = other;
    }
    shares[taker] = std::min<std::size_t>(rooms[taker], total);
    total -= shares[taker];
  }
  return shares;
}

Shares even(const Rooms& rooms, std::size_t total, std::size_t domains) {
  const std::vector<std::size_t> order = largest_first(rooms);
  Rooms by_size;
  by_size.reserve(order.size());
  for (const std::size_t domain : order) by_size.push_back(rooms[domain]);
  return back_in_order(even_shares(by_size, total, domains), order);
}

enum class Way : std::uint8_t { filled, even_on_fewest, even_on_all };

Shares by(Way way, const Rooms& rooms, std::size_t total) {
  if (way == Way::filled) return filled(rooms, total);
  return even(rooms, total, way == Way::even_on_fewest ? fewest(rooms, total) : std::min(rooms.size(), total));
}

class Sharing {
 public:
  Sharing(const Site& site, Way above, Way of_nodes)
      : site_(site), above_(above), of_nodes_(of_nodes), shares_(rooms_of(site).size(), 0) {}

  Shares run(std::size_t ranks) {
    share(0, {0, site_.levels().front().domains()}, ranks);
    return std::move(shares_);
  }

 private:
  void share(std::size_t at, const Run& run, std::size_t ranks) {
    const Level& level = site_.levels()[at];
    const bool of_nodes = at == site_.node_level();
    const Shares own = by(of_nodes ? of_nodes_ : above_, rooms_in(level, run), ranks);
    for (std::size_t domain = run.first; domain < run.end; ++domain) {
      const std::size_t taken = own[domain - run.first];
      if (taken == 0) continue;
      if (of_nodes) {
        shares_[domain] = taken;
      } else {
        share(at + 1, domains_in(site_.levels()[at + 1], level.first[domain], level.first[domain + 1]), taken);
      }
    }
  }

  const Site& site_;
  Way above_, of_nodes_;
  Shares shares_;
};

struct RoomyPart {
  Domain domain;
  std::size_t room, nodes;  // the fewest that have room for the job
};

std::vector<RoomyPart> roomy_parts(const Site& site, std::size_t at, std::size_t ranks) {
  const Level &level = site.levels()[at], &nodes = site.levels()[site.node_level()];
  std::vector<RoomyPart> all;
  for (Domain domain = 0; domain < level.domains(); ++domain) {
    if (level.size(domain) < ranks) continue;
    const Rooms rooms = rooms_in(nodes, domains_in(nodes, level.first[domain], level.first[domain + 1]));
    all.push_back({domain, level.size(domain), fewest(rooms, ranks)});
  }
  return all;
}

}  // namespace

std::vector<Part> parts_with_room(const Site& site, std::size_t ranks) {
  for (std::size_t level = site.node_level(); level-- > 0;) {
    const std::vector<RoomyPart> all = roomy_parts(site, level, ranks);
    if (all.empty()) continue;
    const auto smallest = std::ranges::min_element(all, {}, &RoomyPart::room);
    const auto of_fewest = std::ranges::min_element(all, {}, &RoomyPart::nodes);
    std::vector<Part> parts{{level, smallest->domain}};
    if (of_fewest->nodes < smallest->nodes) parts.push_back({level, of_fewest->domain});
    return parts;
  }
  return {};
}

std::vector<Shares> shares_below(const Site& site, std::size_t ranks) {
  if (ranks > kMostSharedInAllWays) return {Sharing(site, Way::filled, Way::filled).run(ranks)};
  return {Sharing(site, Way::filled, Way::filled).run(ranks),
          Sharing(site, Way::even_on_fewest, Way::even_on_fewest).run(ranks),
          Sharing(site, Way::even_on_fewest, Way::even_on_all).run(ranks)};
}

}  // namespace comity::place
