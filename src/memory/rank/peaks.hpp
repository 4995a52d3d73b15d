// SPDX-License-Identifier: BSD-3-Clause
// Peaks: the most that each component, and all of a rank, was ever seen to have: when, behind which call, in which region and wide phase. One that
// lies between two looks has the moment at which the hooks found it, because something was about to go; where they did not, the call
// behind which the second look is taken. Not: how much it was at the most (book).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "memory/component.hpp"
#include "memory/rank/growth.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// A table of a record (docs/memory.md).
inline constexpr const char* kPeaksTable = "memory.peaks";

// Between which two looks the kernel's mark of the most that was ever resident has risen for the last time. A table of a record.
inline constexpr const char* kRiseTable = "memory.high_water";

// Whether what was told as `told_bytes` has risen by so much that it is told anew: who grows for ever tells of it a few hundred times.
[[nodiscard]] constexpr bool is_news(std::int64_t bytes, std::int64_t told_bytes) noexcept {
  constexpr std::int64_t kLittle_bytes = std::int64_t{64} << 10U;
  return bytes > told_bytes + std::max(kLittle_bytes, told_bytes / 128);
}

class Rise {
 public:
  // Behind each look. By one thread at a time.
  void note(std::int64_t high_water, std::int64_t now_ns, std::string_view where, Position position) noexcept {
    if (high_water > high_water_) {
      high_water_ = high_water;
      after_ns_ = last_ns_;
      before_ns_ = now_ns;
      where_ = where;
      position_ = position;
    }
    last_ns_ = now_ns;
  }

  // A peak that came and went between two looks has raised the mark alone.
  [[nodiscard]] bool has_news() const noexcept { return is_news(high_water_, told_); }
  void note_told() noexcept { told_ = high_water_; }

  // `untold`: of the most that a look saw, what no component was known to have.
  [[nodiscard]] record::Table table(const RegionSource& regions, std::int64_t untold) const {
    using record::ColumnKind;
    record::Table table(kRiseTable,
                        {{"high_water_bytes", ColumnKind::integer},
                         {"after_ns", ColumnKind::integer},
                         {"before_ns", ColumnKind::integer},
                         {"where", ColumnKind::text},
                         {"region", ColumnKind::text},
                         {"phase", ColumnKind::text},
                         {"last_ns", ColumnKind::integer},
                         {"untold_bytes", ColumnKind::integer}},
                        record::Summarise::no);
    if (high_water_ > 0)
      table.add_row({high_water_, after_ns_, before_ns_, std::string(where_), regions.path(position_.region),
                     regions.phase(position_.phase), last_ns_, untold});
    return table;
  }

 private:
  std::int64_t high_water_ = 0;
  std::int64_t told_ = 0;
  std::int64_t last_ns_ = 0;   // of the last look
  std::int64_t after_ns_ = 0;  // of the last one with an older mark; 0: none had been
  std::int64_t before_ns_ = 0;
  std::string_view where_;
  Position position_;
};

class Peaks {
 public:
  using Bytes = std::array<std::int64_t, kMostComponents>;

  // Behind a look. `most`: of each component, up to now. `where`: a name that lives as long as the process. By one thread at a time.
  void note(std::int64_t total, const Bytes& most, std::int64_t now_ns, std::string_view where, Position position,
            std::int64_t untold) noexcept {
    note_components(most, now_ns, where, position);
    note_total(total, now_ns, where, position, untold);
  }
  // `untold`: of all that is resident what no component is known to have. Of moments at which there was as much, but for a hundredth, the one at which
  // most is known of it counts.
  void note_total(std::int64_t total, std::int64_t now_ns, std::string_view where, Position position,
                  std::int64_t untold) noexcept {
    Peak& peak = peaks_[kTotal];
    raise(peak, {total, now_ns, where, position, untold});
    know_better(peak, total, untold);
  }
  void note_components(const Bytes& most, std::int64_t now_ns, std::string_view where, Position position) noexcept {
    for (std::size_t i = 0; i < most.size(); ++i) raise(peaks_[i], {most[i], now_ns, where, position});
  }
  // What was noted before lacks so much, which nobody knew then; `limit`: what all had at the most until now.
  void lift(const Bytes& more, std::int64_t limit) noexcept {
    for (std::size_t i = 0; i < more.size(); ++i) {
      Peak& peak = peaks_[i];
      if (peak.bytes == 0) continue;
      const std::int64_t lifted = std::max(peak.bytes, std::min(peak.bytes + more[i], limit)) - peak.bytes;
      peak.bytes += lifted;
      peak.at_bytes += lifted;  // its moment lacked as much
    }
  }
  // Of the most of all that was seen.
  [[nodiscard]] std::int64_t untold() const noexcept { return peaks_[kTotal].untold; }
  [[nodiscard]] std::int64_t most_of(Component component) const noexcept {
    return peaks_[static_cast<std::size_t>(component)].bytes;
  }

  // One that was found between looks, before the second one is noted. Where it is hardly more than what was seen before, that was it.
  // `place`: a component's number, or kTotal.
  struct Found {
    std::int64_t bytes = 0;
    std::int64_t time_ns = 0;
    std::string_view where;
    Position position;
    std::int64_t untold = 0;
  };
  static constexpr std::size_t kTotal = kMostComponents;  // stands behind the components
  void note_found(std::size_t place, const Found& found) noexcept {
    Peak& peak = peaks_[place];
    if (is_news(found.bytes, peak.bytes))
      raise(peak, {found.bytes, found.time_ns, found.where, found.position, found.untold});
    know_better(peak, found.bytes, found.untold);
  }

  // Whether one has risen by a part of itself since it was told.
  [[nodiscard]] bool has_news() const noexcept { return has_news_; }
  void note_told() noexcept {
    for (Peak& peak : peaks_) peak.told = peak.bytes;
    has_news_ = false;
  }

  [[nodiscard]] record::Table table(const Components& components, const RegionSource& regions) const {
    using record::ColumnKind;
    record::Table table(kPeaksTable,
                        {{"component", ColumnKind::text},
                         {"where", ColumnKind::text},
                         {"region", ColumnKind::text},
                         {"seen_bytes", ColumnKind::integer},
                         {"time_ns", ColumnKind::integer},
                         {"phase", ColumnKind::text}},
                        record::Summarise::no);
    for (std::size_t i = 0; i < peaks_.size(); ++i) {
      const Peak& peak = peaks_[i];
      if (peak.bytes == 0 || !is_told(i)) continue;
      const auto component = static_cast<Component>(i);
      table.add_row({std::string(i == kTotal ? kTotalName : components.name(component)), std::string(peak.where),
                     regions.path(peak.position.region), peak.bytes, peak.time_ns, regions.phase(peak.position.phase)});
    }
    return table;
  }

 private:
  // A record may have little room: those that are much of all, and the two that a user looks for.
  [[nodiscard]] bool is_told(std::size_t place) const noexcept {
    constexpr std::int64_t kLeast_bytes = std::int64_t{64} << 10U;
    constexpr std::int64_t kPart = 64;
    const bool is_always = place == kTotal || place == static_cast<std::size_t>(Component::mpi) ||
                           place == static_cast<std::size_t>(Component::application);
    return is_always || peaks_[place].bytes >= std::max(kLeast_bytes, peaks_[kTotal].bytes / kPart);
  }

  struct Peak {
    std::int64_t bytes = 0;
    std::int64_t time_ns = 0;  // when there were at_bytes
    std::string_view where;
    Position position;
    std::int64_t untold = 0;
    std::int64_t told = 0;
    std::int64_t at_bytes = 0;
  };

  static void know_better(Peak& peak, std::int64_t bytes, std::int64_t untold) noexcept {
    if (bytes >= peak.bytes - peak.bytes / 100) peak.untold = std::min(peak.untold, untold);
  }

  // A little more later on has not moved it.
  void raise(Peak& peak, const Peak& now) noexcept {
    if (now.bytes <= peak.bytes) return;
    const std::int64_t told = peak.told;
    if (is_news(now.bytes, peak.at_bytes)) {
      peak = now;
      peak.at_bytes = now.bytes;
      peak.told = told;
    }
    peak.bytes = now.bytes;
    if (is_news(now.bytes, told)) has_news_ = true;
  }

  std::array<Peak, kMostComponents + 1> peaks_{};
  bool has_news_ = false;
};

}  // namespace comity::memory
