// SPDX-License-Identifier: BSD-3-Clause
#include "memory/area_kinds.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>

namespace comity::memory {
namespace {

using os::Area;
using FileKey = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

constexpr std::uint64_t kArenaBytes = 64U << 20U;  // glibc's arenas begin at multiples of it
constexpr std::uint64_t kUnknownBss_bytes =
    256U << 10U;  // what is believed to be an object's whose file is not there any more

constexpr AreaRole kHeap{.kind = AreaKind::heap, .component = Component::heap};
constexpr AreaRole kStack{.kind = AreaKind::stack, .component = Component::stack};

FileKey key_of(const Area& area) { return {area.device_major, area.device_minor, area.inode}; }

bool has_file(const Area& area) { return area.name.starts_with('/'); }

// The kernel's names of memory that has no file, or one that is memory itself.
bool names_segment(std::string_view name) {
  constexpr std::array<std::string_view, 5> kStarts{"/memfd:", "/dev/shm/", "/SYSV", "/dev/zero", "[anon_shmem:"};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](std::string_view start) { return name.starts_with(start); });
}

// "[anon: glibc: malloc]": programs may name their private memory, and some libraries do.
std::optional<AreaRole> role_by_given_name(std::string_view name) {
  constexpr std::string_view kStart = "[anon:";
  if (!name.starts_with(kStart)) return std::nullopt;
  name.remove_prefix(kStart.size());
  name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
  if (name.starts_with("glibc: pthread stack")) return kStack;
  if (name.starts_with("glibc: malloc") || name.starts_with("jemalloc")) return kHeap;
  return AreaRole{};
}

class Roles {
 public:
  Roles(std::span<const Area> areas, const Components& components, const ObjectSpan& object_span,
        std::span<const std::uint64_t> thread_blocks)
      : areas_(areas), components_(components), object_span_(object_span), thread_blocks_(thread_blocks) {
    for (const Area& area : areas) {
      if (area.executable && has_file(area)) executables_.insert(key_of(area));
    }
  }

  [[nodiscard]] AreaRole role_of(std::size_t index) {
    const Area& area = areas_[index];
    if (area.in_hugetlb) return {.kind = AreaKind::hugetlb, .component = Component::hugetlb};
    if (names_segment(area.name) || (area.shared && !has_file(area))) return segment(area);
    if (has_file(area)) return executables_.contains(key_of(area)) ? object(area) : other_file(area);
    if (area.name == "[heap]") return behind_object(area, kHeap);
    if (area.name.starts_with("[stack")) return kStack;
    if (const auto role = role_by_given_name(area.name)) return behind_object(area, *role);
    if (!area.name.empty()) return {.kind = AreaKind::kernel, .component = Component::kernel};
    return behind_object(area, private_memory(index));
  }

 private:
  // The object that the last areas belong to.
  struct Object {
    FileKey file;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    Component component = Component::application;
    bool end_is_known = false;
    bool ends_writable = false;  // the last area of its file
  };

  [[nodiscard]] AreaRole segment(const Area& area) const {
    return {.kind = AreaKind::segment, .component = components_.maker_of(area.name).value_or(Component::shared)};
  }

  // The record of a rank is mapped by nobody else.
  [[nodiscard]] AreaRole other_file(const Area& area) const {
    const auto maker = components_.maker_of(area.name);
    const bool is_for_others = maker && *maker != Component::comity && area.shared;
    return {.kind = is_for_others ? AreaKind::segment : AreaKind::file, .component = maker.value_or(Component::file)};
  }

  // A file of which any page may be run is an object's; a library that is only read, as for its symbols, is a file.
  AreaRole object(const Area& area) {
    if (object_.file != key_of(area) || area.start >= object_.end) begin_object(area);
    object_.end = std::max(object_.end, area.end);
    object_.ends_writable = area.writable;
    return {.kind = AreaKind::object, .component = object_.component};
  }

  void begin_object(const Area& area) {
    const auto span = area.offset == 0 ? object_span_(area) : std::nullopt;
    const bool fits = span && *span <= UINT64_MAX - area.start;
    // The areas of a file whose span nobody knows stand side by side, and are still one object.
    object_ = {.file = key_of(area),
               .start = area.start,
               .end = fits ? area.start + *span : area.end,
               .component = components_.of_object(area.name),
               .end_is_known = fits,
               .ends_writable = area.writable};
  }

  // Memory without a file that begins within an object's span is that object's up to its end: the kernel makes one mapping of it
  // and of what is mapped next to it.
  [[nodiscard]] AreaRole behind_object(const Area& area, AreaRole role) const {
    role.object = object_.component;
    if (object_.end_is_known) {
      if (area.start >= object_.start && area.start < object_.end) role.object_until = std::min(area.end, object_.end);
      return role;
    }
    const bool may_be_bss = object_.ends_writable && area.name.empty() && area.bytes() <= kUnknownBss_bytes;
    if (may_be_bss && area.start == object_.end) role.object_until = area.end;
    return role;
  }

  [[nodiscard]] AreaRole private_memory(std::size_t index) const {
    const Area& area = areas_[index];
    if (!area.writable) return {};
    if (is_stack(index)) return kStack;
    return area.no_reserve && area.start % kArenaBytes == 0 ? kHeap : AreaRole{};
  }

  // glibc maps a thread's stack above a page that cannot be reached, and keeps those of threads that have ended for later
  // ones. Its arenas have such pages above them, so what begins as an arena is none, unless a thread has its block there.
  [[nodiscard]] bool is_stack(std::size_t index) const {
    const Area& area = areas_[index];
    const auto block = std::lower_bound(thread_blocks_.begin(), thread_blocks_.end(), area.start);
    const bool has_thread = block != thread_blocks_.end() && *block < area.end;
    if (has_thread && area.no_reserve) return true;
    return has_guard(index) && (has_thread || (area.no_reserve && area.start % kArenaBytes != 0));
  }

  [[nodiscard]] bool has_guard(std::size_t index) const {
    if (index == 0) return false;
    const Area& below = areas_[index - 1];
    return below.end == areas_[index].start && !below.reachable() && below.inode == 0 && below.name.empty();
  }

  std::span<const Area> areas_;
  const Components& components_;
  const ObjectSpan& object_span_;
  std::span<const std::uint64_t> thread_blocks_;
  std::set<FileKey> executables_;
  Object object_;
};

}  // namespace

std::vector<AreaRole> roles_of(std::span<const Area> areas, const Components& components, const ObjectSpan& object_span,
                               std::span<const std::uint64_t> thread_blocks) {
  Roles roles(areas, components, object_span, thread_blocks);
  std::vector<AreaRole> all;
  all.reserve(areas.size());
  for (std::size_t i = 0; i < areas.size(); ++i) all.push_back(roles.role_of(i));
  return all;
}

bool is_static(std::span<const Area> areas) {
  return std::none_of(areas.begin(), areas.end(), [](const Area& area) {
    if (!has_file(area)) return false;
    const std::string_view name = std::string_view(area.name).substr(area.name.rfind('/') + 1);
    return name.starts_with("ld-") || name.starts_with("ld.so") || name.starts_with("ld64");
  });
}

}  // namespace comity::memory
