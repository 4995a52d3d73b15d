// SPDX-License-Identifier: BSD-3-Clause
#include "base/glob.hpp"

#include <algorithm>
#include <cstddef>

namespace comity {
namespace {

// Where to go on after a mismatch: the last star, and how much of the text it stands for. A later star of the same kind never
// needs an earlier one to stand for more; `**` stays behind for the case that `*` meets a '/'.
struct Star {
  std::size_t pattern = std::string_view::npos;
  std::size_t text = 0;
};

struct Place {
  std::size_t pattern = 0;
  std::size_t text = 0;
};

bool give_one_more(Star& star, bool any, std::string_view text, Place& place) {
  if (star.pattern == std::string_view::npos || star.text >= text.size()) return false;
  if (!any && text[star.text] == '/') return false;
  ++star.text;
  place = {star.pattern, star.text};
  return true;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view text) noexcept {
  Star within;  // the last `*`
  Star any;     // the last `**`
  Place at;
  while (at.text < text.size() || at.pattern < pattern.size()) {
    if (at.pattern < pattern.size() && pattern[at.pattern] == '*') {
      const std::size_t end = std::min(pattern.find_first_not_of('*', at.pattern), pattern.size());
      const bool double_star = end - at.pattern > 1;
      at.pattern = end;
      (double_star ? any : within) = {at.pattern, at.text};
      if (double_star) within = {};
      continue;
    }
    const bool here = at.pattern < pattern.size() && at.text < text.size() &&
                      (pattern[at.pattern] == text[at.text] || (pattern[at.pattern] == '?' && text[at.text] != '/'));
    if (here) {
      ++at.pattern;
      ++at.text;
      continue;
    }
    if (give_one_more(within, false, text, at)) continue;
    within = {};
    if (!give_one_more(any, true, text, at)) return false;
  }
  return true;
}

}  // namespace comity
