// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/stocks.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

#include "memory/rank/own_ledger.hpp"
#include "memory/rank/written.hpp"
#include "os/cpus/affinity.hpp"
#include "os/kernel.hpp"
#include "os/threads/threads.hpp"

namespace comity::memory {
namespace {

using record::ColumnKind;
using record::Table;

// As a part of the share or of what is the process's alone, whichever is more: a page that another process begins to map between the
// two reads is half of it less in the share, and none of the process's alone any more.
double part_off(const Attribution& told) {
  const auto part = [](std::int64_t off, std::uint64_t of) {
    return off == 0 ? 0.0 : std::abs(static_cast<double>(off)) / std::max(1.0, static_cast<double>(of));
  };
  return std::max(part(told.pss_residual(), told.total.pss), part(told.uss_residual(), told.total.uss()));
}

// A figure beside: where it is not told all else still is.
std::optional<os::NodeTotals> node_now() noexcept try { return os::node_totals(); } catch (const std::exception&) {
  return std::nullopt;
}

// On one node all memory is near, and where its pages lie would be read for nothing.
NodePages node_pages_of(const NodeCpus& nodes) { return nodes.size() > 1 ? NodePages::read : NodePages::left_out; }

// Threads that end meanwhile are left out.
std::vector<CpuSet> cpus_by_thread() {
  std::vector<pid_t> threads;
  os::list_threads(threads);
  std::vector<CpuSet> all;
  for (const pid_t thread : threads) {
    CpuSet mask;
    if (os::affinity_if_alive(thread, mask)) all.push_back(mask);
  }
  return all;
}

}  // namespace

// Pages of hugetlbfs, and those that hold page tables, are in no share.
std::int64_t Stock::resident_bytes(Component component) const {
  if (!attribution) return 0;
  if (component == Component::page_tables) return number(totals.page_tables);
  const os::PageUse& use = attribution->of(component).use;
  return number(use.pss + use.hugetlb());
}

CpuSet Stock::cpus() const {
  CpuSet all;
  for (const CpuSet& mask : thread_cpus) all |= mask;
  return all;
}

std::int64_t Stock::beside_bytes(Component component) const {
  if (!attribution) return 0;
  const std::int64_t known = in_ledger[static_cast<std::size_t>(component)];
  return resident_bytes(component) + number(attribution->of(component).of_others) - known;
}

std::int64_t Stock::beside_bytes() const {
  if (!attribution) return 0;
  std::int64_t bytes = number(attribution->total.rss + attribution->total.hugetlb());
  for (const std::int64_t each : in_ledger) bytes -= each;
  // An allocator that stands in for glibc's has its pools in mappings of nobody's.
  for (const Component pool : {Component::heap_unused, Component::anonymous})
    bytes -= number(attribution->of(pool).use.rss);
  return std::max<std::int64_t>(0, bytes);
}

Stocks::Stocks(const Components& components, const Ledger* ledger)
    : components_(components),
      ledger_(ledger),
      nodes_(node_cpus()),
      looker_(os::process_id(), components, node_pages_of(nodes_)) {
  Stock& stock = stocks_.emplace_back();
  stock.moment = Moment::before_init;
  stock.totals = totals_now();
  stock.node = node_now();
}

void Stocks::begin_with(const os::Statm& at_load) {
  Stock first;
  first.moment = Moment::at_load;
  first.totals.resident = at_load.resident_bytes;
  first.totals.virtual_size = at_load.virtual_bytes;
  stocks_.insert(stocks_.begin(), std::move(first));
}

const Stock& Stocks::take(Moment moment) {
  const std::optional<Ownership> owns = ownership();
  Stock stock;
  stock.moment = moment;
  const LedgerSums sums = sums_of(ledger_);
  for (std::size_t i = 0; i < sums.size(); ++i) stock.in_ledger[i] = sums[i].resident();
  stock.attribution = settled_attribution(owns ? &*owns : nullptr);
  stock.totals = totals_now();
  stock.node = node_now();
  if (nodes_.size() > 1) stock.thread_cpus = cpus_by_thread();
  if (stocks_.back().moment == moment) stocks_.pop_back();
  return stocks_.emplace_back(std::move(stock));
}

std::optional<Ownership> Stocks::ownership() const {
  if (ledger_ == nullptr) return std::nullopt;
  Ownership owns;
  owns.ranges = owned_ranges(*ledger_);
  const LedgerSums sums = sums_of(ledger_);
  for (std::size_t i = 0; i < components_.count(); ++i) {
    owns.small_bytes[i] = static_cast<std::uint64_t>(std::max<std::int64_t>(0, sums[i].small - sums[i].untouched));
  }
  return owns;
}

// Reading takes memory itself, of which the next reading finds most in its place; and other ranks that start map what this one has.
std::optional<Attribution> Stocks::settled_attribution(const Ownership* owns) {
  constexpr int kMostTries = 5;
  constexpr double kSettled = 0.005;
  std::optional<Attribution> best;
  for (int i = 0; i < kMostTries; ++i) {
    std::optional<Attribution> next = looker_.attribution(owns);
    if (!next) break;
    if (!best || part_off(*next) < part_off(*best)) best = std::move(next);
    if (part_off(*best) < kSettled) break;
  }
  return best;
}

Table Stocks::totals_table() const {
  Table table(kTotalsTable, {{"moment", ColumnKind::text},
                             {"rss_bytes", ColumnKind::integer},
                             {"pss_bytes", ColumnKind::integer},
                             {"uss_bytes", ColumnKind::integer},
                             {"shared_bytes", ColumnKind::integer},
                             {"swap_bytes", ColumnKind::integer},
                             {"locked_bytes", ColumnKind::integer},
                             {"huge_bytes", ColumnKind::integer},
                             {"hugetlb_bytes", ColumnKind::integer},
                             {"page_table_bytes", ColumnKind::integer},
                             {"virtual_bytes", ColumnKind::integer},
                             {"peak_rss_bytes", ColumnKind::integer},
                             {"residual_bytes", ColumnKind::integer},
                             {"peak_virtual_bytes", ColumnKind::integer},
                             {"pinned_bytes", ColumnKind::integer},
                             {"data_bytes", ColumnKind::integer},
                             {"stack_bytes", ColumnKind::integer},
                             {"code_bytes", ColumnKind::integer},
                             {"library_bytes", ColumnKind::integer}});
  const auto add = [&](std::string_view moment, const os::Totals& totals, const Attribution* attribution) {
    const os::PageUse use = attribution != nullptr ? attribution->total : os::PageUse{};
    table.add_row({std::string(moment), number(totals.resident), number(use.pss), number(use.uss()),
                   number(use.shared()), number(totals.swap), number(totals.locked), number(use.huge()),
                   number(totals.hugetlb), number(totals.page_tables), number(totals.virtual_size),
                   number(totals.peak_resident), attribution != nullptr ? attribution->pss_residual() : std::int64_t{0},
                   number(totals.peak_virtual), number(totals.pinned), number(totals.data), number(totals.stack),
                   number(totals.text), number(totals.libraries)});
  };
  for (const Stock& stock : stocks_) {
    add(kMomentNames[static_cast<std::size_t>(stock.moment)], stock.totals,
        stock.attribution ? &*stock.attribution : nullptr);
  }
  if (!is_last(stocks_.back().moment)) add(kLastMoment, totals_now(), nullptr);
  return table;
}

Table Stocks::node_table() const {
  std::vector<record::ColumnName> columns{{"moment", ColumnKind::text}};
  for (const NodeColumn& column : kNodeColumns) columns.push_back({column.name, ColumnKind::integer});
  Table table(kNodeTable, std::move(columns), record::Summarise::no);
  for (const Stock& stock : stocks_) {
    if (!stock.node) continue;
    std::vector<record::Cell> cells{std::string(kMomentNames[static_cast<std::size_t>(stock.moment)])};
    for (const NodeColumn& column : kNodeColumns) cells.emplace_back(number((*stock.node).*column.bytes));
    table.add_row(cells);
  }
  return table;
}

Table Stocks::uses_table(Looks looks) const {
  std::vector<record::ColumnName> columns{{"moment", ColumnKind::text}, {"component", ColumnKind::text}};
  for (const UseColumn& column : kUseColumns) columns.push_back({column.name, ColumnKind::integer});
  const bool has_nodes = nodes_.size() > 1;
  for (const auto& [node, cpus] : nodes_) {
    if (has_nodes) columns.push_back({node_column(node), ColumnKind::integer});
  }
  Table table(kUsesTable, std::move(columns), record::Summarise::no);
  const Stock* const last = last_look();
  for (const Stock& stock : stocks_) {
    if (looks == Looks::last && &stock != last) continue;
    for (std::size_t i = 0; stock.attribution && i < components_.count(); ++i) {
      const auto component = static_cast<Component>(i);
      const ComponentUse& use = stock.attribution->of(component);
      if (use.use == os::PageUse{} && use.virtual_bytes == 0) continue;
      std::vector<record::Cell> cells{std::string(kMomentNames[static_cast<std::size_t>(stock.moment)]),
                                      std::string(components_.name(component))};
      for (const UseColumn& column : kUseColumns) cells.emplace_back(number(column.bytes(use)));
      for (const auto& [node, cpus] : nodes_) {
        const auto found = use.nodes.find(node);
        if (has_nodes) cells.emplace_back(found == use.nodes.end() ? std::int64_t{0} : number(found->second));
      }
      table.add_row(cells);
    }
  }
  return table;
}

const Stock* Stocks::last_look() const {
  const auto last = std::find_if(stocks_.rbegin(), stocks_.rend(), [](const Stock& one) { return one.attribution; });
  return last == stocks_.rend() ? nullptr : &*last;
}

// A program may have any number of them. Pages of hugetlbfs are no segment's: they are a component of their own.
Table Stocks::segments_table() const {
  constexpr std::size_t kMostSegments = 32;
  Table table(kSegmentsTable,
              {{"segment", ColumnKind::text},
               {"maker", ColumnKind::text},
               {"device", ColumnKind::integer},
               {"inode", ColumnKind::integer},
               {"mapped_bytes", ColumnKind::integer},
               {"rss_bytes", ColumnKind::integer},
               {"pss_bytes", ColumnKind::integer}},
              record::Summarise::no);
  const Stock* const last = last_look();
  if (last == nullptr) return table;
  std::vector<const SegmentUse*> segments;
  for (const SegmentUse& segment : last->attribution->segments) segments.push_back(&segment);
  std::stable_sort(segments.begin(), segments.end(),
                   [](const SegmentUse* a, const SegmentUse* b) { return a->use.rss > b->use.rss; });
  const auto add = [&](const std::string& name, Component maker, std::uint64_t device, const SegmentUse& of) {
    table.add_row({name, std::string(components_.name(maker)), number(device), number(of.inode),
                   number(of.virtual_bytes), number(of.use.rss), number(of.use.pss)});
  };
  SegmentUse others;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const SegmentUse& segment = *segments[i];
    if (i < kMostSegments) {
      add(segment.name, segment.maker, std::uint64_t{segment.device_major} << 32U | segment.device_minor, segment);
      continue;
    }
    others.virtual_bytes += segment.virtual_bytes;
    others.use += segment.use;
  }
  if (segments.size() > kMostSegments) add(kOtherSegments, Component::shared, 0, others);
  return table;
}

Table Stocks::nearness_table() const {
  Table table(kNearnessTable,
              {{"cpus", ColumnKind::text}, {"near_bytes", ColumnKind::integer}, {"far_bytes", ColumnKind::integer}},
              record::Summarise::no);
  const Stock* const last = last_look();
  if (nodes_.size() < 2 || last == nullptr) return table;
  os::NodeBytes memory;
  for (const ComponentUse& use : last->attribution->components) {
    for (const auto& [node, bytes] : use.nodes) memory[node] += bytes;
  }
  const CpuSet cpus = last->cpus();
  const Nearness found = nearness(memory, cpus, nodes_);
  table.add_row({cpus.to_list(), number(found.near_bytes), number(found.far_bytes)});
  return table;
}

Table Stocks::numa_table() const {
  const Stock* const last = last_look();
  if (nodes_.size() < 2 || last == nullptr) return numa_table_of({});
  return numa_table_of(threads_by_node(last->thread_cpus, nodes_));
}

Table numa_table_of(std::span<const NodeThreads> nodes) {
  Table table(kNumaTable, {{"node", ColumnKind::integer}, {"cpus", ColumnKind::text}, {"threads", ColumnKind::integer}},
              record::Summarise::no);
  for (const NodeThreads& one : nodes) table.add_row({std::int64_t{one.node}, one.cpus.to_list(), number(one.threads)});
  return table;
}

}  // namespace comity::memory
