// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/packing.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "place/division/first_fit.hpp"
#include "place/division/fit.hpp"
#include "place/division/try_all.hpp"

namespace comity::place {
namespace {

using Bins = std::vector<Domain>;  // of each item

constexpr Domain kNoBin = ~Domain{0};
constexpr std::size_t kNoItem = ~std::size_t{0};
constexpr std::size_t kMostStarts = 5;     // first packings
constexpr std::size_t kMostGrown = 4096;   // items: growing looks at all of them for each
constexpr std::size_t kPassedAStep = 64;   // items of a bin that are passed over while one is looked for
constexpr std::size_t kFitStepsAStep = 7;  // looking for any packing takes as much less a step

class Packer {
 public:
  explicit Packer(const PackingTask& task)
      : task_(task), graph_(task.graph), items_(task.items), rooms_(task.rooms), spare_(task.spare) {
    item_of_.assign(graph_.ranks(), kNoItem);
    for (std::size_t item = 0; item < items_.size(); ++item) item_of_[items_[item]] = item;
    widths_.reserve(items_.size());
    for (const Rank rank : items_) widths_.push_back(task.width[rank]);
  }

  Packing pack() {
    for (const Bins& start : {in_order(), tightest(widths_, rooms_), grown(false), grown(true)}) {
      if (start.empty() && !items_.empty()) continue;
      offer(improved(start));
    }
    bool none = false;
    if (!best_) none = search();
    Tried tried = none ? Tried{} : best_of_all(task_, best_ ? std::optional(best_score_) : std::nullopt);
    if (tried.better) offer(*std::move(tried.better));
    return {std::move(best_), best_score_, none || tried.all};
  }

 private:
  [[nodiscard]] std::uint32_t width(std::size_t item) const { return widths_[item]; }

  template <typename Visit>
  void for_each_neighbour(std::size_t item, Visit&& visit) const {
    graph_.for_each_edge(items_[item], [&](Rank other, Weight weight) {
      if (item_of_[other] != kNoItem) visit(item_of_[other], weight);
    });
  }

  // Any packing at all; true where there is none.
  bool search() {
    Fit fit = task_.fit != nullptr ? *task_.fit : fit_of(widths_, rooms_, kFitStepsAStep * task_.effort);
    if (fit.end == Fit::End::found) offer(improved(std::move(fit.bin_of)));
    return fit.end == Fit::End::none;
  }

  // ---- first packings; empty: it did not come out

  // Each into the first bin that has room.
  [[nodiscard]] Bins in_order() const {
    Bins bins;
    bins.reserve(items_.size());
    FirstFit rooms(rooms_);
    for (const std::uint32_t width : widths_) {
      const std::optional<Domain> bin = rooms.put(width);
      if (!bin) return {};
      bins.push_back(*bin);
    }
    return bins;
  }

  // Bin after bin: from the first item that is left the one that exchanges most with the bin, of equals the one with
  // least elsewhere.
  [[nodiscard]] Bins grown(bool from_the_widest) const {
    if (items_.size() > kMostGrown || items_.size() * items_.size() > task_.most_steps) return {};
    Bins bins(items_.size(), kNoBin);
    std::vector<std::uint32_t> room = rooms_;
    for (Domain bin = 0; bin < room.size(); ++bin) {
      std::vector<Weight> inside(items_.size(), 0);
      bool is_first = true;
      while (true) {
        const std::size_t next = next_to_grow(bins, inside, room[bin], is_first && from_the_widest);
        if (next == kNoItem) break;
        put(next, bin, bins, room);
        for_each_neighbour(next, [&](std::size_t other, Weight weight) { inside[other] += weight; });
        is_first = false;
      }
    }
    if (std::find(bins.begin(), bins.end(), kNoBin) != bins.end()) return {};
    return bins;
  }

  [[nodiscard]] std::size_t next_to_grow(const Bins& bins, const std::vector<Weight>& inside, std::uint32_t room,
                                         bool widest) const {
    std::size_t best = kNoItem;
    std::tuple<std::uint32_t, Weight, Weight> best_key{};
    for (std::size_t item = 0; item < items_.size(); ++item) {
      if (bins[item] != kNoBin || width(item) > room) continue;
      const std::tuple key{widest ? width(item) : 0, inside[item], inside[item] - left_outside(item, bins)};
      if (best == kNoItem || key > best_key) {
        best = item;
        best_key = key;
      }
    }
    return best;
  }

  [[nodiscard]] Weight left_outside(std::size_t item, const Bins& bins) const {
    Weight weight = 0;
    for_each_neighbour(item, [&](std::size_t other, Weight each) { weight += bins[other] == kNoBin ? each : 0; });
    return weight;
  }

  void put(std::size_t item, Domain bin, Bins& bins, std::vector<std::uint32_t>& room) const {
    if (room[bin] < width(item)) return;
    room[bin] -= width(item);
    bins[item] = bin;
  }

  // ---- moves and swaps

  Bins improved(Bins bins) {
    measure(bins);
    begun_at_ = steps_;
    bool better = true;
    while (better && steps_ < task_.most_steps) {
      better = false;
      for (std::size_t item = 0; item < items_.size() && steps_ < task_.most_steps; ++item) {
        tell();
        better |= improve(item, bins);
      }
    }
    ++improved_;
    tell_at_ = 0;
    return bins;
  }

  // Of what one first packing may take; each may take all that those before it have left.
  void tell() {
    if (task_.portions == nullptr || steps_ < tell_at_) return;
    const std::size_t most = task_.most_steps - begun_at_;
    (*task_.portions)(improved_ * kHundred + (steps_ - begun_at_) * kHundred / most, kMostStarts * kHundred);
    tell_at_ = steps_ + most / kHundred + 1;
  }

  void measure(const Bins& bins) {
    room_ = rooms_;
    borne_.assign(rooms_.size(), 0);
    most_borne_ = {};
    in_bin_.assign(rooms_.size(), {});
    for (std::size_t item = 0; item < items_.size(); ++item) {
      room_[bins[item]] -= width(item);
      in_bin_[bins[item]].push_back(item);
      for_each_neighbour(item, [&](std::size_t other, Weight weight) {
        if (bins[other] != bins[item]) borne_[bins[item]] += weight;
      });
    }
    for (Domain bin = 0; bin < borne_.size(); ++bin) most_borne_.emplace(borne_[bin], bin);
  }

  // Towards the bins of its neighbours: into free room, or for one that is there.
  bool improve(std::size_t item, Bins& bins) {
    std::vector<Domain> targets;
    for_each_neighbour(item, [&](std::size_t other, Weight) {
      if (bins[other] != bins[item]) targets.push_back(bins[other]);
    });
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    for (const Domain target : targets) {
      if (try_move(item, target, bins)) return true;
      for (const std::size_t other : in_bin_[target]) {
        if (try_swap(item, other, bins)) return true;
      }
    }
    return false;
  }

  // What an item exchanges with two bins, and with all others.
  struct Ties {
    Weight own = 0, target = 0, rest = 0;
  };

  Ties ties(std::size_t item, Domain own, Domain target, const Bins& bins) {
    Ties result;
    for_each_neighbour(item, [&](std::size_t other, Weight weight) {
      ++steps_;
      (bins[other] == own ? result.own : bins[other] == target ? result.target : result.rest) += weight;
    });
    return result;
  }

  bool try_move(std::size_t item, Domain target, Bins& bins) {
    if (room_[target] < width(item)) return false;
    const Domain own = bins[item];
    const Ties its = ties(item, own, target, bins);
    if (!accept(own, target, its.own - its.target - its.rest, its.own + its.rest - its.target)) return false;
    change(item, target, bins);
    return true;
  }

  bool try_swap(std::size_t item, std::size_t other, Bins& bins) {
    const Domain own = bins[item], target = bins[other];
    if (room_[target] + width(other) < width(item) || room_[own] + width(item) < width(other)) return false;
    const Ties its = ties(item, own, target, bins), others = ties(other, target, own, bins);
    Weight between = 0;
    for_each_neighbour(item, [&](std::size_t one, Weight weight) { between += one == other ? weight : 0; });
    const Weight own_more = its.own - its.target - its.rest + others.own + others.rest - others.target + 2 * between;
    const Weight target_more = its.own + its.rest - its.target + others.own - others.target - others.rest + 2 * between;
    if (!accept(own, target, own_more, target_more)) return false;
    change(item, target, bins);
    change(other, own, bins);
    return true;
  }

  // By what both bins bear more; nothing changes at the others but who bears the other end.
  bool accept(Domain own, Domain target, Weight own_more, Weight target_more) {
    const Weight before = std::max(borne_[own], borne_[target]);
    const Weight after = std::max(borne_[own] + own_more, borne_[target] + target_more);
    const Weight more = own_more + target_more;
    const bool better = spare_ == Spare::sum ? more < 0 || (more == 0 && after < before)
                                             : (after < before && more <= 0) || (after <= before && more < 0) ||
                                                   (after < before && before == largest());
    if (!better) return false;
    bear(own, own_more);
    bear(target, target_more);
    return true;
  }

  void bear(Domain bin, Weight more) {
    borne_[bin] += more;
    most_borne_.emplace(borne_[bin], bin);
  }

  // What bins no longer bear is dropped as it is met.
  [[nodiscard]] Weight largest() {
    while (most_borne_.top().first != borne_[most_borne_.top().second]) most_borne_.pop();
    return most_borne_.top().first;
  }

  void change(std::size_t item, Domain target, Bins& bins) {
    steps_ += in_bin_[bins[item]].size() / kPassedAStep;
    std::erase(in_bin_[bins[item]], item);
    room_[bins[item]] += width(item);
    bins[item] = target;
    room_[target] -= width(item);
    in_bin_[target].push_back(item);
  }

  // ---- the best

  void offer(Bins bins) {
    measure(bins);
    PackingScore score{borne_.empty() ? 0 : largest(), 0};
    for (const Weight weight : borne_) score.sum += weight;
    if (best_ && score.key(spare_) >= best_score_.key(spare_)) return;
    best_ = std::move(bins);
    best_score_ = score;
  }

  const PackingTask& task_;
  const Graph& graph_;
  const std::vector<Rank>& items_;
  const std::vector<std::uint32_t>& rooms_;
  Spare spare_;
  std::vector<std::size_t> item_of_;                           // of each rank
  std::vector<std::uint32_t> widths_;                          // of each item
  std::vector<std::uint32_t> room_;                            // left, of each bin
  std::vector<Weight> borne_;                                  // by each bin: what crosses its border
  std::priority_queue<std::pair<Weight, Domain>> most_borne_;  // of each bin what it bears, beside what it bore once
  std::vector<std::vector<std::size_t>> in_bin_;
  std::size_t steps_ = 0;
  std::size_t begun_at_ = 0;  // steps, when the first packing that is improved now had its turn
  std::size_t improved_ = 0;  // first packings
  std::size_t tell_at_ = 0;   // steps
  std::optional<Bins> best_;
  PackingScore best_score_;
};

}  // namespace

Packing packed(const PackingTask& task) { return Packer(task).pack(); }

}  // namespace comity::place
