// SPDX-License-Identifier: BSD-3-Clause
#include "memory/attribution.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "memory/part_counter.hpp"

namespace comity::memory {
namespace {

using os::Area;
using os::PageUse;

constexpr std::uint64_t kKiB = 1024;

// The kernel cuts each area's share of pages that others map too to whole KiB, but not their sum: what is missing lies in
// those areas, less than a KiB in each. More than that is another moment's.
void close_pss(std::vector<Area>& areas, const PageUse& rollup) {
  std::uint64_t told = 0;
  std::vector<Area*> cut;
  for (Area& area : areas) {
    told += area.use.pss;
    if (area.use.shared() != 0) cut.push_back(&area);
  }
  if (cut.empty() || rollup.pss <= told || rollup.pss - told > cut.size() * kKiB) return;
  std::uint64_t missing = rollup.pss - told;
  for (std::size_t left = cut.size(); left > 0; --left) {
    const std::uint64_t part = missing / left;
    cut[left - 1]->use.pss += part;
    missing -= part;
  }
}

// A part of an area with one owner. In a heap the owner is found only when all of it has been summed up.
struct Piece {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  Component component = Component::anonymous;
  bool is_heap = false;
  bool is_recorded = false;
};

// Owners of parts: an object's memory without a file first, then what is recorded, then what the area is.
class Pieces {
 public:
  explicit Pieces(const Ownership* ownership) : ownership_(ownership) {}

  [[nodiscard]] const std::vector<Piece>& of(const Area& area, const AreaRole& role) {
    pieces_.clear();
    std::uint64_t at = area.start;
    if (role.object_until > at) {
      at = std::min(role.object_until, area.end);
      pieces_.push_back({.start = area.start, .end = at, .component = role.object});
    }
    const Piece whole{
        .start = at, .end = area.end, .component = role.component, .is_heap = role.kind == AreaKind::heap};
    const bool is_owned_elsewhere = role.kind == AreaKind::object || role.kind == AreaKind::kernel;
    if (ownership_ == nullptr || is_owned_elsewhere) {
      add(whole);
    } else {
      add_by_ranges(whole);
    }
    return pieces_;
  }

 private:
  void add(const Piece& piece) {
    if (piece.start < piece.end) pieces_.push_back(piece);
  }

  void add_by_ranges(Piece rest) {
    auto range = std::partition_point(ownership_->ranges.begin(), ownership_->ranges.end(),
                                      [&](const OwnedRange& each) { return each.end <= rest.start; });
    for (; range != ownership_->ranges.end() && range->start < rest.end; ++range) {
      Piece before = rest;
      before.end = std::max(rest.start, range->start);
      add(before);
      const std::uint64_t end = std::min(range->end, rest.end);
      const bool is_heap = range->component == Component::allocator;
      add({.start = before.end, .end = end, .component = range->component, .is_heap = is_heap, .is_recorded = true});
      rest.start = std::max(rest.start, end);
    }
    add(rest);
  }

  const Ownership* ownership_;
  std::vector<Piece> pieces_;
};

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t take(std::uint64_t& rest, double share) {
  const auto part = static_cast<std::uint64_t>(std::llround(static_cast<double>(rest) * share));
  const std::uint64_t taken = std::min(rest, part);
  rest -= taken;
  return taken;
}

// How much of what is left a part gets.
struct Shares {
  double resident = 0;
  double swapped = 0;
  double size = 0;
};

ComponentUse take(ComponentUse& rest, const Shares& shares) {
  ComponentUse taken;
  for (const os::UseField& field : os::kUseFields) {
    const bool is_swap = field.bytes == &PageUse::swap || field.bytes == &PageUse::swap_pss;
    taken.use.*field.bytes = take(rest.use.*field.bytes, is_swap ? shares.swapped : shares.resident);
  }
  taken.virtual_bytes = take(rest.virtual_bytes, shares.size);
  for (auto& [node, bytes] : rest.nodes) {
    if (const std::uint64_t here = take(bytes, shares.resident); here != 0) taken.nodes[node] = here;
  }
  return taken;
}

void add(ComponentUse& sum, const ComponentUse& more) {
  sum.use += more.use;
  sum.virtual_bytes += more.virtual_bytes;
  sum.of_others += more.of_others;
  for (const auto& [node, bytes] : more.nodes) {
    if (bytes != 0) sum.nodes[node] += bytes;
  }
}

// Who recorded it counts each page whole.
ComponentUse recorded(ComponentUse use) {
  use.of_others = use.use.rss - std::min(use.use.rss, use.use.pss);
  return use;
}

// Where small blocks lie that malloc has got from the kernel: in heaps as glibc's has them, or in mappings like any other's too.
enum class Pools : std::uint8_t { in_heaps, in_mappings };

// Of an allocator that stands in for glibc's nobody records what it maps: it does so inside malloc. That it is there is told by its file.
Pools pools_of(std::span<const AreaRole> roles) {
  const bool has_another = std::any_of(roles.begin(), roles.end(), [](const AreaRole& role) {
    return role.kind == AreaKind::object && role.component == Component::allocator;
  });
  return has_another ? Pools::in_mappings : Pools::in_heaps;
}

class Attributor {
 public:
  Attributor(const CountPages& count_pages, const Ownership* ownership)
      : count_pages_(count_pages), ownership_(ownership), pieces_(ownership) {}

  void add_area(const Area& area, const AreaRole& role, const os::NodeBytes& nodes) {
    const std::vector<Piece>& pieces = pieces_.of(area, role);
    if (role.kind == AreaKind::segment) add_segment(area, role, pieces);
    ComponentUse rest{.use = area.use, .virtual_bytes = area.bytes(), .nodes = nodes};
    const std::vector<Shares> shares = shares_of(pieces, area.use.rss);
    for (std::size_t i = 0; i + 1 < pieces.size(); ++i) add_piece(pieces[i], take(rest, shares[i]));
    add_piece(pieces.back(), rest);
  }

  // Of the resident heap each component has what it has live there, or less where less is resident than live: nobody
  // touched it yet.
  void share_out_heap(Pools pools) {
    if (ownership_ == nullptr) return add(of(Component::heap), heap_);
    std::uint64_t live = 0;
    for (const std::uint64_t bytes : ownership_->small_bytes) live += bytes;
    if (pools == Pools::in_mappings && live > heap_.use.rss) take_from_mappings(live - heap_.use.rss);
    std::uint64_t left = std::max(live, heap_.use.rss);
    for (std::size_t id = 0; id < kMostComponents; ++id) {
      const std::uint64_t bytes = ownership_->small_bytes[id];
      const double share = share_of(bytes, left);
      add(result_.components[id], recorded(take(heap_, {share, share, share})));
      left -= bytes;
    }
    add(of(Component::heap_unused), heap_);
  }

  [[nodiscard]] Attribution result() && {
    std::sort(result_.segments.begin(), result_.segments.end(),
              [](const SegmentUse& a, const SegmentUse& b) { return a.name < b.name; });
    return std::move(result_);
  }

 private:
  // What the heap has no room for lies in mappings that nobody is recorded to have asked for.
  void take_from_mappings(std::uint64_t bytes) {
    ComponentUse& nobodys = of(Component::anonymous);
    const double share = std::min(1.0, share_of(bytes, nobodys.use.rss));
    add(heap_, take(nobodys, {share, share, share}));
  }

  ComponentUse& of(Component component) { return result_.components[static_cast<std::size_t>(component)]; }

  void add_piece(const Piece& piece, const ComponentUse& use) {
    if (piece.is_heap) return add(heap_, use);
    add(of(piece.component), piece.is_recorded ? recorded(use) : use);
  }

  // Reading takes memory of malloc's itself, which pages show and the area does not yet: else each part would have less for it.
  static void take_off_what_came_since(const std::vector<Piece>& pieces, std::uint64_t rss,
                                       std::vector<PartCounter::Bytes>& counts) {
    std::uint64_t counted = 0;
    for (const PartCounter::Bytes& each : counts) counted += each.resident;
    if (rss == 0) return;  // of hugetlbfs
    for (std::size_t i = counts.size(); i-- > 0 && counted > rss;) {
      if (pieces[i].is_recorded && !pieces[i].is_heap) continue;
      const std::uint64_t less = std::min(counts[i].resident, counted - rss);
      counts[i].resident -= less;
      counted -= less;
    }
  }

  // Each one's share of itself and those behind it: in the order in which they are taken.
  [[nodiscard]] std::vector<Shares> shares_of(const std::vector<Piece>& pieces, std::uint64_t rss) const {
    std::vector<PartCounter::Bytes> counts;
    PartCounter counter(count_pages_);
    for (const Piece& piece : pieces) {
      if (pieces.size() == 1) break;  // there is nothing to share out, and pages cost time to count
      counts.push_back(counter.of(piece.start, piece.end));
    }
    take_off_what_came_since(pieces, rss, counts);
    std::vector<Shares> shares(pieces.size());
    std::uint64_t resident = 0;
    std::uint64_t swapped = 0;
    for (std::size_t i = counts.size(); i-- > 0;) {
      resident += counts[i].resident;
      swapped += counts[i].swapped;
      shares[i] = {share_of(counts[i].resident, resident), share_of(counts[i].swapped, swapped),
                   share_of(pieces[i].end - pieces[i].start, pieces.back().end - pieces[i].start)};
    }
    return shares;
  }

  // A segment may be mapped in several areas. Its maker is who asked for it, where somebody recorded that.
  void add_segment(const Area& area, const AreaRole& role, const std::vector<Piece>& pieces) {
    auto& segments = result_.segments;
    auto segment =
        std::find_if(segments.begin(), segments.end(), [&](const SegmentUse& each) { return each.is_of(area); });
    if (segment == segments.end()) {
      segments.push_back({.name = area.name,
                          .device_major = area.device_major,
                          .device_minor = area.device_minor,
                          .inode = area.inode,
                          .maker = role.component});
      segment = std::prev(segments.end());
    }
    if (segment->maker == Component::shared) segment->maker = pieces.front().component;
    segment->use += area.use;
    segment->virtual_bytes += area.bytes();
  }

  const CountPages& count_pages_;
  const Ownership* ownership_;
  Pieces pieces_;
  ComponentUse heap_;
  Attribution result_;
};

// By the area's begin.
const os::NodeBytes& nodes_of(const std::vector<os::AreaNodes>& nodes, const Area& area) {
  static const auto* const kNone = new os::NodeBytes();  // never destroyed: nothing of ours runs when a process ends
  const auto found = std::partition_point(nodes.begin(), nodes.end(),
                                          [&](const os::AreaNodes& each) { return each.start < area.start; });
  return found != nodes.end() && found->start == area.start ? found->bytes : *kNone;
}

std::int64_t difference(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(a) - static_cast<std::int64_t>(b);
}

}  // namespace

PageUse Attribution::sum() const {
  PageUse sum;
  for (const ComponentUse& each : components) sum += each.use;
  return sum;
}

std::int64_t Attribution::rss_residual() const { return difference(total.rss, sum().rss); }
std::int64_t Attribution::pss_residual() const { return difference(total.pss, sum().pss); }

std::int64_t Attribution::uss_residual() const { return difference(total.uss(), sum().uss()); }

// Maps tell no flags: what begins as an arena of glibc's, or stands above a guard as a stack does, is taken for one.
std::vector<UnaskedRange> unasked_ranges(std::vector<Area> areas, std::span<const std::uint64_t> thread_blocks,
                                         const Components& components, const ObjectSpan& object_span,
                                         const Ownership& ownership) {
  for (Area& area : areas) area.no_reserve = area.inode == 0 && area.name.empty() && !area.shared;
  const std::vector<AreaRole> roles = roles_of(areas, components, object_span, thread_blocks);
  const Pools pools = pools_of(roles);
  Pieces pieces(&ownership);
  std::vector<UnaskedRange> ranges;
  for (std::size_t i = 0; i < areas.size(); ++i) {
    const Area& area = areas[i];
    const AreaKind kind = roles[i].kind;
    const bool is_private = area.writable && !area.shared && kind != AreaKind::segment && kind != AreaKind::kernel;
    if (!is_private || kind == AreaKind::file || kind == AreaKind::hugetlb) continue;
    for (const Piece& piece : pieces.of(area, roles[i])) {
      if (piece.is_recorded && !piece.is_heap) continue;
      const bool may_be_pool = pools == Pools::in_mappings && !piece.is_heap && piece.component == Component::anonymous;
      ranges.push_back({piece.start, piece.end, piece.is_heap ? UnaskedRange::kHeapOfAll : piece.component,
                        area.inode != 0, may_be_pool});
    }
  }
  return ranges;
}

Attribution attribute(Told told, const Components& components, const ObjectSpan& object_span,
                      const CountPages& count_pages, const Ownership* ownership) {
  close_pss(told.areas, told.rollup);
  const std::vector<AreaRole> roles = roles_of(told.areas, components, object_span, told.thread_blocks);
  Attributor attributor(count_pages, ownership);
  for (std::size_t i = 0; i < told.areas.size(); ++i)
    attributor.add_area(told.areas[i], roles[i], nodes_of(told.nodes, told.areas[i]));
  attributor.share_out_heap(pools_of(roles));
  Attribution result = std::move(attributor).result();
  result.total = told.rollup;
  result.statically_linked = is_static(told.areas);
  return result;
}

}  // namespace comity::memory
