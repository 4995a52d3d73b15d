// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/fit.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "place/division/largest_first.hpp"

namespace comity::place {
namespace {

constexpr std::size_t kDeepest = 8'192;  // bins times different widths: so deep calls lie in one another

class Search {
 public:
  Search(std::span<const std::uint32_t> widths, std::span<const std::uint32_t> rooms, std::size_t most_steps)
      : rooms_(rooms),
        most_steps_(most_steps),
        items_(largest_first<std::size_t>(widths)),
        bins_(largest_first<std::size_t>(rooms)) {
    std::reverse(bins_.begin(), bins_.end());  // small ones have few ways to be filled
    for (const std::size_t item : items_) {
      if (width_.empty() || width_.back() != widths[item]) {
        width_.push_back(widths[item]);
        left_.push_back(0);
      }
      ++left_.back();
    }
    slack_ = std::accumulate(rooms.begin(), rooms.end(), std::int64_t{0}) -
             std::accumulate(widths.begin(), widths.end(), std::int64_t{0});
    taken_.assign(bins_.size() * width_.size(), 0);
  }

  Fit run() {
    if (slack_ < 0) return {Fit::End::none};
    if (taken_.size() > kDeepest) return {Fit::End::gave_up};
    if (!fill_from(0)) return {gave_up_ ? Fit::End::gave_up : Fit::End::none};
    Fit fit{Fit::End::found, std::vector<Domain>(items_.size())};
    auto next = items_.begin();
    for (std::size_t kind = 0; kind < width_.size(); ++kind) {
      for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
        for (std::uint32_t i = taken_[bin * width_.size() + kind]; i > 0; --i) {
          fit.bin_of[*next++] = static_cast<Domain>(bins_[bin]);
        }
      }
    }
    return fit;
  }

 private:
  // What is left goes into the bins from this one on.
  bool fill_from(std::size_t bin) {
    if (std::ranges::all_of(left_, [](std::uint32_t left) { return left == 0; })) return true;
    if (bin == bins_.size() || gave_up_) return false;
    std::string rest(reinterpret_cast<const char*>(left_.data()), left_.size() * sizeof left_.front());
    rest.append(reinterpret_cast<const char*>(&bin), sizeof bin);
    if (hopeless_.contains(rest)) return false;
    if (fill(bin, 0, rooms_[bins_[bin]])) return true;
    if (!gave_up_) hopeless_.insert(std::move(rest));
    return false;
  }

  // Items of this kind and narrower ones into what is left of the bin.
  bool fill(std::size_t bin, std::size_t kind, std::uint32_t room) {
    if (++steps_ > most_steps_) gave_up_ = true;
    if (gave_up_) return false;
    if (kind == width_.size()) return go_on(bin, room);
    std::uint32_t& taken = taken_[bin * width_.size() + kind];
    for (std::uint32_t most = std::min(left_[kind], room / width_[kind]), i = 0; i <= most; ++i) {
      taken = most - i;
      left_[kind] -= taken;
      if (fill(bin, kind + 1, room - taken * width_[kind])) return true;
      left_[kind] += taken;
    }
    taken = 0;
    return false;
  }

  // An item that still fits may as well be here: it only leaves room elsewhere.
  bool go_on(std::size_t bin, std::uint32_t room) {
    if (room > slack_) return false;
    for (std::size_t kind = 0; kind < width_.size(); ++kind) {
      if (left_[kind] > 0 && width_[kind] <= room) return false;
    }
    slack_ -= room;
    const bool found = fill_from(bin + 1);
    slack_ += room;
    return found;
  }

  std::span<const std::uint32_t> rooms_;
  std::size_t most_steps_;
  std::vector<std::size_t> items_, bins_;  // the widest first; the smallest first
  std::vector<std::uint32_t> width_;       // of each kind
  std::vector<std::uint32_t> left_;        // of each kind
  std::vector<std::uint32_t> taken_;       // by each bin of each kind
  std::int64_t slack_ = 0;                 // room that may stay empty in the bins to come
  std::unordered_set<std::string> hopeless_;
  std::size_t steps_ = 0;
  bool gave_up_ = false;
};

}  // namespace

std::vector<Domain> tightest(std::span<const std::uint32_t> widths, std::span<const std::uint32_t> rooms) {
  std::set<std::pair<std::uint32_t, Domain>> left;  // room and bin
  for (Domain bin = 0; bin < rooms.size(); ++bin) left.emplace(rooms[bin], bin);
  std::vector<Domain> bin_of(widths.size());
  for (const std::size_t item : largest_first<std::size_t>(widths)) {
    const auto at = left.lower_bound({widths[item], 0});
    if (at == left.end()) return {};
    const auto [room, bin] = *at;
    left.erase(at);
    left.emplace(room - widths[item], bin);
    bin_of[item] = bin;
  }
  return bin_of;
}

Fit fit_of(std::span<const std::uint32_t> widths, std::span<const std::uint32_t> rooms, std::size_t most_steps) {
  if (widths.empty()) return {Fit::End::found};
  if (std::vector<Domain> found = tightest(widths, rooms); !found.empty()) return {Fit::End::found, std::move(found)};
  return Search(widths, rooms, most_steps).run();
}

}  // namespace comity::place
