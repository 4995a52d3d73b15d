// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/repair.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "place/division/largest_first.hpp"

namespace comity::place {
namespace {

std::vector<std::size_t> counts_of(const std::vector<Domain>& part, std::size_t parts) {
  std::vector<std::size_t> counts(parts, 0);
  for (const Domain one : part) ++counts[one];
  return counts;
}

std::vector<Rank> all_ranks(std::size_t count) {
  std::vector<Rank> ranks(count);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return ranks;
}

class Repair {
 public:
  // Of these ranks alone; lacks[n]: how much room node n has left, below 0 what it has too much.
  Repair(const Graph& graph, std::vector<Domain>& part, const std::vector<Rank>& ranks,
         std::span<const std::uint32_t> widths, std::vector<std::int64_t> lacks)
      : graph_(graph),
        part_(part),
        widths_(widths),
        members_(lacks.size()),
        lacks_(std::move(lacks)),
        tie_(lacks_.size(), 0) {
    for (const Rank rank : ranks) members_[part_[rank]].push_back(rank);
    for (Domain node = 0; !widths_.empty() && node < lacks_.size(); ++node) note(node);
  }

  // False where no rank fits anywhere else.
  bool run() {
    for (Domain node = 0; node < lacks_.size(); ++node) {
      while (lacks_[node] < 0) {
        const Move best = best_from(node);
        if (best.loss == kNone) return false;
        move(best);
      }
    }
    return true;
  }

 private:
  static constexpr Weight kNone = std::numeric_limits<Weight>::max();

  struct Noted {
    std::int64_t lacks;
    Domain node;

    bool operator<(const Noted& other) const { return lacks != other.lacks ? lacks < other.lacks : node > other.node; }
  };

  struct Move {
    Rank rank = 0;
    Domain to = 0;
    Weight loss = kNone;
  };

  [[nodiscard]] std::int64_t width(Rank rank) const { return widths_.empty() ? 1 : widths_[rank]; }

  // Of those that do not exchange anything with the rank, any: the first one that lacks some, of unequal ranks the one that lacks most.
  [[nodiscard]] Domain any_node() {
    if (!widths_.empty()) return lacks_most();
    while (first_lacking_ < lacks_.size() && lacks_[first_lacking_] <= 0)
      ++first_lacking_;  // none lacks more than before
    return first_lacking_;
  }

  // Of equals the first. What nodes no longer lack is dropped as it is met.
  [[nodiscard]] Domain lacks_most() {
    while (noted_.top().lacks != lacks_[noted_.top().node]) noted_.pop();
    return noted_.top().node;
  }

  void note(Domain node) { noted_.push({lacks_[node], node}); }

  // Of equal ranks there is one, for what one part has too much others lack.
  Move best_from(Domain node) {
    const Domain any = any_node();
    Move best;
    for (const Rank rank : members_[node]) {
      touched_.assign(1, any);
      graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
        tie_[part_[other]] += weight;
        touched_.push_back(part_[other]);
      });
      for (const Domain to : touched_) {
        if (lacks_[to] >= width(rank) && tie_[node] - tie_[to] < best.loss) best = {rank, to, tie_[node] - tie_[to]};
      }
      for (const Domain to : touched_) tie_[to] = 0;
    }
    return best;
  }

  void move(const Move& move) {
    const Domain from = part_[move.rank];
    std::erase(members_[from], move.rank);
    members_[move.to].push_back(move.rank);
    part_[move.rank] = move.to;
    lacks_[from] += width(move.rank);
    lacks_[move.to] -= width(move.rank);
    if (widths_.empty()) return;
    note(from);
    note(move.to);
  }

  const Graph& graph_;
  std::vector<Domain>& part_;
  std::span<const std::uint32_t> widths_;  // of each rank; empty: all are 1
  std::vector<std::vector<Rank>> members_;
  std::vector<std::int64_t> lacks_;   // below 0: has too many
  std::priority_queue<Noted> noted_;  // of ranks that are not alike: what each node lacks, beside what it lacked once
  Domain first_lacking_ = 0;          // of ranks that are alike: no node before it lacks any
  std::vector<Weight> tie_;           // of the rank looked at, to each part; 0 in between
  std::vector<Domain> touched_;
};

}  // namespace

std::vector<Domain> repaired(const Graph& graph, std::vector<Domain> part, std::span<const std::size_t> sizes) {
  const std::vector<Domain> parts = largest_first<Domain>(counts_of(part, sizes.size()));
  const std::vector<Domain> nodes = largest_first<Domain>(sizes);
  std::vector<Domain> node_of(sizes.size());
  for (std::size_t i = 0; i < parts.size(); ++i) node_of[parts[i]] = nodes[i];
  for (Domain& one : part) one = node_of[one];
  std::vector<std::int64_t> lacks(sizes.begin(), sizes.end());
  for (const Domain one : part) --lacks[one];
  (void)Repair(graph, part, all_ranks(part.size()), {}, std::move(lacks)).run();
  return part;
}

std::optional<std::vector<Domain>> repaired_widths(const Graph& graph, std::vector<Domain> part,
                                                   std::span<const std::uint32_t> widths,
                                                   std::span<const std::uint32_t> rooms, const Fit& fit) {
  std::vector<std::int64_t> lacks(rooms.begin(), rooms.end());
  for (Rank rank = 0; rank < part.size(); ++rank) lacks[part[rank]] -= widths[rank];
  std::vector<Domain> moved = part;
  if (Repair(graph, moved, all_ranks(part.size()), widths, std::move(lacks)).run()) return moved;
  if (fit.end != Fit::End::found) return std::nullopt;
  std::map<std::uint32_t, std::vector<Rank>> of_width;
  for (Rank rank = 0; rank < part.size(); ++rank) of_width[widths[rank]].push_back(rank);
  for (const auto& [width, ranks] : of_width) {
    std::vector<std::int64_t> lacking(rooms.size(), 0);
    for (const Rank rank : ranks) {
      ++lacking[fit.bin_of[rank]];
      --lacking[part[rank]];
    }
    (void)Repair(graph, part, ranks, {}, std::move(lacking)).run();
  }
  return part;
}

}  // namespace comity::place
