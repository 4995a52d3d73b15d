// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/held.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "os/kernel.hpp"
#include "os/memory/areas.hpp"
#include "os/memory/own_memory.hpp"
#include "os/memory/pages.hpp"
#include "os/proc.hpp"

namespace comity::memory {
namespace {

constexpr std::size_t kMostTold = 100;  // places, of all components

struct Span {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

// Where malloc has small blocks: private memory without a file that somebody may write to.
bool may_hold_blocks(const os::Area& area) {
  return area.writable && !area.shared && area.inode == 0 && !area.name.starts_with("[stack");
}

// The area without the ranges, which come by address and may lie one in another.
template <typename Visit>
void outside(Span area, const std::vector<LedgerRange>& ranges, Visit&& visit) {
  for (const LedgerRange& range : ranges) {
    if (range.start + range.bytes <= area.start) continue;
    if (range.start >= area.end) break;
    if (range.start > area.start) visit(Span{area.start, range.start});
    area.start = range.start + range.bytes;
    if (area.start >= area.end) return;
  }
  visit(area);
}

class Survey {
 public:
  explicit Survey(const Ledger& ledger) : ledger_(ledger), ranges_(ranges_of(ledger)), held_(ledger.sites()) {}

  [[nodiscard]] std::vector<LedgerHeld> take() {
    const std::string maps = os::read_text("/proc/self/maps").value_or("");
    for (const os::Area& area : os::parse_areas(maps)) {
      if (may_hold_blocks(area)) outside({area.start, area.end}, ranges_, [&](Span span) { read(span); });
    }
    for (const LedgerRange& range : ranges_) {
      if (range.site >= held_.size()) continue;
      held_[range.site].bytes += static_cast<std::int64_t>(range.bytes);
      ++held_[range.site].blocks;
    }
    return std::move(held_);
  }

 private:
  static constexpr std::uint64_t kMost_bytes = std::uint64_t{1} << 30U;
  static constexpr std::uint64_t kTogether_bytes = std::uint64_t{64} << 10U;
  static constexpr std::uint64_t kWord_bytes = 8;

  // A tag's place is a multiple of eight.
  void read(Span span) {
    span.start = (span.start + kWord_bytes - 1) / kWord_bytes * kWord_bytes;
    for (; span.start < span.end; span.start += kTogether_bytes) {
      read_part(span.start, std::min(span.end, span.start + kTogether_bytes));
    }
  }

  // To read what is not there would make it be there, and of a part that goes meanwhile the rest is read: so what is not
  // there as a whole is read in halves.
  void read_part(std::uint64_t start, std::uint64_t end) {
    const std::uint64_t page = os::page_bytes();
    const std::uint64_t first = start / page;
    const std::uint64_t pages = (end + page - 1) / page - first;
    const std::optional<std::uint64_t> there = os::pages_in_core(start, end);
    if (there == std::uint64_t{0} || left_bytes_ < end - start) return;
    if (there == pages && memory_.copy(start, std::span(copy_).first(end - start)) == end - start) {
      left_bytes_ -= end - start;
      return ledger_.blocks_in(copy_.data(), end - start, start, held_.data(),
                               static_cast<std::uint32_t>(held_.size()));
    }
    if (pages == 1) return;
    const std::uint64_t middle = (first + pages / 2) * page;
    read_part(start, middle);
    read_part(middle, end);
  }

  const Ledger& ledger_;
  std::vector<LedgerRange> ranges_;
  std::vector<LedgerHeld> held_;
  os::OwnMemory memory_;
  std::uint64_t left_bytes_ = kMost_bytes;
  std::vector<std::byte> copy_ = std::vector<std::byte>(kTogether_bytes);
};

// A place that was numbered twice is one.
std::vector<HeldSite> by_place(const Ledger& ledger, const std::vector<LedgerHeld>& held) {
  struct Number {
    std::uint32_t site;
    LedgerHeld held;
  };
  std::vector<Number> numbers;
  for (std::uint32_t i = ledger.components(); i < held.size(); ++i) {
    if (held[i].bytes > 0) numbers.push_back({i, held[i]});
  }
  std::sort(numbers.begin(), numbers.end(),
            [](const Number& a, const Number& b) { return a.held.bytes > b.held.bytes; });
  if (numbers.size() > kMostTold) numbers.resize(kMostTold);
  std::map<std::pair<Component, std::string>, HeldSite> places;
  for (const Number& number : numbers) {
    LedgerSite site{};
    ledger.site(number.site, &site);
    const auto component = static_cast<Component>(site.component);
    HeldSite& place = places[{component, place_text(ledger, number.site)}];
    place.component = component;
    place.bytes += number.held.bytes;
    place.blocks += number.held.blocks;
  }
  std::vector<HeldSite> all;
  for (auto& [key, place] : places) {
    place.place = key.second;
    all.push_back(std::move(place));
  }
  return all;
}

// What a component has beside: blocks come and go while heaps are read.
void add_rest(const Ledger& ledger, std::vector<HeldSite>& places) {
  for (std::uint32_t i = 0; i < ledger.components(); ++i) {
    LedgerSum sum{};
    ledger.sum(i, &sum);
    HeldSite rest{static_cast<Component>(i), kElsewhere, sum.small + sum.ranges, 0};
    for (const HeldSite& place : places) {
      if (place.component == rest.component) rest.bytes -= place.bytes;
    }
    if (rest.bytes > 0) places.push_back(std::move(rest));
  }
}

}  // namespace

std::vector<HeldSite> held_now(const Ledger& ledger) {
  std::vector<HeldSite> places = by_place(ledger, Survey(ledger).take());
  add_rest(ledger, places);
  std::stable_sort(places.begin(), places.end(),
                   [](const HeldSite& a, const HeldSite& b) { return a.bytes > b.bytes; });
  return places;
}

record::Table held_table(const std::vector<HeldSite>& held, const Components& components) {
  using record::ColumnKind;
  record::Table table(kHeldTable, {{"component", ColumnKind::text},
                                   {"place", ColumnKind::text},
                                   {"bytes", ColumnKind::integer},
                                   {"blocks", ColumnKind::integer}});
  for (const HeldSite& site : held) {
    table.add_row({std::string(components.name(site.component)), site.place, site.bytes, site.blocks});
  }
  return table;
}

}  // namespace comity::memory
