// SPDX-License-Identifier: BSD-3-Clause
#include "place/site.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
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
  Cutter(const NodeShape& shape, const std::vector<std::string>& names, std::uint32_t threads, LevelsKept kept)
      : shape_(shape), threads_(threads), kept_(kept) {
    for (const std::string& name : names) {
      const std::vector<Place>* borders = borders_of(shape.levels, name);
      borders_.push_back(borders != nullptr ? borders : borders_of(shape.untold, name));
    }
    result_.first.resize(names.size());
  }

  NodePlaces cut() {
    fill(0, 0, shape_.cores);
    if (shape_.most_ranks && *shape_.most_ranks < result_.cores.size()) keep_first(*shape_.most_ranks);
    return std::move(result_);
  }

 private:
  static const std::vector<Place>* borders_of(const std::vector<Level>& levels, const std::string& name) {
    const auto at = std::find_if(levels.begin(), levels.end(), [&](const Level& level) { return level.name == name; });
    return at == levels.end() ? nullptr : &at->first;
  }

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
    if (level >= kept_) {
      fill_across(level, from, to);
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

  // One place behind the other, whatever borders lie between from this level on: each counts where its first core is. Of places wider than
  // any domain each is a domain of its own there.
  void fill_across(std::size_t level, Place from, Place to) {
    for (bool is_first = true; from + threads_ <= to; from += threads_, is_first = false) {
      if (!is_first) end_domains(level, from - threads_, from);
      result_.cores.push_back(from);
    }
    for (; level < borders_.size(); ++level) end_domain(level);
  }

  // Those that one place begins in and the next one does not; no domain goes on where one around it ends.
  void end_domains(std::size_t level, Place from, Place to) {
    bool ended = false;
    for (; level < borders_.size(); ++level) {
      ended = ended || inner(level, from, to + 1).size() > 1;
      if (ended) end_domain(level);
    }
  }

  void keep_first(std::uint32_t places) {
    result_.cores.resize(places);
    for (std::vector<Place>& ends : result_.first) {
      const auto last = std::lower_bound(ends.begin(), ends.end(), places);
      ends.erase(last, ends.end());
      ends.push_back(places);
    }
  }

  void end_domain(std::size_t level) {
    const auto end = static_cast<Place>(result_.cores.size());
    std::vector<Place>& ends = result_.first[level];
    if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
  }

  const NodeShape& shape_;
  std::uint32_t threads_;
  LevelsKept kept_;
  std::vector<const std::vector<Place>*> borders_;
  NodePlaces result_;
};

// Names of all levels that some node tells of, coarser ones first as the nodes have them.
std::vector<std::string> level_names(const std::vector<NodeRun>& nodes) {
  std::vector<std::string> names;
  std::set<std::string> told;
  for (const NodeRun& run : nodes) {
    for (const Level& level : run.shape.levels) told.insert(level.name);
    auto at = names.begin();
    for (const Level& level : coarsest_first(run.shape)) {
      const auto found = std::find(names.begin(), names.end(), level.name);
      at = found != names.end() ? found + 1 : names.insert(at, level.name) + 1;
    }
  }
  std::erase_if(names, [&](const std::string& name) { return told.count(name) == 0; });
  return names;
}

}  // namespace

Site::Site(const std::vector<NodeRun>& nodes, std::uint32_t threads, const std::vector<Level>& above,
           const std::vector<std::uint32_t>& order, LevelsKept kept) {
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
    const NodePlaces one = Cutter(run.shape, names, threads, kept).cut();
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
  result.leave_out_above(node_level_);
  return result;
}

Site Site::below(std::size_t level, Domain domain) const {
  std::vector<Place> places(levels_[level].size(domain));
  std::iota(places.begin(), places.end(), levels_[level].first[domain]);
  Site result = only(places);
  result.leave_out_above(level + 1);
  return result;
}

Site Site::of_level(std::size_t level) const {
  Site result = *this;
  result.leave_out_above(level);
  result.levels_.front().name = kNodeLevel;
  result.node_level_ = 0;
  result.numbers_.clear();
  return result;
}

void Site::leave_out_above(std::size_t level) {
  const auto above = static_cast<std::ptrdiff_t>(level);
  levels_.erase(levels_.begin(), levels_.begin() + above);
  domain_of_.erase(domain_of_.begin(), domain_of_.begin() + above);
  node_level_ -= std::min(node_level_, level);
}

}  // namespace comity::place
