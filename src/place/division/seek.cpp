// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/seek.hpp"

#include <algorithm>
#include <utility>

#include "place/cut.hpp"
#include "place/division/bisect.hpp"
#include "place/division/cross.hpp"
#include "place/division/random.hpp"
#include "place/division/wander.hpp"
#include "place/job/subgraph.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostTies = 1U << 17U;  // ranks times nodes
constexpr std::size_t kMostSought = 512;      // ranks
constexpr std::size_t kAnew = 20, kChildren = 20;
constexpr std::size_t kPool = 6;
constexpr std::uint64_t kMovesARank = 1'000;
constexpr double kHot = 1.2, kWarm = 0.4, kLukewarm = 0.25;  // [of what a move changes]

class Seeking {
 public:
  explicit Seeking(const SeekTask& task) : task_(task), subgraphs_(task.graph) {}

  std::vector<std::vector<Domain>> run(const std::vector<std::vector<Domain>>& known) {
    for (const std::vector<Domain>& one : known) offer(one);
    for (const std::vector<Domain>& one : known) {
      if (ended()) break;
      improve(one, kWarm);
    }
    // Pieces of few ranks must melt first; large ones would lose what halving has found.
    for (std::size_t i = 0; i < kAnew && !ended(); ++i) {
      improve(halved(task_.shares[i / 2 % task_.shares.size()]), i % 2 == 0 ? kWarm : kHot);
    }
    for (std::size_t i = 0; i < kChildren && !ended(); ++i) improve(child(), kLukewarm);
    std::vector<std::vector<Domain>> found;
    for (Known& one : pool_) found.push_back(std::move(one.part));
    return found;
  }

 private:
  struct Known {
    Score score;
    std::vector<Domain> part;
  };

  [[nodiscard]] bool ended() const { return !task_.least.better_than(pool_.front().score, task_.wanted); }

  void improve(std::vector<Domain> part, double heat) {
    const Wandering how{task_.wanted, kMovesARank * part.size(), ++seed_, heat, pool_.front().score.worst};
    if (wander(task_.graph, part, task_.rooms, how)) offer(std::move(part));
  }

  void offer(std::vector<Domain> part) {
    const Crossing cut = node_cut(task_.graph, task_.rooms.size(), part);
    const Score score{cut.worst, cut.sum};
    auto at = pool_.begin();
    while (at != pool_.end() && at->score.better_than(score, task_.wanted)) ++at;
    for (auto same = at; same != pool_.end() && !score.better_than(same->score, task_.wanted); ++same) {
      if (same->part == part) return;
    }
    pool_.insert(at, {score, std::move(part)});
    if (pool_.size() > kPool) pool_.pop_back();
  }

  // With ranks and nodes in another order each time.
  std::vector<Domain> halved(const std::vector<std::size_t>& shares) {
    const std::vector<Rank> ranks = shuffled<Rank>(task_.graph.ranks(), random_);
    std::vector<Domain> nodes = shuffled<Domain>(shares.size(), random_);
    std::erase_if(nodes, [&](Domain node) { return shares[node] == 0; });
    std::vector<std::size_t> sizes;
    sizes.reserve(nodes.size());
    for (const Domain node : nodes) sizes.push_back(shares[node]);
    const std::vector<Domain> number = bisected(subgraphs_.of(ranks), sizes, 1);
    std::vector<Domain> part(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) part[ranks[i]] = nodes[number[i]];
    return part;
  }

  std::vector<Domain> child() {
    const std::size_t one = random_.below(pool_.size());
    std::size_t other = random_.below(pool_.size());
    if (other == one) other = (one + 1) % pool_.size();
    return crossed(task_.graph, task_.rooms, pool_[one].part, pool_[other].part);
  }

  const SeekTask& task_;
  Subgraphs subgraphs_;
  Random random_{1};
  std::uint64_t seed_ = 0;
  std::vector<Known> pool_;  // the best first
};

}  // namespace

bool may_seek(std::size_t ranks, std::size_t nodes) {
  return nodes > 1 && ranks <= kMostSought && ranks * nodes <= kMostTies;
}

std::vector<std::vector<Domain>> sought(const SeekTask& task, const std::vector<std::vector<Domain>>& known) {
  return Seeking(task).run(known);
}

}  // namespace comity::place
