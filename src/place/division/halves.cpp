// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/halves.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace comity::place {
namespace {

constexpr int kPasses = 8;
constexpr std::size_t kPatience = 30;   // moves in a row that bring nothing, at least
constexpr std::int64_t kTolerance = 4;  // ranks that a side may be off by meanwhile, so that groups can move

// A straight line between the halves of a square of so many ranks moves on by as many moves as it is long before it is
// shorter again.
std::size_t patience_for(std::size_t ranks) {
  return std::max(kPatience, static_cast<std::size_t>(2 * std::sqrt(static_cast<double>(ranks))));
}

}  // namespace

void Halves::grow_from(Rank seed) {
  const Graph& graph = sized_.graph;
  sides_.assign(graph.ranks(), 1);
  find_gains();
  unlock_all();
  push(seed);
  Rank spare = 0;  // where a new connected piece starts
  while (surplus_ < 0) {
    Rank rank = best_of(1);
    if (rank == kNone) {
      while (spare < graph.ranks() && sides_[spare] == 0) ++spare;
      if (spare == graph.ranks()) break;
      rank = spare;
    }
    // Rather a little less than much too much.
    if (surplus_ + sized_.size[rank] > -surplus_) break;
    move(rank, Then::go_on);
  }
}

void Halves::take(Sides sides) {
  sides_ = std::move(sides);
  find_gains();
}

void Halves::refine() {
  for (int pass = 0; pass < kPasses; ++pass) {
    if (!improve()) return;
  }
}

void Halves::balance() {
  unlock_all();
  for (Rank rank = 0; surplus_ != 0 && rank < sides_.size(); ++rank) push(rank);
  while (surplus_ != 0) move(best_of(surplus_ > 0 ? 0 : 1), Then::go_on);
}

void Halves::unlock_all() {
  locked_.assign(sides_.size(), false);
  for (Gains& queue : queues_) queue.reset(most_);
}

Rank Halves::best_of(std::uint8_t side) {
  return queues_[side].best(
      [&](Rank rank, Weight gain) { return !locked_[rank] && sides_[rank] == side && gain_[rank] == gain; });
}

void Halves::find_gains() {
  gain_.resize(sides_.size());
  all_.resize(sides_.size());
  cut_ = most_ = 0;
  surplus_ = -static_cast<std::int64_t>(left_);
  for (Rank rank = 0; rank < sides_.size(); ++rank) {
    if (sides_[rank] == 0) surplus_ += sized_.size[rank];
    Weight across = 0, all = 0;
    sized_.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
      across += sides_[other] != sides_[rank] ? weight : 0;
      all += weight;
    });
    gain_[rank] = 2 * across - all;
    all_[rank] = all;
    cut_ += across;
    most_ = std::max(most_, all);
  }
  cut_ /= 2;
}

void Halves::move(Rank rank, Then then) {
  cut_ -= gain_[rank];
  surplus_ += sides_[rank] == 0 ? -static_cast<std::int64_t>(sized_.size[rank]) : sized_.size[rank];
  sides_[rank] ^= 1U;
  gain_[rank] = -gain_[rank];
  sized_.graph.for_each_edge(rank, [&](Rank other, Weight weight) {
    gain_[other] += sides_[other] == sides_[rank] ? -2 * weight : 2 * weight;
    if (then == Then::go_on && !locked_[other]) push(other);
  });
}

// The better of both sides' best ranks, among those after which the sides are not off by too much.
Rank Halves::choose(std::int64_t tolerance) {
  std::array<Rank, 2> best{best_of(0), best_of(1)};
  for (std::uint8_t side = 0; side < 2; ++side) {
    if (best[side] == kNone) continue;
    const auto size = static_cast<std::int64_t>(sized_.size[best[side]]);
    const std::int64_t after = surplus_ + (side == 0 ? -size : size);
    if (std::abs(after) > std::max(tolerance, std::abs(surplus_) - 1)) best[side] = kNone;
  }
  if (best[0] == kNone || best[1] == kNone) return best[0] == kNone ? best[1] : best[0];
  if (gain_[best[0]] != gain_[best[1]]) return gain_[best[0]] > gain_[best[1]] ? best[0] : best[1];
  return surplus_ > 0 ? best[0] : best[1];
}

// One pass: each rank moves once at most; what came after the best moment is taken back.
bool Halves::improve() {
  unlock_all();
  for (Rank rank = 0; rank < sides_.size(); ++rank) {
    // Those with no edge across come in when a neighbour has moved.
    if (gain_[rank] > -all_[rank] || sides_.size() <= kPatience) push(rank);
  }
  const std::int64_t largest = sized_.largest(), tolerance = std::max(largest, kTolerance);
  // Where ranks stand for several, sides cannot be exact, and need not be yet.
  const std::int64_t good = largest > 1 ? largest : 0;
  const auto now = [&] { return std::pair(std::max<std::int64_t>(0, std::abs(surplus_) - good), cut_); };
  const auto before = now();
  auto best = before;
  std::size_t best_moves = 0;
  std::vector<Rank> moved;
  const std::size_t patience = patience_for(sides_.size());
  while (moved.size() < best_moves + patience) {
    const Rank rank = choose(tolerance);
    if (rank == kNone) break;
    locked_[rank] = true;
    move(rank, Then::go_on);
    moved.push_back(rank);
    if (now() >= best) continue;
    best = now();
    best_moves = moved.size();
  }
  for (std::size_t i = moved.size(); i-- > best_moves;) move(moved[i], Then::rest);
  return best < before;
}

}  // namespace comity::place
