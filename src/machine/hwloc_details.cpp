// SPDX-License-Identifier: BSD-3-Clause
#include "machine/hwloc_details.hpp"

#include <hwloc.h>
#if HWLOC_API_VERSION >= 0x00020300
#include <hwloc/memattrs.h>
#endif
#if HWLOC_API_VERSION >= 0x00020400
#include <hwloc/cpukinds.h>
#endif

#include <algorithm>
#include <charconv>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "machine/hwloc_infos.hpp"
#include "machine/hwloc_selection.hpp"

namespace comity::machine {
namespace {

struct SubtypeRow {
  std::string_view subtype;
  MemoryKind kind;
};

// What the versions of hwloc call a NUMA node, where they call it anything.
constexpr std::array<SubtypeRow, 8> kSubtypes{{
    {"DRAM", MemoryKind::dram},
    {"HBM", MemoryKind::hbm},
    {"MCDRAM", MemoryKind::hbm},
    {"GPUMemory", MemoryKind::gpu},
    {"NVM", MemoryKind::nvm},
    {"CXL-DRAM", MemoryKind::expander},
    {"CXL-NVM", MemoryKind::nvm},
    {"CXL-HBM", MemoryKind::expander},
}};

std::optional<MemoryKind> named_kind(const hwloc_obj* node) {
  const std::string_view subtype = node->subtype == nullptr ? "" : node->subtype;
  const auto row = std::ranges::find(kSubtypes, subtype, &SubtypeRow::subtype);
  if (row != kSubtypes.end()) return row->kind;
  if (info_of(*node, "DAXType") == "NVM") return MemoryKind::nvm;
  return std::nullopt;
}

#if HWLOC_API_VERSION >= 0x00020300
using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

Bitmap empty_bitmap() {
  Bitmap bitmap(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  if (!bitmap) throw std::bad_alloc();
  return bitmap;
}

// [MiB/s] as these PUs see it; 0: not known, as it is for no PU at all.
std::uint64_t bandwidth(hwloc_topology* topology, const hwloc_obj* node, hwloc_bitmap_s* pus) {
  hwloc_location from{};
  from.type = HWLOC_LOCATION_TYPE_CPUSET;
  from.location.cpuset = pus;
  hwloc_uint64_t value = 0;
  auto* const target = const_cast<hwloc_obj*>(node);  // hwloc only reads it, and does not say so
  if (hwloc_memattr_get_value(topology, HWLOC_MEMATTR_ID_BANDWIDTH, target, &from, 0, &value) != 0) return 0;
  return value;
}

// At least twice as fast as another memory, for PUs that both are near to: what either is to other PUs says nothing.
bool is_fast(hwloc_topology* topology, const hwloc_obj* node) {
  const Bitmap shared = empty_bitmap();
  const int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  for (int i = 0; i < nodes; ++i) {
    const hwloc_obj* const other = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
    if (other == node || hwloc_bitmap_and(shared.get(), other->cpuset, node->cpuset) != 0) continue;
    const std::uint64_t mine = bandwidth(topology, node, shared.get());
    const std::uint64_t theirs = bandwidth(topology, other, shared.get());
    if (theirs != 0 && mine / 2 >= theirs) return true;
  }
  return false;
}
#else
bool is_fast(hwloc_topology*, const hwloc_obj*) { return false; }
#endif

#if HWLOC_API_VERSION >= 0x00020400
CoreKindRecord core_kind_record(int efficiency, Infos infos) {
  CoreKindRecord record{};
  record.efficiency = std::max(efficiency, -1);
  set_text(record.name, info_of(infos, "CoreType"));
  for (const char* name : {"FrequencyMaxMHz", "FrequencyBaseMHz"}) {
    const std::string_view text = info_of(infos, name);
    if (record.max_mhz == 0) (void)std::from_chars(text.data(), text.data() + text.size(), record.max_mhz);
  }
  return record;
}
#endif

}  // namespace

MemoryKind memory_kind(hwloc_topology* topology, const hwloc_obj* node) {
  if (const auto named = named_kind(node)) return *named;
  if (hwloc_bitmap_iszero(node->complete_cpuset) != 0) return MemoryKind::expander;
  return is_fast(topology, node) ? MemoryKind::hbm : MemoryKind::dram;
}

#if HWLOC_API_VERSION >= 0x00020400
std::vector<DraftCoreKind> core_kinds(hwloc_topology* topology, const CpuSet& allowed) {
  std::vector<DraftCoreKind> kinds;
  const Bitmap cpus = empty_bitmap();
  for (int i = 0, count = hwloc_cpukinds_get_nr(topology, 0); i < count; ++i) {
    int efficiency = -1;
    unsigned info_count = 0;
    hwloc_info_s* infos = nullptr;
    const auto kind = static_cast<unsigned>(i);
    if (hwloc_cpukinds_get_info(topology, kind, cpus.get(), &efficiency, &info_count, &infos, 0) != 0) continue;
    const CpuSet mine = to_cpu_set(cpus.get()) & allowed;  // hwloc keeps kinds apart, also those of a file
    if (mine.empty()) continue;
    kinds.push_back({core_kind_record(efficiency, Infos(infos, info_count)), mine});
  }
  return kinds;
}
#else
std::vector<DraftCoreKind> core_kinds(hwloc_topology*, const CpuSet&) { return {}; }
#endif

}  // namespace comity::machine
