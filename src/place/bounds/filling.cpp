// SPDX-License-Identifier: BSD-3-Clause
#include "place/bounds/filling.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>

namespace comity::place {
namespace {

constexpr double kMostEffort = 5e7;                // of all surfaces
constexpr std::size_t kMostCombined = 20'000'000;  // domains times cells times cells of a domain
constexpr double kApart = 1.1;                     // cells of one surface and of the next, where not all are looked at

// No domain bears less a cell than the best number of cells that it may hold: rate[n] is that of up to n cells.
using Rates = std::vector<double>;

Rates rates_of(const std::vector<Weight>& surface) {
  Rates rates(surface.size(), std::numeric_limits<double>::infinity());
  for (std::size_t cells = 1; cells < surface.size(); ++cells) {
    rates[cells] = std::min(rates[cells - 1], static_cast<double>(surface[cells]) / static_cast<double>(cells));
  }
  return rates;
}

// Of sets that are not looked at, the next smaller one that is says enough.
Rates sampled_rates(std::size_t largest, const Surfaces& surfaces) {
  Rates rates(largest + 1, std::numeric_limits<double>::infinity());
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t low = 1; low <= largest;) {
    const std::size_t next = std::max(low + 1, static_cast<std::size_t>(static_cast<double>(low) * kApart));
    const auto least = static_cast<double>(surfaces.least(low));
    for (std::size_t cells = low; cells < next && cells <= largest; ++cells) {
      best = std::min(best, least / static_cast<double>(cells));
      rates[cells] = best;
    }
    low = next;
  }
  return rates;
}

// The domains with the lowest rate, full.
Weight least_by_rates(std::vector<std::size_t> most, std::size_t cells, const Rates& rates) {
  std::sort(most.rbegin(), most.rend());
  double all = 0;
  for (const std::size_t one : most) {
    const std::size_t taken = std::min(one, cells);
    if (taken == 0) break;
    all += rates[one] * static_cast<double>(taken);
    cells -= taken;
  }
  return static_cast<Weight>(std::ceil(all * (1 - 1e-12) - 1e-9));
}

// The best numbers of cells, domain after domain.
Weight least_combined(const std::vector<std::size_t>& most, std::size_t cells, const std::vector<Weight>& surface) {
  constexpr Weight kNever = std::numeric_limits<Weight>::max() / 2;
  std::vector<Weight> least(cells + 1, kNever), next(cells + 1);
  least[0] = 0;
  std::size_t room = 0;
  for (const std::size_t one : most) {
    room = std::min(cells, room + one);
    for (std::size_t all = 0; all <= room; ++all) {
      next[all] = kNever;
      for (std::size_t own = 0; own <= std::min(one, all); ++own) {
        next[all] = std::min(next[all], least[all - own] + surface[own]);
      }
    }
    std::copy(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(room) + 1, least.begin());
  }
  return least[cells] >= kNever ? 0 : least[cells];
}

Weight least_of_full(std::span<const std::size_t> most, const Surfaces& surfaces) {
  std::map<std::size_t, Weight> by_size;
  Weight total = 0;
  for (const std::size_t one : most) {
    if (one == 0) continue;
    const auto [at, fresh] = by_size.try_emplace(one, 0);
    if (fresh) at->second = surfaces.least(one);
    total += at->second;
  }
  return total;
}

}  // namespace

MostRanks most_ranks(const Site& site) {
  MostRanks most;
  for (const Level& level : site.levels()) most.push_back(level.sizes());
  return most;
}

MostRanks most_ranks(const Site& cores, std::span<const std::uint32_t> threads) {
  std::vector<std::uint32_t> narrowest(threads.begin(), threads.end());
  std::sort(narrowest.begin(), narrowest.end());
  std::vector<std::size_t> ends{0};  // cores of so many of the narrowest ranks
  for (const std::uint32_t width : narrowest) ends.push_back(ends.back() + width);
  const auto fit = [&](std::size_t room) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), room) - ends.begin()) - 1;
  };
  MostRanks most = most_ranks(cores);
  for (std::size_t level = 0; level < most.size(); ++level) {
    for (std::size_t& one : most[level]) {
      one = level <= cores.node_level() ? fit(one) : std::min(threads.size(), fit(one - 1) + 1);
    }
  }
  return most;
}

Weight least_filled(std::span<const std::size_t> most, std::size_t cells, const Surfaces& surfaces) {
  if (std::accumulate(most.begin(), most.end(), std::size_t{0}) == cells) return least_of_full(most, surfaces);
  std::vector<std::size_t> capped;
  for (const std::size_t one : most) capped.push_back(std::min(one, cells));
  const std::size_t largest = *std::max_element(capped.begin(), capped.end());
  if (static_cast<double>(largest) * surfaces.effort > kMostEffort) {
    return surfaces.monotone ? least_by_rates(std::move(capped), cells, sampled_rates(largest, surfaces)) : 0;
  }
  std::vector<Weight> surface(largest + 1, 0);
  for (std::size_t own = 1; own <= largest; ++own) surface[own] = surfaces.least(own);
  if (capped.size() <= kMostCombined / (cells + 1) / (largest + 1)) return least_combined(capped, cells, surface);
  return least_by_rates(std::move(capped), cells, rates_of(surface));
}

}  // namespace comity::place
