// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/own_ledger.hpp"

#include <algorithm>

#include "os/code/symbol.hpp"

namespace comity::memory {
namespace {

constexpr int kMostCallers = 16;  // a ledger never has as many

std::string text_of(const LedgerSite& site) {
  const std::string_view path(site.object, site.object_bytes);
  if (site.address != 0) return os::describe_address(reinterpret_cast<const void*>(site.address));  // NOLINT
  return std::string(path.substr(path.rfind('/') + 1)) + '+' + os::hexadecimal(site.offset);
}

// What every program begins with says nothing.
bool is_start(const std::string& text) { return text.find("(_start+") != std::string::npos; }

}  // namespace

const Ledger* find_ledger() {
  void* const function = os::find_symbol(kLedgerName);
  if (function == nullptr) return nullptr;
  const Ledger* const found = reinterpret_cast<LedgerFunction>(function)();
  return found != nullptr && found->version == kLedgerVersion ? found : nullptr;
}

std::vector<LedgerRange> ranges_of(const Ledger& ledger) {
  constexpr std::size_t kMore = 64;  // may come while we ask
  std::vector<LedgerRange> ranges(ledger.ranges(nullptr, 0) + kMore);
  ranges.resize(std::min(ledger.ranges(ranges.data(), ranges.size()), ranges.size()));
  std::sort(ranges.begin(), ranges.end(), [](const LedgerRange& a, const LedgerRange& b) { return a.start < b.start; });
  return ranges;
}

// A block inside somebody's mapping is the block's: an allocator has got it from there.
std::vector<OwnedRange> owned_ranges(const Ledger& ledger) {
  std::vector<OwnedRange> owned;
  const auto add = [&](std::uint64_t start, std::uint64_t end, std::uint8_t component) {
    if (start < end) owned.push_back({start, end, static_cast<Component>(component)});
  };
  for (const LedgerRange& range : ranges_of(ledger)) {
    const std::uint64_t end = range.start + range.bytes;
    std::uint64_t outer_end = 0;
    Component outer = Component::unknown;
    if (!owned.empty() && owned.back().end > range.start) {
      outer_end = owned.back().end;
      outer = owned.back().component;
      owned.back().end = range.start;
      if (owned.back().start == owned.back().end) owned.pop_back();
    }
    add(range.start, end, range.component);
    add(end, outer_end, static_cast<std::uint8_t>(outer));
  }
  return owned;
}

LedgerSums sums_of(const Ledger* ledger) {
  LedgerSums sums{};
  if (ledger != nullptr) ledger->sums(0, sums.data(), static_cast<std::uint32_t>(sums.size()));
  return sums;
}

LedgerHeld unplaced_mappings(const Ledger* ledger) {
  LedgerHeld unplaced{};
  if (ledger != nullptr) ledger->unplaced(&unplaced);
  return unplaced;
}

std::string place_text(const Ledger& ledger, std::uint32_t site) {
  LedgerSite place{};
  ledger.site(site, &place);
  std::string text = text_of(place);
  for (int i = 0; place.caller != 0 && i < kMostCallers; ++i) {
    const std::uint32_t caller = place.caller;
    place = {};
    ledger.site(caller, &place);
    const std::string next = text_of(place);
    if (is_start(next)) break;
    text += kCallerMark;
    text += next;
  }
  return text;
}

}  // namespace comity::memory
