// SPDX-License-Identifier: BSD-3-Clause
// The table by which others in the process find the hooks, and what is done when the library is loaded.
#include "memory/ledger.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>

#include "base/log.hpp"
#include "base/options.hpp"
#include "memory/hooks/blocks.hpp"
#include "memory/hooks/calls.hpp"
#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/code/sites.hpp"
#include "memory/hooks/found_peaks.hpp"
#include "memory/hooks/look.hpp"
#include "memory/hooks/mapped/mappings.hpp"
#include "memory/hooks/program.hpp"
#include "memory/hooks/short_way.hpp"
#include "memory/hooks/site_sums.hpp"
#include "memory/hooks/sums.hpp"
#include "os/environment.hpp"

namespace comity::memory::hooks {
namespace {

std::uint32_t components() { return static_cast<std::uint32_t>(rules().count()); }

// Of the names in the rules' text, which are not ended by a zero, a copy is kept.
constinit std::array<std::array<char, 64>, kMostComponents> names{};

void keep_names() {
  for (std::size_t i = 0; i < rules().count(); ++i) {
    const std::string_view name = rules().name(static_cast<Component>(i));
    name.copy(names[i].data(), names[i].size() - 1);
  }
}

const char* name(std::uint32_t component) { return component < components() ? names[component].data() : nullptr; }

LedgerSum told(const Has& has) {
  return {has.small_bytes,         has.range_bytes,     has.seen_bytes,          has.most_asked_bytes,
          has.most_resident_bytes, has.untouched_bytes, has.most_untouched_bytes};
}

void sum(std::uint32_t component, LedgerSum* into) {
  if (component < components()) *into = told(sums.of(static_cast<Component>(component)));
}

// Some at a time: the caller's stack may be small.
void some_sums(std::uint32_t first, LedgerSum* into, std::uint32_t room) {
  constexpr std::size_t kAtOnce = 8;
  std::array<Has, kAtOnce> some{};
  const std::size_t end = std::min(std::size_t{first} + room, std::size_t{components()});
  for (std::size_t begin = first; begin < end; begin += kAtOnce) {
    const std::size_t count = std::min(kAtOnce, end - begin);
    sums.read(begin, std::span(some).first(count));
    for (std::size_t i = 0; i < count; ++i) into[begin - first + i] = told(some[i]);
  }
}

// Ranges written one behind the other, as far as there is room.
class Listing {
 public:
  explicit Listing(std::span<LedgerRange> into) : into_(into) {}

  void add(const RangePlace& place, bool is_block) {
    const std::optional<Range> range = place.read();
    if (!range) return;
    if (found_ < into_.size()) {
      into_[found_] = {range->start,
                       range->bytes,
                       range->seen_bytes,
                       static_cast<std::uint8_t>(range->component),
                       static_cast<std::uint8_t>(range->is_shared),
                       static_cast<std::uint8_t>(is_block),
                       range->site};
    }
    ++found_;
  }
  [[nodiscard]] std::size_t found() const { return found_; }

 private:
  std::span<LedgerRange> into_;
  std::size_t found_ = 0;
};

std::size_t ranges(LedgerRange* into, std::size_t room) {
  Listing listing({into, room});
  blocks.for_each([&](const RangePlace& place) { listing.add(place, true); });
  for (const RangePlace& place : mappings.places()) listing.add(place, false);
  return listing.found();
}

// Behind a call of MPI, or where a region begins or ends: objects that have come since, which nobody has asked for a name in, are stood before too.
// A constructor inside dlopen may do both, with the linker's lock, which is recursive.
int look_when(int when) {
  stand_before_calls();
  const auto told = static_cast<LedgerLook>(when);
  return look(told == LedgerLook::if_due ? When::if_due
              : told == LedgerLook::soon ? When::on_half_credit
                                         : When::now)
             ? 1
             : 0;
}

std::uint32_t site_count() { return static_cast<std::uint32_t>(sites.count()); }

void site(std::uint32_t number, LedgerSite* into) {
  if (number >= site_count()) return;
  const CodePlace place = sites.read(static_cast<SiteNumber>(number));
  const std::uintptr_t address = sites.address(static_cast<SiteNumber>(number));
  const CodePlace there = place_at(address);
  const bool is_there = address != 0 && there.object == place.object && there.offset == place.offset;
  *into = {place.object.data(),
           static_cast<std::uint32_t>(place.object.size()),
           static_cast<std::uint8_t>(place.component),
           place.offset,
           is_there ? address : 0,
           sites.caller_of(static_cast<SiteNumber>(number))};
}

int tells_paths() { return site_sums.is_on() ? 1 : 0; }

void site_sum(std::uint32_t number, LedgerSiteSum* into) {
  if (number >= site_count()) return;
  const SiteSums::Has has = site_sums.of(static_cast<SiteNumber>(number));
  *into = {has.bytes, has.most_bytes, has.asked_bytes, has.times};
}

void beside(std::int64_t bytes) { sums.set_beside(bytes); }

void keep_peaks(int keep) {
  sums.keep_peaks(keep != 0);
  site_sums.keep_peaks(keep != 0);
}

// Any word may look like a tag, but then not of a site that belongs to its component.
void blocks_in(const void* copy, std::size_t bytes, std::uint64_t start, LedgerHeld* by_site, std::uint32_t room) {
  for (std::size_t at = 0; at + kTag_bytes <= bytes; at += kTag_bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(copy) + at, sizeof word);
    if (word == 0) continue;
    const std::optional<Tag> tag = tag_in(start + at, word);
    if (!tag || tag->owner.site() >= room || sites.component_of(tag->owner.site()) != tag->owner.component()) continue;
    LedgerHeld& held = by_site[tag->owner.site()];
    ++held.blocks;
    if (tag->bytes != kAllOfIt) held.bytes += tag->bytes;
  }
}

void ask_where(LedgerAsk where, void* whom) { found_peaks.ask(where, whom); }

std::uint32_t looks_before_releases() { return found_peaks.looks(); }

void found_peak(std::uint32_t component, LedgerPeak* into) {
  if (component == kAllThatIsResident) *into = found_peaks.total().read();
  if (component < components()) *into = found_peaks.of(static_cast<Component>(component)).read();
}

void begin_peaks(std::int64_t* most_resident, std::uint32_t room) {
  for (std::uint32_t i = 0; i < components(); ++i) {
    const std::int64_t most = sums.begin_most_resident(static_cast<Component>(i));
    if (i < room) most_resident[i] = most;
  }
  found_peaks.begin();
}

void unplaced(LedgerHeld* into) {
  const Mappings::Unplaced all = mappings.unplaced();
  *into = {all.bytes, all.mappings};
}

std::uint32_t changes_here() {
  const Desk* const desk = my_desk;
  return desk == nullptr ? 0 : desk->changes.load(std::memory_order_relaxed);
}

constexpr Ledger kLedger{
    kLedgerVersion, sizeof(Ledger),  &components, &name,        &sum,        &ranges,
    &look_when,     &unknown_blocks, &site_count, &site,        &keep_peaks, &blocks_in,
    &some_sums,     &tells_paths,    &site_sum,   &beside,      &ask_where,  &looks_before_releases,
    &found_peak,    &begin_peaks,    &unplaced,   &changes_here};

}  // namespace
}  // namespace comity::memory::hooks

extern "C" COMITY_SEEN_BY_PROGRAMS const comity::memory::Ledger* comity_memory_ledger() {
  return &comity::memory::hooks::kLedger;
}

namespace comity::memory::hooks {
namespace {

std::string setting(OptionId id) {
  const auto row = static_cast<std::size_t>(id);
  return os::environment(kOptionTable[row].name).value_or("");
}

// Rules that cannot be read cost the program nothing but a line: those that are built in count then.
void read_rules() {
  try {
    take_rules(components_of(setting(OptionId::memory_rules)));
  } catch (const std::exception& error) {
    log::error("memory", std::string(error.what()) + ". The rules that are built in count");
  }
}

// Before threads are there. A word that is neither on nor off is refused by who reads all settings.
void begin_to_tell_paths() {
  if (setting(OptionId::memory_paths) != "on") return;
  site_sums.begin();
  paths_are_told.store(true, std::memory_order_relaxed);
  choose_way();
}

// Allocations before this one are counted as well, by the rules that are built in.
__attribute__((constructor)) void prepare() {
  sums.notice_ends_of_threads();
  note_where_heap_begins();
  read_rules();
  keep_names();
  begin_to_tell_paths();
  stand_before_calls();
}

}  // namespace
}  // namespace comity::memory::hooks
