// SPDX-License-Identifier: BSD-3-Clause
// Borders: what a rank had where regions of the program begin and end, as the kernel tells it of all mappings, visit by visit: so it is seen
// how a region grew the rank over time. Looks are spaced: together they take a 500th of the run's time and kCredit_ns, and each region
// that is visited has its share of that. Of a visit both borders are looked at, or none.
// Not: how it is looked (book), which regions there are (metrics).
// Invariant: at most kMostVisits are kept. Where more were looked at, of each region every second one is, then every fourth, and so on, so
// that those that are kept lie evenly; sums are of all that were looked at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "memory/component.hpp"
#include "memory/ledger.hpp"
#include "memory/rank/growth.hpp"
#include "memory/rank/look_budget.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

// At one moment, in bytes: what all mappings have, and what each component has, as in a sample.
struct BorderLook {
  std::int64_t time_ns = 0;
  std::int64_t rss = 0;
  std::int64_t pss = 0;
  std::int64_t uss = 0;
  std::array<std::int64_t, kMostComponents> components{};
};

// Whose the border is: the regions that a thread is in, by how many are around and in it; beside them the level of MPI_Pcontrol and the run.
using BorderOf = std::uint32_t;
inline constexpr BorderOf kBorderOfRun = 0;
inline constexpr BorderOf kBorderOfLevel = UINT32_MAX;

// By one thread at a time.
class Borders {
 public:
  static constexpr std::size_t kMostVisits = 128;
  static constexpr std::int64_t kCredit_ns = 20'000'000;

  // From when on time counts.
  void start(std::int64_t now_ns) noexcept { budget_.start(now_ns); }

  // A visit of the region begins. True: its borders are to be looked at, if two looks can be paid.
  [[nodiscard]] bool visit(BorderOf whose, RegionNumber region, std::int64_t now_ns) noexcept;
  // What looks cost depends on how much is resident.
  [[nodiscard]] bool can_pay(std::int64_t now_ns, std::int64_t resident_bytes) const noexcept {
    return budget_.can_pay(now_ns, 2, resident_bytes);
  }
  // They cannot be paid: for a moment nobody asks again what a look would cost.
  void put_off(RegionNumber region, std::int64_t now_ns) noexcept;
  // What was seen there, and what that has cost of the processor.
  void begin(BorderOf whose, RegionNumber region, const BorderLook& look, std::int64_t cost_ns) noexcept;
  [[nodiscard]] bool is_open(BorderOf whose) const noexcept;
  void end(BorderOf whose, const BorderLook& look, std::int64_t cost_ns) noexcept;
  // The visit that is open there, if any, has no end.
  void drop(BorderOf whose) noexcept;
  // Between borders, where the program asks.
  void note_asked(RegionNumber region, const BorderLook& look) noexcept;

  // Whether there is more than the run as a whole.
  [[nodiscard]] bool tell_of_regions() const noexcept { return regions_looked_at_ > 0 || has_moments_; }
  // By time of the visits, those that have not ended too.
  [[nodiscard]] record::Table table(const Components& components, const RegionSource& regions) const;
  // Of each region, over all visits that were looked at; those that changed most first.
  [[nodiscard]] record::Table sums_table(const RegionSource& regions) const;

 private:
  struct Visit {
    RegionNumber region = 0;
    std::uint64_t number = 0;  // of the region's visits, from 1 on
    std::uint64_t looked = 0;  // of those that were looked at, from 0 on
    BorderLook begin;
    std::optional<BorderLook> end;  // none: it lasts, or was one moment
    bool is_moment = false;
  };
  struct Open {
    BorderOf whose = kBorderOfRun;
    Visit visit;
    std::int64_t cost_ns = 0;
  };
  struct OfRegion {
    std::uint64_t visits = 0;
    std::uint64_t looked = 0;  // begun
    std::uint64_t ended = 0;   // and ended: what the sums below are of
    std::int64_t due_ns = 0;
    std::int64_t first_pss = 0;
    std::int64_t most_pss = 0;
    std::int64_t last_rss = 0;
    std::int64_t last_pss = 0;
    std::int64_t last_uss = 0;
    std::int64_t changed_pss = 0;
    std::int64_t changed_mpi = 0;
    std::int64_t changed_application = 0;
  };

  [[nodiscard]] OfRegion& of(RegionNumber region);
  static void add_look(OfRegion& region, const BorderLook& look);
  void keep(const Visit& visit);
  void thin();
  [[nodiscard]] std::vector<const Visit*> visits_by_time() const;
  [[nodiscard]] std::vector<Component> components_in(const std::vector<const Visit*>& visits,
                                                     const Components& components) const;

  LookBudget budget_{kPartOfTime, kCredit_ns};
  std::uint64_t kept_one_of_ = 1;
  std::int64_t regions_looked_at_ = 0;
  bool has_moments_ = false;
  std::vector<OfRegion> regions_;  // by number
  std::vector<Open> open_;
  std::vector<Visit> visits_;
};

// Tables of a record (docs/memory.md).
inline constexpr const char* kBordersTable = "memory.borders";
inline constexpr const char* kRegionSumsTable = "memory.regions";

// Of kBordersTable: where a region begins and ends, and where the program asks in between.
inline constexpr const char* kBeginBorder = "begin";
inline constexpr const char* kEndBorder = "end";
inline constexpr const char* kAskedBorder = "asked for";

// What a component has at a border: a column of kBordersTable.
inline constexpr std::string_view kBorderColumnBegin = "components_";
inline constexpr std::string_view kBorderColumnEnd = "_bytes";

}  // namespace comity::memory
