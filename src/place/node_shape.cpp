// SPDX-License-Identifier: BSD-3-Clause
#include "place/node_shape.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "machine/loader.hpp"

namespace comity::place {
namespace {

using machine::Machine;
using machine::ObjectType;

// The object of a type that each core lies in; a core that lies in none counts with the one before it.
std::vector<Place> borders(const Machine& machine, ObjectType type, const std::vector<CpuSet>& cores) {
  std::vector<Place> first{0};
  std::optional<int> last = machine.nearest(type, cores.front());
  for (std::size_t core = 1; core < cores.size(); ++core) {
    const std::optional<int> now = machine.nearest(type, cores[core]);
    if (now && last && *now != *last) first.push_back(static_cast<Place>(core));
    if (now) last = now;
  }
  first.push_back(static_cast<Place>(cores.size()));
  return first;
}

std::vector<CpuSet> cores_of(const Machine& machine) {
  const ObjectType unit = machine.count(ObjectType::core) > 0 ? ObjectType::core : ObjectType::pu;
  std::vector<CpuSet> cores;
  cores.reserve(static_cast<std::size_t>(machine.count(unit)));
  for (int i = 0; i < machine.count(unit); ++i) cores.push_back(machine.cpuset(unit, i));
  return cores;
}

// Of a machine without packages all cores are in package 0.
std::vector<CoreSeat> seats_of(const Machine& machine, const std::vector<CpuSet>& cores) {
  std::vector<CoreSeat> seats;
  std::vector<std::uint32_t> taken(static_cast<std::size_t>(std::max(machine.count(ObjectType::package), 1)), 0);
  const bool counts_threads = cores.front().count() == 1;
  for (const CpuSet& cpus : cores) {
    const auto package = static_cast<std::uint32_t>(machine.nearest(ObjectType::package, cpus).value_or(0));
    const std::optional<int> memory = machine.nearest(ObjectType::numa, cpus);
    const std::uint32_t slot = seats.empty() ? 0 : seats.back().slot + seats.back().slots;
    const std::uint32_t slots = counts_threads ? static_cast<std::uint32_t>(cpus.count()) : 1;
    seats.push_back({static_cast<std::uint32_t>(seats.size()), package, taken[package]++, slot, slots, cpus,
                     memory ? std::optional(machine.os_index(ObjectType::numa, *memory)) : std::nullopt});
  }
  return seats;
}

// What is wrong with it is told in the words that somebody wrote.
machine::Image load_as_written(const std::string& completed, const std::string& written) {
  try {
    return machine::load_synthetic(completed);
  } catch (const Error& error) {
    std::string text = error.what();
    const std::size_t at = text.find(completed);
    if (at == std::string::npos) throw;
    throw Error(error.status(), text.replace(at, completed.size(), written));
  }
}

bool is_cache(std::string_view name) {
  return name == machine::type_name(ObjectType::l3) || name == machine::type_name(ObjectType::l2);
}

// A level keeps all borders of the levels before it, and is told of only if it has more.
void add_level(NodeShape& shape, std::string_view name, const std::vector<Place>& first) {
  const std::vector<Place> whole{0, shape.cores};
  const std::vector<Place>& before = shape.levels.empty() ? whole : shape.levels.back().first;
  std::vector<Place> merged;
  std::set_union(before.begin(), before.end(), first.begin(), first.end(), std::back_inserter(merged));
  const bool says_what_cores_do = merged.size() == shape.cores + 1 && is_cache(name);
  std::vector<Level>& levels = merged.size() > before.size() && !says_what_cores_do ? shape.levels : shape.untold;
  levels.push_back({std::string(name), std::move(merged)});
}

void sort_coarsest_first(std::vector<Level>& levels) {
  std::stable_sort(levels.begin(), levels.end(),
                   [](const Level& a, const Level& b) { return a.first.size() < b.first.size(); });
}

// Domains of `first` with the cores that `kept` counts: kept[c] is how many cores below c are left.
std::vector<Place> shrunk(const std::vector<Place>& first, const std::vector<Place>& kept) {
  std::vector<Place> result;
  for (const Place border : first) {
    if (result.empty() || kept[border] != result.back()) result.push_back(kept[border]);
  }
  return result;
}

}  // namespace

std::vector<std::size_t> Level::sizes() const {
  std::vector<std::size_t> sizes;
  sizes.reserve(domains());
  for (std::size_t domain = 0; domain < domains(); ++domain) sizes.push_back(size(domain));
  return sizes;
}

std::vector<Level> coarsest_first(const NodeShape& shape) {
  std::vector<Level> all = shape.levels;
  all.insert(all.end(), shape.untold.begin(), shape.untold.end());
  sort_coarsest_first(all);
  return all;
}

CoreSeat NodeShape::seat(Place core) const {
  return seats.empty() ? CoreSeat{core, 0, core, core, 1, {core}, {}} : seats[core];
}

NodeShape node_shape(const Machine& machine) {
  const std::vector<CpuSet> cores = cores_of(machine);
  std::vector<Level> found;
  for (const ObjectType type : kLevelTypes) {
    if (machine.count(type) > 0) found.push_back({std::string(type_name(type)), borders(machine, type, cores)});
  }
  NodeShape shape = node_shape(static_cast<std::uint32_t>(cores.size()), std::move(found));
  shape.seats = seats_of(machine, cores);
  return shape;
}

NodeShape node_shape(std::uint32_t cores, std::vector<Level> levels) {
  sort_coarsest_first(levels);
  NodeShape shape{cores};
  for (const Level& level : levels) add_level(shape, level.name, level.first);
  return shape;
}

NodeShape node_shape(const std::string& synthetic) {
  const bool has_pus = synthetic.find("pu:") != std::string::npos || synthetic.find("PU:") != std::string::npos;
  const machine::Image image = load_as_written(has_pus ? synthetic : synthetic + " pu:1", synthetic);
  return node_shape(Machine(image));
}

NodeShape without_cores(const NodeShape& shape, const CpuSet& cores) {
  if (const auto highest = cores.highest(); highest && *highest >= shape.cores) {
    throw Error(Status::range, "core " + std::to_string(*highest) + " cannot be left out: the node has cores 0 to " +
                                   std::to_string(shape.cores - 1));
  }
  std::vector<Place> kept(shape.cores + 1, 0);
  for (Place core = 0; core < shape.cores; ++core) kept[core + 1] = kept[core] + (cores.contains(core) ? 0 : 1);
  if (kept.back() == 0) throw Error(Status::range, "no core of the node is left; leave the whole node out");
  NodeShape result{kept.back()};
  for (const Level& level : coarsest_first(shape)) add_level(result, level.name, shrunk(level.first, kept));
  for (Place core = 0; core < shape.cores; ++core) {
    if (cores.contains(core)) continue;
    result.seats.push_back(shape.seat(core));
    result.seats.back().number = kept[core];
  }
  return result;
}

NodeShape spread(const NodeShape& shape, std::uint32_t threads) {
  if (shape.levels.empty()) return shape;
  const Level& level = shape.levels.front();
  if (threads % level.domains() != 0) {
    throw Error(Status::range, "threads cannot be spread: " + std::to_string(threads) +
                                   (threads == 1 ? " thread of a rank does" : " threads of a rank do") +
                                   " not divide among the " + std::to_string(level.domains()) + " domains of level " +
                                   level.name + "; give a multiple of that");
  }
  const auto each = static_cast<Place>(threads / level.domains());
  std::size_t smallest = shape.cores;
  for (std::size_t domain = 0; domain < level.domains(); ++domain) smallest = std::min(smallest, level.size(domain));
  NodeShape result{0};
  for (Place taken = 0; taken + each <= smallest; taken += each) {
    for (std::size_t domain = 0; domain < level.domains(); ++domain) {
      for (Place i = 0; i < each; ++i) result.seats.push_back(shape.seat(level.first[domain] + taken + i));
    }
    result.cores += threads;
  }
  result.idle = shape.cores - result.cores;
  return result;
}

std::uint32_t narrowest_spread(const NodeShape& shape) {
  return shape.levels.empty() ? 1 : static_cast<std::uint32_t>(shape.levels.front().domains());
}

}  // namespace comity::place
