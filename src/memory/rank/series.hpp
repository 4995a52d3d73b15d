// SPDX-License-Identifier: BSD-3-Clause
// Series: which figures of a sample are worth writing down. All that is resident, MPI's and the application's always are; of any other
// component, and of the size of all mappings, what has changed by a part of itself, so that a rank with many of them fills its record no faster.
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

// As a component's: what none is known to have.
inline constexpr const char* kUntoldSeries = "memory_not_told_bytes";
// Beside them the size of all mappings, resident or not, which is no component's either.
inline constexpr const char* kVirtualName = "virtual";
inline constexpr const char* kVirtualSeries = "memory_virtual_bytes";

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
    note_one_of_all(untold_, kUntoldSeries, sample.untold, of, tell);
    note_one_of_all(virtual_, kVirtualSeries, sample.virtual_bytes, of, tell);
  }

 private:
  static constexpr std::int64_t kStep_bytes = std::int64_t{64} << 10U;

  [[nodiscard]] bool is_told(Component component, std::int64_t now, SampleOf of) const {
    if (component == Component::mpi || component == Component::application) return true;
    const auto row = static_cast<std::size_t>(component);
    return (of == SampleOf::end && !names_[row].empty()) || has_changed(told_[row], now);
  }
  [[nodiscard]] static bool has_changed(std::int64_t told, std::int64_t now) {
    return std::abs(now - told) >= std::max(kStep_bytes, told / 128);
  }

  // Of the process as a whole.
  struct OneOfAll {
    std::int64_t told = 0;
    bool was_told = false;
  };

  template <typename Tell>
  static void note_one_of_all(OneOfAll& one, const char* series, std::int64_t now, SampleOf of, Tell&& tell) {
    const bool is_at_end = of == SampleOf::end && one.was_told;
    if (!is_at_end && !has_changed(one.told, now)) return;
    one = {now, true};
    tell(series, now);
  }

  std::array<std::int64_t, kMostComponents> told_{};
  std::array<std::string, kMostComponents> names_;  // "": never told
  OneOfAll untold_;
  OneOfAll virtual_;
};

}  // namespace comity::memory
