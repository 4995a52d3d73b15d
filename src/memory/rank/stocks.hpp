// SPDX-License-Identifier: BSD-3-Clause
// Stocks: what all pages of this process were at some moments of its run, by component: as the kernel tells them, and with
// what the hooks know of owners. Not: what changes between two moments (book).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "memory/attribution.hpp"
#include "memory/component.hpp"
#include "memory/ledger.hpp"
#include "memory/look.hpp"
#include "memory/nearness.hpp"
#include "os/memory/totals.hpp"
#include "record/format/table.hpp"

namespace comity::memory {

enum class Moment : std::uint8_t { at_load, before_init, after_init, asked, at_end, at_abort, at_exit };
inline constexpr std::array<std::string_view, 7> kMomentNames{
    "at load", "before MPI_Init", "after MPI_Init", "asked for", "at the end", "at MPI_Abort", "at exit"};
[[nodiscard]] constexpr bool is_last(Moment moment) { return moment >= Moment::at_end; }

// Of a rank that is still at work, or was killed: without what only a look at all pages tells.
inline constexpr std::string_view kLastMoment = "last told";

// What is told of one moment.
struct Stock {
  Moment moment = Moment::asked;
  os::Totals totals;
  std::optional<os::NodeTotals> node;  // what its node had; none: nobody told
  std::optional<Attribution> attribution;
  std::array<std::int64_t, kMostComponents> in_ledger{};  // resident, as the hooks have it
  std::vector<CpuSet> thread_cpus;  // that each thread might use; none where there is one NUMA node

  [[nodiscard]] std::int64_t resident_bytes(Component component) const;  // 0 where nobody could tell
  [[nodiscard]] CpuSet cpus() const;                                     // that any thread might use
  // Of a component what the hooks do not know of, by its share. What they know of is told by both: whole by them, by its share by the kernel.
  [[nodiscard]] std::int64_t beside_bytes(Component component) const;
  // What the hooks do not know of, and is not in malloc's heaps either: there small blocks come and go.
  [[nodiscard]] std::int64_t beside_bytes() const;
};

// What is told of a component at a moment, by name.
struct UseColumn {
  const char* name;
  std::uint64_t (*bytes)(const ComponentUse& of);
};
inline constexpr std::array kUseColumns{
    UseColumn{"rss_bytes", [](const ComponentUse& of) { return of.use.rss; }},
    UseColumn{"pss_bytes", [](const ComponentUse& of) { return of.use.pss; }},
    UseColumn{"uss_bytes", [](const ComponentUse& of) { return of.use.uss(); }},
    UseColumn{"shared_clean_bytes", [](const ComponentUse& of) { return of.use.shared_clean; }},
    UseColumn{"shared_dirty_bytes", [](const ComponentUse& of) { return of.use.shared_dirty; }},
    UseColumn{"swap_bytes", [](const ComponentUse& of) { return of.use.swap; }},
    UseColumn{"locked_bytes", [](const ComponentUse& of) { return of.use.locked; }},
    UseColumn{"huge_bytes", [](const ComponentUse& of) { return of.use.huge(); }},
    UseColumn{"hugetlb_bytes", [](const ComponentUse& of) { return of.use.hugetlb(); }},
    UseColumn{"virtual_bytes", [](const ComponentUse& of) { return of.virtual_bytes; }}};

// What is told of the whole node at a moment, by name.
struct NodeColumn {
  const char* name;
  std::uint64_t os::NodeTotals::*bytes;
};
inline constexpr std::array kNodeColumns{NodeColumn{"total_bytes", &os::NodeTotals::total},
                                         NodeColumn{"free_bytes", &os::NodeTotals::free},
                                         NodeColumn{"available_bytes", &os::NodeTotals::available},
                                         NodeColumn{"buffers_bytes", &os::NodeTotals::buffers},
                                         NodeColumn{"cached_bytes", &os::NodeTotals::cached},
                                         NodeColumn{"swap_cached_bytes", &os::NodeTotals::swap_cached},
                                         NodeColumn{"active_bytes", &os::NodeTotals::active},
                                         NodeColumn{"inactive_bytes", &os::NodeTotals::inactive},
                                         NodeColumn{"swap_total_bytes", &os::NodeTotals::swap_total},
                                         NodeColumn{"swap_free_bytes", &os::NodeTotals::swap_free},
                                         NodeColumn{"dirty_bytes", &os::NodeTotals::dirty},
                                         NodeColumn{"shared_bytes", &os::NodeTotals::shared},
                                         NodeColumn{"page_table_bytes", &os::NodeTotals::page_tables},
                                         NodeColumn{"commit_limit_bytes", &os::NodeTotals::commit_limit},
                                         NodeColumn{"committed_bytes", &os::NodeTotals::committed},
                                         NodeColumn{"hugetlb_bytes", &os::NodeTotals::hugetlb}};
static_assert(kNodeColumns.size() == os::kNodeFields.size());

enum class Looks : std::uint8_t { all, last };

// Of a machine with several NUMA nodes a column each, by the kernel's number.
[[nodiscard]] inline std::string node_column(int node) { return "node" + std::to_string(node) + "_bytes"; }

class Stocks {
 public:
  // `components` and `ledger` must outlive it. Takes the totals of the first moment. Throws where /proc is missing.
  Stocks(const Components& components, const Ledger* ledger);

  // The first moment of all, when the process was loaded: before anything is taken.
  void begin_with(const os::Statm& at_load);
  // Milliseconds, more for a large process. By one thread at a time.
  const Stock& take(Moment moment);
  // In their order; of those that were asked for the last one.
  [[nodiscard]] std::span<const Stock> all() const { return stocks_; }
  [[nodiscard]] os::Totals totals_now() const { return looker_.totals().value_or(os::Totals{}); }
  // Of all mappings: milliseconds, more for a large process. Throws where they may not be read.
  [[nodiscard]] os::PageUse mapped_now() const { return looker_.mapped().value_or(os::PageUse{}); }

  [[nodiscard]] record::Table totals_table() const;
  [[nodiscard]] record::Table node_table() const;  // of all memory of the node, at each moment but the first
  [[nodiscard]] record::Table uses_table(
      Looks looks = Looks::all) const;                 // of components, at moments with a look at all pages
  [[nodiscard]] record::Table segments_table() const;  // as of the last one, those with most, and the others summed up
  [[nodiscard]] record::Table nearness_table() const;  // as of the last one
  [[nodiscard]] record::Table numa_table() const;      // the same: on which NUMA nodes the threads might run

 private:
  [[nodiscard]] const Stock* last_look() const;  // null: nobody has looked at all pages
  [[nodiscard]] std::optional<Ownership> ownership() const;
  [[nodiscard]] std::optional<Attribution> settled_attribution(const Ownership* owns);

  const Components& components_;
  const Ledger* ledger_;
  NodeCpus nodes_;
  Looker looker_;
  std::vector<Stock> stocks_;
};

// Tables of a record (docs/memory.md).
inline constexpr const char* kTotalsTable = "memory.totals";
inline constexpr const char* kNodeTable = "memory.node";
inline constexpr const char* kUsesTable = "memory.moments";
inline constexpr const char* kSegmentsTable = "memory.segments";
inline constexpr const char* kOtherSegments =
    "(others)";  // of kSegmentsTable, the sum of those that have no row; without device and inode
inline constexpr const char* kNearnessTable = "memory.nearness";  // empty where there is one NUMA node
inline constexpr const char* kNumaTable = "memory.numa";          // the same

// A row for each node.
[[nodiscard]] record::Table numa_table_of(std::span<const NodeThreads> nodes);

}  // namespace comity::memory
