// SPDX-License-Identifier: BSD-3-Clause
#include "base/spelling.hpp"

#include <algorithm>
#include <vector>

namespace comity {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

namespace {

// Whether the parts between underscores are some of the name's, in its order; at least two of them.
bool is_shortened(std::string_view word, std::string_view name) {
  if (word.find('_') == std::string_view::npos) return false;
  while (!word.empty()) {
    const std::string_view part = word.substr(0, word.find('_'));
    while (name.substr(0, name.find('_')) != part) {
      if (name.find('_') == std::string_view::npos) return false;
      name.remove_prefix(name.find('_') + 1);
    }
    word.remove_prefix(std::min(part.size() + 1, word.size()));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
  }
  return true;
}

}  // namespace

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> known) {
  const auto continues = [&](std::string_view name) { return word.size() > 2 && name.starts_with(word); };
  if (const auto longer = std::find_if(known.begin(), known.end(), continues); longer != known.end()) return *longer;
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view name : known) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  if (!best.empty()) return best;
  const auto longer = std::ranges::find_if(known, [&](std::string_view name) { return is_shortened(word, name); });
  return longer == known.end() ? std::string_view() : *longer;
}

}  // namespace comity
