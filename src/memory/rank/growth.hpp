// SPDX-License-Identifier: BSD-3-Clause
// Growth: behind which calls and in which regions a rank's memory grew, all of it and that of each component. What changes
// between two looks belongs to the call behind which the second one is taken, and to the region that its thread is in then.
// Not: when it is looked (book), who owns what (the hooks).
// Invariant: there are so many rows at the most. Where more would come those that grew least are summed up, by component, as (elsewhere): so a row
// that grows much has its own whenever it comes, and all rows together come to all that changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "memory/component.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

using RegionNumber = std::uint16_t;
using PhaseNumber = std::uint16_t;  // of wide phases of contexts, which are the process's; 0: in none

// Where a thread is in the run.
struct Position {
  RegionNumber region = 0;
  PhaseNumber phase = 0;
};

inline constexpr const char* kWholeRun = "(run)";  // the region around all

// Where the calling thread is, and what a number means. They live as long as the process. Current: asked inside malloc too.
struct RegionSource {
  RegionNumber (*current)() noexcept = []() noexcept -> RegionNumber { return 0; };
  std::function<std::string(RegionNumber)> path = [](RegionNumber) { return std::string(kWholeRun); };
  PhaseNumber (*current_phase)() noexcept = []() noexcept -> PhaseNumber { return 0; };
  std::function<std::string(PhaseNumber)> phase = [](PhaseNumber) { return std::string(); };

  [[nodiscard]] Position here() const noexcept { return {current(), current_phase()}; }
};

// The call of MPI that the calling thread is in, by a name that lives as long as the process; "": in none, or nobody knows. Asked inside
// malloc too.
struct CallSource {
  std::string_view (*current)() noexcept = []() noexcept -> std::string_view { return {}; };
};

// What there is at one moment, in bytes.
struct Standing {
  std::int64_t total = 0;  // resident, by the kernel
  std::array<std::int64_t, kMostComponents> components{};
};

class Growth {
 public:
  // What has changed since the last standing. `where`: a name that lives as long as the process. `passed`: where that is none of a call the last
  // one before, if any; what MPI's own components have got is its. By one thread at a time.
  void note(const Standing& now, std::string_view where, RegionNumber region, std::string_view passed = {}) noexcept;
  // What has changed is nobody's.
  void skip_to(const Standing& now) noexcept { last_ = now; }

  [[nodiscard]] record::Table table(const Components& components, const RegionSource& regions) const;

 private:
  static constexpr std::size_t kMostRows = 1024;            // but for those of (elsewhere): about 100 KiB
  static constexpr std::uint16_t kTotal = kMostComponents;  // stands behind the components

  struct Figures {
    std::int64_t grown = 0;
    std::int64_t shrunk = 0;
    std::int64_t times = 0;
    std::int64_t largest = 0;

    Figures& operator+=(const Figures& other);
  };
  using Key = std::tuple<std::string_view, RegionNumber, std::uint16_t>;

  void add(const Key& key, std::int64_t change);
  void fold();

  Standing last_;
  std::map<Key, Figures> rows_;
};

// A table of a record (docs/memory.md), and what it calls the process as a whole.
inline constexpr const char* kGrowthTable = "memory.growth";
inline constexpr const char* kTotalName = "total";
inline constexpr std::string_view kBetweenCalls = "(between calls)";

}  // namespace comity::memory
