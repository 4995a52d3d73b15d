// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/wander.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "place/division/borne.hpp"
#include "place/division/random.hpp"

namespace comity::place {
namespace {

constexpr double kCold = 0.08;               // [of what a move changes] at the end
constexpr double kCheap = 0.3, kDear = 5.0;  // [likewise] what a rank too many costs at the beginning and at the end
constexpr double kFewEdges = 4.0;            // of a rank of a plane
constexpr double kExcessCost = 3.0;          // what a node pays for each unit above the target
constexpr std::uint64_t kStep = 256;         // moves tried at one temperature
constexpr std::size_t kSwapsOf = 5;          // of so many tries where a full node stands, all but one are swaps
constexpr std::size_t kToAnywhere = 32;      // one in so many is of any rank to any node, an empty one perhaps
constexpr std::size_t kExchanges = 64;       // one in so many is of all that two nodes have, where these are unlike

class Wanderer : public Borne {
 public:
  // `sizes`: of each rank; empty: all are 1.
  Wanderer(const Graph& graph, std::vector<Domain>& part, std::span<const std::uint32_t> rooms, Wanted wanted,
           std::span<const std::uint32_t> sizes = {})
      : Borne(graph, part, rooms.size()),
        wanted_(wanted),
        sizes_(sizes),
        rooms_(rooms),
        has_unlike_(std::ranges::adjacent_find(rooms, std::not_equal_to<>()) != rooms.end()),
        nodes_(rooms.size()),
        ties_(part.size() * nodes_, 0),
        all_(part.size(), 0),
        at_rim_(part.size(), kInside) {
    for (Domain node = 0; node < nodes_; ++node) {
      crowd_.push_back(-std::int64_t{rooms[node]});
      for (const Rank rank : members_[node]) crowd_.back() += size(rank);
      too_many_ += std::max<std::int64_t>(0, crowd_.back());
    }
    for (Rank rank = 0; rank < part.size(); ++rank) {
      graph.for_each_edge(rank, [&](Rank other, Weight weight) {
        tie(rank, part[other]) += weight;
        all_[rank] += weight;
      });
    }
    for (Rank rank = 0; rank < part.size(); ++rank) note_rim(rank);
  }

  [[nodiscard]] bool fits() const { return too_many_ == 0; }

  // Tries one; true where it was made.
  bool try_move(Random& numbers, double temperature, double price) {
    Choices random(numbers);
    if (has_unlike_ && random.below(kExchanges) == 0) return try_exchange(random, temperature, price);
    const bool anywhere = rim_.empty() || random.below(kToAnywhere) == 0;
    const Rank rank = anywhere ? static_cast<Rank>(random.below(part_.size())) : rim_[random.below(rim_.size())];
    const Domain from = part_[rank];
    const Domain to = anywhere ? static_cast<Domain>(random.below(nodes_)) : near_one_of(rank, random);
    if (from == to) return false;
    if (crowd_[to] >= 0 && crowd_[from] <= 0 && !members_[to].empty() && random.below(kSwapsOf) > 0)
      return try_swap(rank, to, random, temperature, price);
    const Weight own = tie(rank, from), theirs = tie(rank, to), all = all_[rank];
    const double rise =
        rise_of(own - theirs, from, 2 * own - all, to, all - 2 * theirs) + price * crowding(from, to, size(rank));
    if (!taken(rise, random, temperature)) return false;
    move(rank, to);
    return true;
  }

 private:
  static constexpr Rank kInside = ~Rank{0};

  Weight& tie(Rank rank, Domain node) { return ties_[rank * nodes_ + node]; }

  // With the probability exp(-rise / temperature): a rise is taken up to what a number between 0 and 1 stands for.
  bool taken(double rise, Choices& random, double temperature) const {
    return rise <= 0 || (rise < temperature * kMostTaken && rise < temperature * taken_up_to_[random.below(kTaken)]);
  }

  // Where a rank is that it exchanges something with.
  [[nodiscard]] Domain near_one_of(Rank rank, Choices& random) const {
    return part_[graph_.neighbour(rank, random.below(graph_.edges_of(rank)))];
  }

  // Each rank too many costs more than the one before. `more`: goes from one to the other, of ranks that stand for several the
  // number of these; if it is negative the other way.
  [[nodiscard]] double crowding(Domain from, Domain to, std::int64_t more) const {
    const auto cost = [](std::int64_t crowd) { return crowd > 0 ? crowd * crowd : 0; };
    return static_cast<double>(cost(crowd_[to] + more) - cost(crowd_[to]) + cost(crowd_[from] - more) -
                               cost(crowd_[from]));
  }

  [[nodiscard]] std::int64_t size(Rank rank) const { return sizes_.empty() ? 1 : sizes_[rank]; }

  // more: of the sum; then what the two nodes bear more.
  [[nodiscard]] double rise_of(Weight more, Domain one, Weight one_more, Domain other, Weight other_more) const {
    if (wanted_ == Wanted::least_sum) return static_cast<double>(more);
    const Weight excess =
        over(cut_[one] + one_more) - over(cut_[one]) + over(cut_[other] + other_more) - over(cut_[other]);
    return static_cast<double>(more) + kExcessCost * static_cast<double>(excess);
  }

  // With the better of two ranks there.
  bool try_swap(Rank rank, Domain to, Choices& random, double temperature, double price) {
    const Domain from = part_[rank];
    Rank back = member_of(to, random);
    const Rank second = member_of(to, random);
    if (tie(second, from) - tie(second, to) > tie(back, from) - tie(back, to)) back = second;
    Weight between = 0;
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) { between += other == back ? weight : 0; });
    const Weight own = tie(rank, from), theirs = tie(rank, to), all = all_[rank];
    const Weight back_own = tie(back, to) + between, back_theirs = tie(back, from) - between, back_all = all_[back];
    double rise = rise_of(own - theirs + back_own - back_theirs, from, 2 * own - all + back_all - 2 * back_theirs, to,
                          all - 2 * theirs + 2 * back_own - back_all);
    if (const std::int64_t more = size(rank) - size(back); more != 0) rise += price * crowding(from, to, more);
    if (!taken(rise, random, temperature)) return false;
    move(rank, to);
    move(back, from);
    return true;
  }

  // Two nodes of unlike room change all that they have: what crosses stays as it is, and it may fit better.
  bool try_exchange(Choices& random, double temperature, double price) {
    const auto one = static_cast<Domain>(random.below(nodes_)), other = static_cast<Domain>(random.below(nodes_));
    const std::int64_t more = crowd_[one] + rooms_[one] - crowd_[other] - rooms_[other];
    if (rooms_[one] == rooms_[other] || more == 0) return false;
    if (!taken(price * crowding(one, other, more), random, temperature)) return false;
    crowd(one, -more);
    crowd(other, more);
    for (const Rank rank : members_[one]) part_[rank] = other;
    for (const Rank rank : members_[other]) part_[rank] = one;
    std::swap(members_[one], members_[other]);
    std::swap(cut_[one], cut_[other]);
    for (Rank rank = 0; rank < part_.size(); ++rank) std::swap(tie(rank, one), tie(rank, other));
    return true;
  }

  Rank member_of(Domain node, Choices& random) { return members_[node][random.below(members_[node].size())]; }

  void move(Rank rank, Domain to) {
    const Domain from = part_[rank];
    const Weight own = tie(rank, from), theirs = tie(rank, to), all = all_[rank];
    bear(from, 2 * own - all);
    bear(to, all - 2 * theirs);
    sum_ += own - theirs;
    crowd(from, -size(rank));
    crowd(to, size(rank));
    relocate(rank, to);
    graph_.for_each_edge(rank, [&](Rank other, Weight weight) {
      tie(other, from) -= weight;
      tie(other, to) += weight;
      note_rim(other);
    });
    note_rim(rank);
  }

  void crowd(Domain node, std::int64_t more) {
    too_many_ += std::max<std::int64_t>(0, crowd_[node] + more) - std::max<std::int64_t>(0, crowd_[node]);
    crowd_[node] += more;
  }

  // A rank is at the rim if it exchanges something with another node.
  void note_rim(Rank rank) {
    const bool is = tie(rank, part_[rank]) < all_[rank], was = at_rim_[rank] != kInside;
    if (is == was) return;
    if (is) {
      at_rim_[rank] = static_cast<Rank>(rim_.size());
      rim_.push_back(rank);
      return;
    }
    rim_[at_rim_[rank]] = rim_.back();
    at_rim_[rim_.back()] = at_rim_[rank];
    rim_.pop_back();
    at_rim_[rank] = kInside;
  }

  static constexpr std::size_t kTaken = 2048;
  static constexpr float kMostTaken = 9;  // [temperatures] more than any of them

  static std::array<float, kTaken> logarithms() {
    std::array<float, kTaken> all{};
    for (std::size_t i = 0; i < kTaken; ++i)
      all[i] = static_cast<float>(-std::log((static_cast<double>(i) + 0.5) / static_cast<double>(kTaken)));
    return all;
  }

  std::array<float, kTaken> taken_up_to_ = logarithms();  // [temperatures]
  Wanted wanted_;
  std::span<const std::uint32_t> sizes_, rooms_;
  bool has_unlike_;  // nodes
  std::size_t nodes_;
  std::vector<Weight> ties_;         // of each rank with each node
  std::vector<Weight> all_;          // that each rank exchanges
  std::vector<std::int64_t> crowd_;  // of each node: ranks less room
  std::int64_t too_many_ = 0;        // ranks above room, of all nodes
  std::vector<Rank> rim_;
  std::vector<Rank> at_rim_;  // of each rank, where in it
};

// What a move changes, roughly: the more edges a rank has, the more.
double usual_change(const Graph& graph) {
  const double edges_of_one = 2 * static_cast<double>(graph.edges()) / static_cast<double>(graph.ranks());
  return graph.mean_weight() * std::max(1.0, edges_of_one / kFewEdges);
}

struct Weather {
  double temperature = 0, price = 0;  // price: of a rank too many
};

Weather weather_at(std::uint64_t move, double change, const Wandering& how) {
  const double gone = static_cast<double>(move) / static_cast<double>(how.moves);
  return {change * how.heat * std::pow(kCold / how.heat, gone), change * kCheap * std::pow(kDear / kCheap, gone)};
}

}  // namespace

bool wander(const Graph& graph, std::vector<Domain>& part, std::span<const std::uint32_t> rooms, const Wandering& how) {
  std::vector<Domain> now = part;
  Wanderer state(graph, now, rooms, how.wanted);
  if (rooms.size() < 2 || graph.edges() == 0) return state.fits();
  state.aim_below(std::min(how.worst, state.score().worst));
  std::optional<Score> best;
  if (state.fits()) best = state.score();
  Weight excess = state.excess();  // of the best
  Random random(how.seed);
  const double change = usual_change(graph);
  Weather weather;
  for (std::uint64_t i = 0; i < how.moves; ++i) {
    if (i % kStep == 0) weather = weather_at(i, change, how);
    if (!state.try_move(random, weather.temperature, weather.price) || !state.fits()) continue;
    if (best && (how.wanted == Wanted::least_sum ? state.sum() > best->sum : state.excess() > excess)) continue;
    const Score score = state.score();
    if (best && !score.better_than(*best, how.wanted)) continue;
    best = score;
    part = now;
    state.aim_below(std::min(how.worst, score.worst));
    excess = state.excess();
  }
  return best.has_value();
}

void wander_coarsely(const SizedGraph& sized, std::vector<Domain>& part, std::span<const std::uint32_t> rooms,
                     const Wandering& how) {
  const Graph& graph = sized.graph;
  if (rooms.size() < 2 || graph.edges() == 0) return;
  Wanderer state(graph, part, rooms, how.wanted, sized.size);
  state.aim_below(std::min(how.worst, state.score().worst));
  Random random(how.seed);
  const double change = usual_change(graph);
  const double usual_size =
      std::accumulate(sized.size.begin(), sized.size.end(), 0.0) / static_cast<double>(graph.ranks());
  Weather weather;
  for (std::uint64_t i = 0; i < how.moves; ++i) {
    if (i % kStep == 0) weather = weather_at(i, change, how);
    state.try_move(random, weather.temperature, weather.price / (usual_size * usual_size));
  }
}

}  // namespace comity::place
