// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/seek.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "place/cut.hpp"
#include "place/division/bisect.hpp"
#include "place/division/cross.hpp"
#include "place/division/random.hpp"
#include "place/division/region.hpp"
#include "place/division/wander.hpp"
#include "place/job/subgraph.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostTies = 1U << 17U;       // ranks times nodes
constexpr std::size_t kMostSought = 512;           // ranks
constexpr std::size_t kMostOfTwo = 256;            // ranks, where two populations come on
constexpr std::size_t kAnew = 18, kMoreAnew = 40;  // in the first population, in others
constexpr std::size_t kTowardsWorst = 4;           // starts of each way to share ranks out, where nodes may be chosen
constexpr std::size_t kPool = 12;
constexpr std::size_t kClustersANode = 8;     // where clusters move
constexpr std::size_t kRanksACluster = 2;     // at least, of all
constexpr std::uint32_t kLargestCluster = 4;  // so many of them are a node's ranks, at least
constexpr double kHot = 1.2, kTepid = 0.6, kWarm = 0.4, kLukewarm = 0.25;  // [of what a move changes]
constexpr std::array kOfChildren{0.35, 0.5};  // [likewise] in turn: some jobs come on by one, some by the other
constexpr double kOfRedivided = 0.35;

// How a child is made of those that were found.
enum class Child : std::uint8_t { joined, redivided, crossed };
constexpr std::array kOfTwo{Child::joined, Child::crossed};
constexpr std::array kOfOneToo{Child::joined, Child::redivided, Child::crossed, Child::redivided};

// How long is searched.
struct Manner {
  std::span<const Child> in_turn;
  std::size_t children;  // at the most
  std::size_t patience;  // children in a row of which none is the best by either aim
  std::uint64_t moves;   // a rank, or a cluster of ranks
};
// More children, each improved for less, find more. On nodes alike with places left, where how full nodes are is open, those of two do, improved for long.
constexpr Manner kUsual{kOfOneToo, 250, 80, 600}, kWherePlacesAreLeft{kOfTwo, 150, 40, 1'000};

// The best by one aim.
class Pool {
 public:
  explicit Pool(Wanted wanted) : wanted_(wanted) {}

  void offer(const Score& score, const std::vector<Domain>& part) {
    auto at = pool_.begin();
    while (at != pool_.end() && at->score.better_than(score, wanted_)) ++at;
    for (auto same = at; same != pool_.end() && !score.better_than(same->score, wanted_); ++same) {
      if (same->part == part) return;
    }
    if (static_cast<std::size_t>(at - pool_.begin()) >= kPool) return;
    pool_.insert(at, {score, part});
    if (pool_.size() > kPool) pool_.pop_back();
  }

  [[nodiscard]] Wanted wanted() const { return wanted_; }
  [[nodiscard]] std::size_t size() const { return pool_.size(); }
  [[nodiscard]] const Score& best() const { return pool_.front().score; }
  [[nodiscard]] const std::vector<Domain>& part(std::size_t i) const { return pool_[i].part; }

 private:
  struct Known {
    Score score;
    std::vector<Domain> part;
  };

  Wanted wanted_;
  std::vector<Known> pool_;  // the best first
};

class Seeking {
 public:
  explicit Seeking(const SeekTask& task)
      : task_(task),
        has_places_left_(std::accumulate(task.rooms.begin(), task.rooms.end(), std::size_t{0}) > task.graph.ranks()),
        nodes_differ_(std::ranges::adjacent_find(task.rooms, std::not_equal_to<>()) != task.rooms.end()),
        manner_(has_places_left_ && !nodes_differ_ ? kWherePlacesAreLeft : kUsual),
        subgraphs_(task.graph) {}

  std::vector<std::vector<Domain>> run(const std::vector<std::vector<Domain>>& known) {
    for (const std::vector<Domain>& one : known) offer(one);
    improve_known();
    start_anew(kAnew);
    raise_children();
    if (may_choose_nodes()) {
      start_towards_worst();
      raise_children();
    }
    for (std::size_t i = 1; i < task_.populations && !ended(); ++i) raise_another(known.front());
    return all_found();
  }

 private:
  [[nodiscard]] std::vector<std::vector<Domain>> all_found() const {
    std::vector<std::vector<Domain>> found;
    for (const Pool* pool : {&by_worst_, &by_sum_}) {
      for (std::size_t i = 0; i < pool->size(); ++i) found.push_back(pool->part(i));
    }
    return found;
  }

  // Pieces of few ranks must melt first; large ones would lose what halving has found.
  void start_anew(std::size_t starts) {
    for (std::size_t i = 0; i < starts && !ended(); ++i) {
      tell_start();
      std::vector<Domain> part = halved(task_.shares[i / 2 % task_.shares.size()]);
      if (i % 2 == 0) improve_coarsely(part, by_sum_, {}, kHot);
      if (!improve(part, by_sum_, i % 2 == 0 ? kWarm : kHot)) continue;
      improve(part, by_worst_, kLukewarm);
    }
  }

  // With none of those that were found, which all children would soon be like; and then with them.
  void raise_another(const std::vector<Domain>& first) {
    const std::vector<std::vector<Domain>> before = all_found();
    by_worst_ = Pool(Wanted::least_worst);
    by_sum_ = Pool(Wanted::least_sum);
    offer(first);
    start_anew(kMoreAnew);
    raise_children();
    for (const std::vector<Domain>& one : before) offer(one);
    raise_children();
  }

  // Many where that pays: in some jobs none is better than what was found before, in others one leads to the next.
  void raise_children() {
    std::size_t in_vain = 0;
    for (std::size_t i = 0; i < manner_.children && in_vain < manner_.patience && !ended(); ++i) {
      tell_start();
      const Score worst = by_worst_.best(), sum = by_sum_.best();
      Pool& pool = i % 2 == 0 ? by_worst_ : by_sum_;
      const std::size_t turn = i / 2;
      const Child kind = manner_.in_turn[turn % manner_.in_turn.size()];
      std::vector<Domain> part = child(pool, kind);
      improve(
          part, pool,
          kind == Child::redivided ? kOfRedivided : kOfChildren[turn / manner_.in_turn.size() % kOfChildren.size()]);
      const bool is_best = by_worst_.best().better_than(worst, Wanted::least_worst) ||
                           by_sum_.best().better_than(sum, Wanted::least_sum);
      in_vain = is_best ? 0 : in_vain + 1;
    }
  }

  [[nodiscard]] bool may_choose_nodes() const { return has_places_left_ && nodes_differ_; }

  // What goes by the sum first, as all starts before do, gathers ranks in few nodes; the worst one may have less where more take part.
  void start_towards_worst() {
    for (std::size_t i = 0; i < towards_worst() && !ended(); ++i) {
      tell_start();
      std::vector<Domain> part = halved(task_.shares[i % task_.shares.size()]);
      improve(part, by_worst_, kWarm);
    }
  }
  [[nodiscard]] std::size_t towards_worst() const { return kTowardsWorst * task_.shares.size(); }

  // At most so many starts: it ends where both are least, or nothing better comes.
  void tell_start() {
    const std::size_t more = may_choose_nodes() ? towards_worst() + manner_.children : 0;
    const std::size_t others = (task_.populations - 1) * (kMoreAnew + 2 * manner_.children);
    if (task_.portions) task_.portions(++start_, 1 + kAnew + manner_.children + more + others);
  }

  // Of either aim, where both are least.
  [[nodiscard]] bool ended() const { return !task_.least.better_than(by_sum_.best(), Wanted::least_sum); }

  void improve_known() {
    tell_start();
    std::vector<Domain> worst = by_worst_.part(0), sum = by_sum_.part(0);  // neither begins from what the other finds
    if (!ended()) improve(worst, by_worst_, kWarm);
    if (!ended()) improve(sum, by_sum_, kWarm);
  }

  // False where nothing that fits was met.
  bool improve(std::vector<Domain>& part, const Pool& towards, double heat) {
    const Wandering how{towards.wanted(), manner_.moves * part.size(), ++seed_, heat, towards.best().worst};
    if (!wander(task_.graph, part, task_.rooms, how)) return false;
    offer(part);
    return true;
  }

  void offer(const std::vector<Domain>& part) {
    const Crossing cut = node_cut(task_.graph, task_.rooms.size(), part);
    const Score score{cut.worst, cut.sum};
    by_worst_.offer(score, part);
    by_sum_.offer(score, part);
  }

  // With ranks and nodes in another order each time.
  std::vector<Domain> halved(const std::vector<std::size_t>& shares) {
    const std::vector<Rank> ranks = shuffled<Rank>(task_.graph.ranks(), random_);
    std::vector<Domain> nodes = shuffled<Domain>(shares.size(), random_);
    std::erase_if(nodes, [&](Domain node) { return shares[node] == 0; });
    std::vector<Domain> part(ranks.size());
    halve(ranks, nodes, shares, part);
    return part;
  }

  // These ranks among these nodes.
  void halve(const std::vector<Rank>& ranks, const std::vector<Domain>& nodes, const std::vector<std::size_t>& shares,
             std::vector<Domain>& part) {
    std::vector<std::size_t> sizes;
    sizes.reserve(nodes.size());
    for (const Domain node : nodes) sizes.push_back(shares[node]);
    const std::vector<Domain> number = bisected(subgraphs_.of(ranks), sizes, 1);
    for (std::size_t i = 0; i < ranks.size(); ++i) part[ranks[i]] = nodes[number[i]];
  }

  std::vector<Domain> child(const Pool& pool, Child how) {
    const std::size_t one = random_.below(pool.size());
    if (how == Child::redivided) return redivided(pool.part(one));
    std::size_t other = random_.below(pool.size());
    if (other == one) other = (one + 1) % pool.size();
    if (how == Child::crossed) return crossed(task_.graph, task_.rooms, pool.part(one), pool.part(other));
    return joined(pool, std::min(one, other), std::max(one, other));
  }

  // Some nodes that touch one another, up to half of all, are halved anew, as full as they are.
  std::vector<Domain> redivided(std::vector<Domain> part) {
    const std::size_t most = 2 + random_.below(std::max<std::size_t>(2, task_.rooms.size() / 2));
    const std::vector<Domain> region = random_region(task_.graph, part, task_.rooms.size(), most, random_);
    std::vector<std::size_t> shares(task_.rooms.size(), 0);
    std::vector<Rank> ranks;
    for (const Rank rank : shuffled<Rank>(part.size(), random_)) {
      if (std::ranges::find(region, part[rank]) == region.end()) continue;
      ++shares[part[rank]];
      ranks.push_back(rank);
    }
    std::vector<Domain> nodes;
    for (const std::size_t i : shuffled<std::size_t>(region.size(), random_)) nodes.push_back(region[i]);
    halve(ranks, nodes, shares, part);
    return part;
  }

  // The better one, of which what both have together moves as a whole.
  std::vector<Domain> joined(const Pool& pool, std::size_t better, std::size_t other) {
    const auto nodes = static_cast<std::uint32_t>(task_.rooms.size());
    std::vector<Domain> part = pool.part(better);
    std::vector<std::uint32_t> group;
    for (Rank rank = 0; rank < part.size(); ++rank) group.push_back(part[rank] * nodes + pool.part(other)[rank]);
    improve_coarsely(part, pool, std::move(group), kTepid);
    return part;
  }

  // Clusters of ranks change nodes: what no single rank can begin.
  void improve_coarsely(std::vector<Domain>& part, const Pool& towards, std::vector<std::uint32_t> group, double heat) {
    const std::uint32_t largest = *std::max_element(task_.rooms.begin(), task_.rooms.end());
    const std::size_t most_clusters =
        std::min(kClustersANode * task_.rooms.size(), task_.graph.ranks() / kRanksACluster);
    const Coarse coarse = clustered(task_.graph, most_clusters, std::max<std::uint32_t>(2, largest / kLargestCluster),
                                    ++seed_, std::move(group));
    std::vector<Domain> clusters(coarse.sized.graph.ranks());
    for (Rank rank = 0; rank < part.size(); ++rank) clusters[coarse.of[rank]] = part[rank];
    wander_coarsely(coarse.sized, clusters, task_.rooms,
                    {towards.wanted(), manner_.moves * clusters.size(), ++seed_, heat, towards.best().worst});
    for (Rank rank = 0; rank < part.size(); ++rank) part[rank] = clusters[coarse.of[rank]];
  }

  const SeekTask& task_;
  bool has_places_left_;
  bool nodes_differ_;
  Manner manner_;
  Subgraphs subgraphs_;
  Random random_{1};
  std::uint64_t seed_ = 0;
  std::size_t start_ = 0;
  Pool by_worst_{Wanted::least_worst}, by_sum_{Wanted::least_sum};
};

}  // namespace

bool may_seek(std::size_t ranks, std::size_t nodes) {
  return nodes > 1 && ranks <= kMostSought && ranks * nodes <= kMostTies;
}

std::size_t usual_populations(std::size_t ranks) { return ranks <= kMostOfTwo ? 2 : 1; }

std::vector<std::vector<Domain>> sought(const SeekTask& task, const std::vector<std::vector<Domain>>& known) {
  return Seeking(task).run(known);
}

}  // namespace comity::place
