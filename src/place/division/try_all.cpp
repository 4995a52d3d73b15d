// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/try_all.hpp"

#include <algorithm>
#include <utility>

namespace comity::place {
namespace {

constexpr Domain kNoBin = ~Domain{0};

class Trial {
 public:
  Trial(const PackingTask& task, const std::optional<PackingScore>& known)
      : task_(task),
        room_(task.rooms),
        bin_of_(task.items.size(), kNoBin),
        tie_(task.items.size(), std::vector<Weight>(room_.size(), 0)),
        tied_(task.items.size(), 0),
        borne_(room_.size(), 0) {
    if (known) best_ = *known;
    exchanged_.assign(task.items.size(), std::vector<Weight>(task.items.size(), 0));
    for (std::size_t item = 0; item < task.items.size(); ++item) {
      task.graph.for_each_edge(task.items[item], [&](Rank other, Weight weight) {
        const auto at = std::lower_bound(task.items.begin(), task.items.end(), other);
        if (at == task.items.end() || *at != other) return;
        exchanged_[item][static_cast<std::size_t>(at - task.items.begin())] += weight;
      });
    }
    choose_order();
  }

  Tried run() {
    place(0);
    Tried tried;
    if (!found_.empty()) tried.better = std::move(found_);
    tried.all = steps_ <= task_.effort;
    return tried;
  }

 private:
  [[nodiscard]] std::uint32_t width(std::size_t item) const { return task_.width[task_.items[item]]; }

  // Each next one exchanges most with those before it, the wider one of equals.
  void choose_order() {
    std::vector<Weight> inside(bin_of_.size(), 0);
    std::vector<bool> taken(bin_of_.size(), false);
    while (order_.size() < bin_of_.size()) {
      std::size_t next = bin_of_.size();
      for (std::size_t item = 0; item < bin_of_.size(); ++item) {
        if (taken[item]) continue;
        if (next == bin_of_.size() || std::pair(inside[item], width(item)) > std::pair(inside[next], width(next))) {
          next = item;
        }
      }
      taken[next] = true;
      order_.push_back(next);
      for (std::size_t item = 0; item < bin_of_.size(); ++item) inside[item] += exchanged_[next][item];
    }
    widest_left_.assign(order_.size() + 1, 0);
    for (std::size_t at = order_.size(); at-- > 0;) {
      widest_left_[at] = std::max(widest_left_[at + 1], width(order_[at]));
    }
  }

  void place(std::size_t at) {
    if (++steps_ > task_.effort) return;
    if (best_ && !may_be_better(at)) return;
    if (at == order_.size()) {
      best_ = {*std::max_element(borne_.begin(), borne_.end()), 2 * sum_};
      found_ = bin_of_;
      return;
    }
    if (*std::max_element(room_.begin(), room_.end()) < widest_left_[at]) return;
    const std::size_t item = order_[at];
    std::vector<Domain> tried;
    for (Domain bin = 0; bin < room_.size(); ++bin) {
      if (room_[bin] >= width(item) && !is_twin_of_earlier(bin)) tried.push_back(bin);
    }
    // What costs least first, so that good ones are known early.
    std::stable_sort(tried.begin(), tried.end(),
                     [&](Domain one, Domain other) { return tie_[item][one] > tie_[item][other]; });
    for (const Domain bin : tried) {
      change(item, bin, 1);
      place(at + 1);
      change(item, bin, -1);
    }
  }

  // Of what items that come later exchange with those that are there, all but what one bin has must cross.
  [[nodiscard]] bool may_be_better(std::size_t at) const {
    Weight sum = sum_;
    for (std::size_t i = at; i < order_.size(); ++i) {
      const std::vector<Weight>& tie = tie_[order_[i]];
      sum += tied_[order_[i]] - *std::max_element(tie.begin(), tie.end());
    }
    const auto bins = static_cast<Weight>(room_.size());
    const Weight worst = std::max((2 * sum + bins - 1) / bins, *std::max_element(borne_.begin(), borne_.end()));
    return PackingScore{worst, 2 * sum}.key(task_.spare) < best_->key(task_.spare);
  }

  // Of empty bins with equal room only the first is tried.
  [[nodiscard]] bool is_twin_of_earlier(Domain bin) const {
    if (room_[bin] != task_.rooms[bin]) return false;
    for (Domain earlier = 0; earlier < bin; ++earlier) {
      if (room_[earlier] == room_[bin] && task_.rooms[earlier] == task_.rooms[bin]) return true;
    }
    return false;
  }

  // sign: 1 puts it there, -1 takes it away.
  void change(std::size_t item, Domain bin, int sign) {
    const Weight crosses = sign * (tied_[item] - tie_[item][bin]);
    sum_ += crosses;
    borne_[bin] += crosses;
    room_[bin] -= static_cast<std::uint32_t>(sign) * width(item);
    bin_of_[item] = sign > 0 ? bin : kNoBin;
    for (std::size_t other = 0; other < bin_of_.size(); ++other) {
      const Weight weight = sign * exchanged_[item][other];
      if (weight == 0) continue;
      if (bin_of_[other] == kNoBin) {
        tie_[other][bin] += weight;
        tied_[other] += weight;
      } else if (bin_of_[other] != bin) {
        borne_[bin_of_[other]] += weight;
      }
    }
  }

  const PackingTask& task_;
  std::vector<std::vector<Weight>> exchanged_;  // of two items
  std::vector<std::size_t> order_;
  std::vector<std::uint32_t> widest_left_;  // from each place of the order on
  std::vector<std::uint32_t> room_;
  std::vector<Domain> bin_of_;
  std::vector<std::vector<Weight>> tie_;  // of each item that is in no bin, with each bin
  std::vector<Weight> tied_;              // of each such item, with all bins
  std::vector<Weight> borne_;
  Weight sum_ = 0;
  std::optional<PackingScore> best_;
  std::vector<Domain> found_;
  std::size_t steps_ = 0;
};

}  // namespace

Tried best_of_all(const PackingTask& task, const std::optional<PackingScore>& known) {
  if (task.items.size() > kMostItemsTried || task.rooms.size() > kMostBinsTried) return {};
  if (task.items.empty()) return {std::vector<Domain>{}, true};
  if (task.rooms.empty()) return {std::nullopt, true};
  return Trial(task, known).run();
}

}  // namespace comity::place
