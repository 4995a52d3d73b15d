// SPDX-License-Identifier: BSD-3-Clause
#include "place/pairs.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace bench::place {
namespace {

constexpr std::size_t kMostOfAKind = 8, kMostOfNodes = 32;

struct Type {
  std::string_view name;
  std::int32_t comity_place_seat::*object;
};
constexpr std::array kTypes{Type{"package", &comity_place_seat::package}, Type{"numa", &comity_place_seat::numa},
                            Type{"l3", &comity_place_seat::l3}, Type{"l2", &comity_place_seat::l2}};

}  // namespace

std::vector<std::string> apart(const comity_place_seat& one, const comity_place_seat& other) {
  if (one.node != other.node) return {"node"};
  std::vector<std::string> types;
  for (const Type& type : kTypes) {
    const std::int32_t a = one.*type.object, b = other.*type.object;
    if (a >= 0 && b >= 0 && a != b) types.emplace_back(type.name);
  }
  return types;
}

// Ranks that are 1, 2, 4, .. apart, first those that begin at rank 0: near and far ones, whatever the launcher's order.
std::vector<Pair> pairs_of(const std::vector<comity_place_seat>& seats) {
  std::vector<Pair> pairs;
  std::map<std::vector<std::string>, std::size_t> taken;
  std::set<std::pair<std::uint64_t, std::uint64_t>> nodes;
  for (std::size_t distance = 1; distance < seats.size(); distance *= 2) {
    std::size_t of_nodes = 0;
    for (std::size_t first = 0; first + distance < seats.size(); ++first) {
      const comity_place_seat &one = seats[first], &other = seats[first + distance];
      const bool same_node = one.node == other.node;
      if (same_node && one.position == other.position) continue;
      // Of nodes a few for each distance, and each two of them once.
      if (!same_node && (of_nodes == kMostOfAKind || !nodes.emplace(one.node, other.node).second)) continue;
      std::size_t& count = taken[apart(one, other)];
      if (count == (same_node ? kMostOfAKind : kMostOfNodes)) continue;
      ++count;
      of_nodes += same_node ? 0 : 1;
      pairs.push_back({static_cast<int>(first), static_cast<int>(first + distance)});
    }
  }
  return pairs;
}

}  // namespace bench::place
