// SPDX-License-Identifier: BSD-3-Clause
#include "place/site.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "place/job/graph.hpp"

namespace comity::place {
namespace {

// The places of a node: the first core of each, and the borders of every level in places.
struct NodePlaces {
  std::vector<std::uint32_t> cores;
  std::vector<std::vector<Place>> first;  // without the 0 at the beginning: ends of domains
};

class Cutter {
 public:
  Cutter(const NodeShape& shape, const std::vector<std::string>& names, std::uint32_t threads)
      : shape_(shape), threads_(threads), whole_{0, shape.cores} {
    for (const std::string& name : names) {
      const auto at = std::find_if(shape.levels.begin(), shape.levels.end(),
                                   [&](const Level& level) { return level.name == name; });
      borders_.push_back(at == shape.levels.end() ? nullptr : &at->first);
    }
    result_.first.resize(names.size());
  }

  NodePlaces cut() {
    fill(0, 0, shape_.cores);
    return std::move(result_);
  }

 private:
  // A level that this node lacks is one domain.
  std::vector<Place> inner(std::size_t level, Place from, Place to) const {
    std::vector<Place> ends;
    if (level < borders_.size() && borders_[level] != nullptr) {
      for (const Place border : *borders_[level]) {
        if (border > from && border < to) ends.push_back(border);
      }
    }
    ends.push_back(to);
    return ends;
  }

  void fill(std::size_t level, Place from, Place to) {
    if (level == borders_.size()) {
      for (; from + threads_ <= to; from += threads_) result_.cores.push_back(from);
      return;
    }
    const std::vector<Place> ends = inner(level, from, to);
    Place largest = 0, begin = from;
    for (const Place end : ends) {
      largest = std::max(largest, end - begin);
      begin = end;
    }
    if (largest < threads_) {
      fill_across(level, from, to);
      return;
    }
    for (const Place end : ends) {
      fill(level + 1, from, end);
      end_domain(level);
      from = end;
    }
  }

  // A rank is wider than any domain from this level on: each of its places is a domain of its own there.
  void fill_across(std::size_t level, Place from, Place to) {
    for (; from + threads_ <= to; from += threads_) {
      result_.cores.push_back(from);
      for (std::size_t inner_level = level; inner_level < borders_.size(); ++inner_level) end_domain(inner_level);
    }
  }

  void end_domain(std::size_t level) {
    const auto end = static_cast<Place>(result_.cores.size());
    std::vector<Place>& ends = result_.first[level];
    if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
  }

  const NodeShape& shape_;
  std::uint32_t threads_;
  std::vector<Place> whole_;
  std::vector<const std::vector<Place>*> borders_;
  NodePlaces result_;
};

// Names of all levels of all nodes, coarser ones first as the nodes have them.
std::vector<std::string> level_names(const std::vector<NodeRun>& nodes) {
  std::vector<std::string> names;
  for (const NodeRun& run : nodes) {
    auto at = names.begin();
    for (const Level& level : run.shape.levels) {
      const auto found = std::find(names.begin(), names.end(), level.name);
      at = found != names.end() ? found + 1 : names.insert(at, level.name) + 1;
    }
  }
  return names;
}

}  // namespace

Site::Site(const std::vector<NodeRun>& nodes, std::uint32_t threads, const std::vector<Level>& above,
           const std::vector<std::uint32_t>& order) {
  if (threads == 0) throw Error(Status::range, "a rank has one thread at least, not 0");
  const std::vector<std::string> names = level_names(nodes);
  levels_.push_back({std::string(kNodeLevel), {0}});
  for (const std::string& name : names) levels_.push_back({name, {0}});
  std::size_t core = 0;      // of all nodes before
  std::size_t position = 0;  // of the node
  std::vector<Place> node_ends;
  for (const NodeRun& run : nodes) {
    if (run.nodes > kMostRanks || core + run.nodes * run.shape.cores > kMostRanks) {
      throw Error(Status::range, "the nodes have more than " + std::to_string(kMostRanks) +
                                     " cores together, the most that can be looked at; name fewer nodes");
    }
    const NodePlaces one = Cutter(run.shape, names, threads).cut();
    for (std::size_t node = 0; node < run.nodes; ++node, ++position, core += run.shape.cores) {
      const Place base = levels_.front().first.back();
      for (const std::uint32_t first : one.cores) cores_.push_back(static_cast<std::uint32_t>(core) + first);
      if (!above.empty()) node_ends.push_back(base + static_cast<Place>(one.cores.size()));
      if (one.cores.empty()) continue;  // too narrow for one rank
      if (!order.empty()) numbers_.push_back(order[position]);
      levels_.front().first.push_back(base + static_cast<Place>(one.cores.size()));
      for (std::size_t level = 0; level < names.size(); ++level) {
        for (const Place end : one.first[level]) levels_[level + 1].first.push_back(base + end);
      }
    }
  }
  if (places() == 0) {
    throw Error(Status::range, "no node has room for a rank of " + std::to_string(threads) +
                                   (threads == 1 ? " thread" : " threads") +
                                   "; name nodes, or give ranks fewer threads");
  }
  add_above(above, node_ends);
  number_domains();
}

// A level that divides no places is none.
void Site::add_above(const std::vector<Level>& above, const std::vector<Place>& node_ends) {
  std::vector<Level> levels;
  for (const Level& level : above) {
    std::vector<Place> borders{0};
    for (const Place node : level.first) {
      const Place place = node == 0 ? 0 : node_ends[node - 1];
      if (place != borders.back()) borders.push_back(place);
    }
    const bool divides = borders.size() > 2 && borders.size() < levels_.front().first.size();
    if (divides && (levels.empty() || levels.back().first != borders)) levels.push_back({level.name, borders});
  }
  node_level_ = levels.size();
  levels_.insert(levels_.begin(), std::make_move_iterator(levels.begin()), std::make_move_iterator(levels.end()));
}

void Site::number_domains() {
  domain_of_.assign(levels_.size(), {});
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    std::vector<Domain>& domains = domain_of_[level];
    domains.resize(places());
    for (std::size_t domain = 0; domain < levels_[level].domains(); ++domain) {
      const std::vector<Place>& first = levels_[level].first;
      std::fill(domains.begin() + first[domain], domains.begin() + first[domain + 1], static_cast<Domain>(domain));
    }
  }
}

std::vector<Domain> Site::nodes_in_turn() const {
  std::vector<Domain> turn(levels_[node_level_].domains());
  std::iota(turn.begin(), turn.end(), Domain{0});
  if (numbers_.empty()) return turn;
  std::sort(turn.begin(), turn.end(), [&](Domain one, Domain other) { return numbers_[one] < numbers_[other]; });
  return turn;
}

Site Site::only(const std::vector<Place>& places) const {
  Site result;
  result.node_level_ = node_level_;
  for (std::size_t at = 0; at < levels_.size(); ++at) {
    const Level& level = levels_[at];
    std::vector<Place> borders{0};
    for (std::size_t domain = 0; domain < level.domains(); ++domain) {
      const auto end = std::lower_bound(places.begin(), places.end(), level.first[domain + 1]) - places.begin();
      if (end == borders.back()) continue;
      borders.push_back(static_cast<Place>(end));
      if (at == node_level_ && !numbers_.empty()) result.numbers_.push_back(numbers_[domain]);
    }
    result.levels_.push_back({level.name, std::move(borders)});
  }
  result.cores_.reserve(places.size());
  for (const Place place : places) result.cores_.push_back(core(place));
  result.number_domains();
  return result;
}

Site Site::without_network() const {
  Site result = *this;
  const auto above = static_cast<std::ptrdiff_t>(node_level_);
  result.levels_.erase(result.levels_.begin(), result.levels_.begin() + above);
  result.domain_of_.erase(result.domain_of_.begin(), result.domain_of_.begin() + above);
  result.node_level_ = 0;
  return result;
}

}  // namespace comity::place
