// SPDX-License-Identifier: BSD-3-Clause
// Series: which figures of a sample are worth writing down. All that is resident, MPI's and the application's always are; of any other
// component what has changed by a part of itself, so that a rank with many of them fills its record no faster.
// Not: what a sample is (book), nor where it is written (record). Invariant: what was told last is right to kStep_bytes or a 128th.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "memory/component.hpp"
#include "memory/rank/book.hpp"

namespace comity::memory {

// Series of a record, a sample a tenth of a second at the most: one of all that is resident, one a component.
inline constexpr std::string_view kSeriesBegin = "memory_";
inline constexpr std::string_view kSeriesEnd = "_bytes";
[[nodiscard]] inline std::string series_name(std::string_view component) {
  return std::string(kSeriesBegin).append(component).append(kSeriesEnd);
}

enum class SampleOf : std::uint8_t { run, end };  // end: nothing follows, so all is told

class Series {
 public:
  // By one thread at a time.
  template <typename Tell>
  void note(const Sample& sample, const Components& components, SampleOf of, Tell&& tell) {
    tell(kTotalSeries, sample.total);
    for (std::size_t i = 0; i < components.count(); ++i) {
      const auto component = static_cast<Component>(i);
      const std::int64_t now = sample.components[i];
      if (!is_told(component, now, of)) continue;
      told_[i] = now;
      if (names_[i].empty()) names_[i] = series_name(components.name(component));
      tell(names_[i].c_str(), now);
    }
  }

 private:
  static constexpr std::int64_t kStep_bytes = std::int64_t{64} << 10U;

  [[nodiscard]] bool is_told(Component component, std::int64_t now, SampleOf of) const {
    if (component == Component::mpi || component == Component::application) return true;
    const auto row = static_cast<std::size_t>(component);
    if (of == SampleOf::end && !names_[row].empty()) return true;
    return std::abs(now - told_[row]) >= std::max(kStep_bytes, told_[row] / 128);
  }

  std::array<std::int64_t, kMostComponents> told_{};
  std::array<std::string, kMostComponents> names_;  // "": never told
};

}  // namespace comity::memory
