// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/exact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <limits>
#include <set>
#include <unordered_map>

#include "place/division/bisect.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kMostPieces = 1'500'000;
constexpr std::uint64_t kMostGrowth = 4'000'000;   // steps of listing
constexpr std::uint64_t kMostTrials = 25'000'000;  // pieces held against a rest, in one question
constexpr std::size_t kMostRests = 1'500'000;
constexpr std::size_t kMostHalvedRanks = 12;
constexpr std::size_t kMostSides = std::size_t{1} << 28;  // looked at to halve all pieces, 2^ranks of each

using Mask = unsigned __int128;

int count(Mask mask) {
  return std::popcount(static_cast<std::uint64_t>(mask)) + std::popcount(static_cast<std::uint64_t>(mask >> 64));
}
int lowest(Mask mask) {
  const auto low = static_cast<std::uint64_t>(mask);
  return low != 0 ? std::countr_zero(low) : 64 + std::countr_zero(static_cast<std::uint64_t>(mask >> 64));
}
constexpr Mask bit(int rank) { return Mask{1} << rank; }

struct MaskHash {
  std::size_t operator()(Mask mask) const {
    const std::uint64_t mixed = static_cast<std::uint64_t>(mask) * 0x9E3779B97F4A7C15 ^
                                (static_cast<std::uint64_t>(mask >> 64) + 0x7F4A7C15) * 0xBF58476D1CE4E5B9;
    return static_cast<std::size_t>(mixed ^ (mixed >> 29));
  }
};

struct Piece {
  Mask ranks;
  Weight inside;      // weight of the edges within
  Weight cut;         // of those that leave it
  Weight split = -1;  // the least that crosses between its halves; -1: not worked out yet
};

// What a division costs: first what its pieces hold less inside than the best piece does (which orders divisions as the
// sum of cuts does), then what crosses inside them.
struct Cost {
  Weight lack = 0, split = 0;

  friend bool operator==(const Cost&, const Cost&) = default;
  friend bool operator<(const Cost& a, const Cost& b) { return a.lack != b.lack ? a.lack < b.lack : a.split < b.split; }
};

constexpr Cost kImpossible{std::numeric_limits<Weight>::max(), 0};

// Which pieces may be used, and what they may lack together.
struct Filter {
  Weight most_cut = kNoLimit, most_split = kNoLimit, most_lack = kNoLimit;
};

// What is known of a rest: its cost, or that it costs more than was looked for.
struct Rest {
  Cost cost;
  Weight looked_up_to;  // of lack
  Mask first;           // the piece to begin with
};

}  // namespace

struct ExactSearch::Impl {
  std::vector<Rank> order;  // ranks by number here: neighbours close together, so that rests stay few
  std::vector<std::vector<std::pair<int, Weight>>> edges;
  std::vector<Mask> near;
  std::vector<Weight> degree;
  std::size_t nodes, size;
  bool halves;
  Progress progress;
  Weight total = 0;
  bool listed = false;
  std::vector<std::vector<Piece>> pieces;  // by lowest rank
  std::vector<Weight> most_inside;         // of connected pieces, by size
  std::uint64_t growth = 0, trials = 0;
  std::size_t listed_count = 0;

  // One filter: the pieces that pass it, and rests that are solved. A question may need several.
  std::vector<std::vector<Piece>> usable;
  std::unordered_map<Mask, Rest, MaskHash> solved;
  bool gave_up = false;

  Impl(const Graph& graph, std::size_t node_count, bool with_halves, const Progress& who)
      : nodes(node_count), size(graph.ranks() / node_count), halves(with_halves), progress(who) {
    order = breadth_first(graph);
    std::vector<int> number(graph.ranks());
    for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<int>(i);
    for (const Rank rank : order) {
      auto& row = edges.emplace_back();
      Mask mask = 0;
      Weight sum = 0;
      graph.for_each_edge(rank, [&](Rank other, Weight weight) {
        row.emplace_back(number[other], weight);
        mask |= bit(number[other]);
        sum += weight;
      });
      near.push_back(mask);
      degree.push_back(sum);
      total += sum;
    }
    total /= 2;
    halves = halves && size <= kMostHalvedRanks && size % 2 == 0;
    list();
  }

  void tell(std::string_view step, std::uint64_t number, std::uint64_t of) const {
    if (progress) progress(step, number, of);
  }

  [[nodiscard]] Weight joined(int rank, Mask with) const {
    Weight weight = 0;
    for (const auto& [other, one] : edges[static_cast<std::size_t>(rank)]) weight += (with & bit(other)) != 0 ? one : 0;
    return weight;
  }

  // Every connected set of each size once, by its lowest rank: a rank that was left out at a branch stays out below it.
  bool grow(Mask piece, Mask rim, Mask banned, Weight inside, Weight degrees, int lowest_rank) {
    if (++growth > kMostGrowth) return false;
    const auto members = static_cast<std::size_t>(count(piece));
    most_inside[members] = std::max(most_inside[members], inside);
    if (members == size) {
      if (++listed_count > kMostPieces) return false;
      pieces[static_cast<std::size_t>(lowest_rank)].push_back({piece, inside, degrees - 2 * inside});
      return true;
    }
    for (; rim != 0; rim &= rim - 1) {
      const int rank = lowest(rim);
      banned |= bit(rank);
      const Mask more = (rim & (rim - 1)) | (near[static_cast<std::size_t>(rank)] & ~banned & ~piece & ~rim);
      if (!grow(piece | bit(rank), more, banned | more, inside + joined(rank, piece),
                degrees + degree[static_cast<std::size_t>(rank)], lowest_rank)) {
        return false;
      }
    }
    return true;
  }

  // Twice what pieces may hold together.
  [[nodiscard]] bool weights_fit() const { return total <= kNoLimit / (2 * static_cast<Weight>(nodes)); }

  void list() {
    if (!weights_fit()) return;
    pieces.resize(order.size());
    most_inside.assign(size + 1, 0);
    for (int rank = 0; rank < static_cast<int>(order.size()); ++rank) {
      tell("listing connected pieces", static_cast<std::size_t>(rank), order.size());
      const Mask below = bit(rank) | (bit(rank) - 1);
      const Mask rim = near[static_cast<std::size_t>(rank)] & ~below;
      if (!grow(bit(rank), rim, below | rim, 0, degree[static_cast<std::size_t>(rank)], rank)) return;
    }
    listed = true;
  }

  // The least that crosses between two halves of the piece: all halvings with its lowest rank on the first side.
  [[nodiscard]] Weight split_of(const Piece& piece) const {
    std::array<int, kMostHalvedRanks> ranks{};
    std::size_t n = 0;
    for (Mask rest = piece.ranks; rest != 0; rest &= rest - 1) ranks[n++] = lowest(rest);
    std::array<std::array<Weight, kMostHalvedRanks>, kMostHalvedRanks> weight{};
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) weight[i][j] = joined(ranks[i], bit(ranks[j]));
    }
    Weight best = kNoLimit;
    for (unsigned side = 1; side < (1U << n); side += 2) {
      if (static_cast<std::size_t>(std::popcount(side)) != n / 2) continue;
      Weight cut = 0;
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = i + 1; j < n; ++j) cut += ((side >> i) & 1U) != ((side >> j) & 1U) ? weight[i][j] : 0;
      }
      best = std::min(best, cut);
    }
    return best;
  }

  [[nodiscard]] Weight lack_of(const Piece& piece) const { return most_inside[size] - piece.inside; }

  [[nodiscard]] bool passes(const Piece& piece, const Filter& filter) const {
    return piece.cut <= filter.most_cut && lack_of(piece) <= filter.most_lack && piece.split <= filter.most_split;
  }

  // Of the pieces that pass as far as is known: halving one takes longer than all else that is asked of it.
  void halve(const Filter& filter) {
    for (auto& row : pieces) {
      if (halves) tell("halving connected pieces", static_cast<std::size_t>(&row - pieces.data()) + 1, pieces.size());
      for (Piece& piece : row) {
        if (piece.split < 0 && passes(piece, filter)) piece.split = halves ? split_of(piece) : 0;
      }
    }
  }

  void choose(const Filter& filter) {
    halve(filter);
    usable.assign(order.size(), {});
    solved.clear();
    gave_up = false;
    for (std::size_t rank = 0; rank < pieces.size(); ++rank) {
      std::ranges::copy_if(pieces[rank], std::back_inserter(usable[rank]),
                           [&](const Piece& piece) { return passes(piece, filter); });
      std::stable_sort(usable[rank].begin(), usable[rank].end(),
                       [](const Piece& a, const Piece& b) { return a.inside > b.inside; });
    }
  }

  // The different values that a figure of the pieces that pass has, ascending. Large weights make too many numbers between them.
  [[nodiscard]] std::vector<Weight> values(Weight Piece::*figure, const Filter& filter) {
    if (figure == &Piece::split || filter.most_split != kNoLimit) halve(filter);
    std::set<Weight> found;
    for (const auto& row : pieces) {
      for (const Piece& piece : row) {
        if (passes(piece, filter)) found.insert(piece.*figure);
      }
    }
    return {found.begin(), found.end()};
  }

  // The least cost of covering what `covered` leaves, if it lacks no more than `most_lack`.
  Cost solve(Mask covered, Weight most_lack) {
    const Mask all = order.size() == 128 ? ~Mask{0} : bit(static_cast<int>(order.size())) - 1;
    if (covered == all) return {};
    if (const auto known = solved.find(covered); known != solved.end()) {
      const Rest& rest = known->second;
      if (rest.cost != kImpossible) return rest.cost.lack <= most_lack ? rest.cost : kImpossible;
      if (most_lack <= rest.looked_up_to) return kImpossible;
    }
    const auto& candidates = usable[static_cast<std::size_t>(lowest(~covered))];
    if (solved.size() > kMostRests) gave_up = true;
    Rest found{kImpossible, most_lack, 0};
    for (const Piece& piece : candidates) {
      const Weight lack = lack_of(piece);
      if (lack > most_lack) break;  // they stand in this order
      if (++trials > kMostTrials) gave_up = true;
      if (is_time_to_tell(trials, kMostTrials))
        tell("trying all connected pieces", trials * kHundred / kMostTrials, kHundred);
      if (gave_up) return kImpossible;
      if ((piece.ranks & covered) != 0) continue;
      const Cost rest = solve(covered | piece.ranks, most_lack - lack);
      if (rest == kImpossible) continue;
      const Cost cost{rest.lack + lack, rest.split + piece.split};
      if (!(cost < found.cost)) continue;
      found.cost = cost;
      found.first = piece.ranks;
      most_lack = cost.lack;
    }
    solved.insert_or_assign(covered, found);
    return found.cost;
  }

  // kImpossible where no division passes, or with gave_up set.
  Cost ask(const Filter& filter) {
    choose(filter);
    return solve(0, filter.most_lack);
  }

  // The same, found sooner where little is lacking: it is looked for among those that lack nothing, then little, then more, up to the most
  // that pieces can lack together.
  Cost ask_deepening(const Filter& filter) {
    choose(filter);
    Weight least = kNoLimit, largest = 0;
    for (const auto& row : usable) {
      for (const Piece& piece : row) {
        if (lack_of(piece) > 0) least = std::min(least, lack_of(piece));
        largest = std::max(largest, lack_of(piece));
      }
    }
    const Weight most = std::min(filter.most_lack, static_cast<Weight>(nodes) * largest);
    for (Weight lack = 0;; lack = std::max(least, 2 * lack)) {
      const Cost cost = solve(0, std::min(lack, most));
      if (cost != kImpossible || gave_up || lack >= most) return cost;
    }
  }

  // The sum of a division, and what it may lack to have that sum.
  [[nodiscard]] Weight sum_of(Weight lack) const { return least_thinkable() + lack; }
  [[nodiscard]] Weight lack_for(Weight sum) const { return sum - least_thinkable(); }
  [[nodiscard]] Weight least_thinkable() const { return total - static_cast<Weight>(nodes) * most_inside[size]; }

  [[nodiscard]] std::vector<Domain> division() const {
    std::vector<Domain> node_of(order.size());
    Mask covered = 0;
    for (Domain node = 0; node < nodes; ++node) {
      const Mask piece = solved.at(covered).first;
      for (Mask rest = piece; rest != 0; rest &= rest - 1)
        node_of[order[static_cast<std::size_t>(lowest(rest))]] = node;
      covered |= piece;
    }
    return node_of;
  }

  // The most that a set of so many ranks can hold inside, if it is not connected.
  [[nodiscard]] Weight most_inside_apart() const {
    std::vector<Weight> any = most_inside;  // of any set, by size
    Weight apart = 0;
    for (std::size_t members = 1; members <= size; ++members) {
      Weight here = 0;
      for (std::size_t some = 1; some < members; ++some) here = std::max(here, any[some] + any[members - some]);
      here = std::min(here, total);
      if (members == size) apart = here;
      any[members] = std::max(any[members], here);
    }
    return apart;
  }
};

ExactSearch::ExactSearch(const Graph& graph, std::size_t nodes, bool halves, const Progress& progress)
    : impl_(std::make_unique<Impl>(graph, nodes, halves, progress)) {}
ExactSearch::~ExactSearch() = default;

bool ExactSearch::possible() const { return impl_->listed; }

bool ExactSearch::halves_soon() const { return impl_->halves && impl_->listed_count <= kMostSides >> impl_->size; }

Weight ExactSearch::least_sum(Weight known) {
  Impl& search = *impl_;
  search.trials = 0;
  const auto nodes = static_cast<Weight>(search.nodes);
  const Weight best = search.most_inside[search.size], apart = search.most_inside_apart();
  const Weight simple = search.total - nodes * std::max(best, apart);
  if (simple >= known) return simple;
  // Divisions with a disconnected piece cut at least this; of the others those better than `known` are looked for.
  const Weight with_apart = search.total - (nodes - 1) * std::max(best, apart) - apart;
  const Cost cost = search.ask_deepening({kNoLimit, kNoLimit, search.lack_for(known - 1)});
  if (search.gave_up) return simple;
  const Weight connected = cost == kImpossible ? known : search.sum_of(cost.lack);
  return std::max(simple, std::min(connected, with_apart));
}

std::optional<std::vector<Domain>> ExactSearch::best(const Objective& objective, const Crossing& known,
                                                     Weight least_worst) {
  Impl& search = *impl_;
  search.trials = 0;
  const bool limited = search.halves && objective.limit(1) != kNoLimit;
  if (limited && !halves_soon()) return std::nullopt;
  const bool sum_first = objective.aim == Aim::sum || objective.aim == Aim::hops;
  Filter filter{kNoLimit, limited ? objective.limit(1) : kNoLimit, limited ? kNoLimit : search.lack_for(known.sum)};
  if (sum_first) {
    const Cost least = search.ask_deepening(filter);
    if (least == kImpossible) return std::nullopt;
    filter.most_lack = least.lack;
  }
  // The smallest worst node for which there is a division (of that sum, where the sum comes first).
  Cost cost = kImpossible;
  const bool sum_limits_all = sum_first || limited;
  for (const Weight most_cut :
       search.values(&Piece::cut, {kNoLimit, filter.most_split, sum_limits_all ? filter.most_lack : kNoLimit})) {
    if (most_cut < least_worst) continue;
    if (!sum_limits_all && most_cut > known.worst) break;
    filter.most_cut = most_cut;
    // A smaller worst node may have any sum.
    const bool any_sum = !sum_limits_all && most_cut < known.worst;
    cost = search.ask(any_sum ? Filter{most_cut, filter.most_split, kNoLimit} : filter);
    if (search.gave_up) return std::nullopt;
    if (cost != kImpossible) break;
  }
  if (cost == kImpossible) return std::nullopt;
  std::vector<Domain> division = search.division();
  if (!search.halves) return division;
  // And among those the smallest worst inner cut.
  filter.most_lack = cost.lack;
  for (const Weight most_split : search.values(&Piece::split, filter)) {
    filter.most_split = most_split;
    const Cost inner = search.ask(filter);
    if (search.gave_up) return division;
    if (inner != kImpossible) return search.division();
  }
  return division;
}

}  // namespace comity::place
