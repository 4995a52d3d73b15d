// SPDX-License-Identifier: BSD-3-Clause
// Image: a machine as one flat block of bytes that every rank of a node reads where it lies. Format only;
// queries are in machine.hpp, the way from hwloc to here in loader.hpp and draft.hpp.
//
// The block starts with a header; the others follow at the offsets that the header gives, each aligned to 8
// bytes:
//
//   header | objects | children | masks | slots | distances | devices | core kinds | name
//
// Objects stand sorted by type, then by logical index: the id of object i of type t is first[t] + i.
// Invariants, which check_image() verifies and every query relies on:
//   first[0] = 0, first[8] = object_count, first[t] <= first[t+1], one machine, at least one NUMA node and
//   one PU; parent(child(o, k)) = o, depth(child(o, k)) = depth(o) + 1, the machine alone has no parent: no
//   cycles; children[place(o)] = o for all but the machine, as many places as objects: no object stands
//   twice; within(o, t) <= count(t); a slot names a PU and a core that exist, or -1; devices stand sorted by kind,
//   first_device[0] = 0 <= first_device[1] <= ..; a device's NUMA node exists, or is -1; a memory's kind is a known one;
//   every text ends with a zero byte inside its field; no PU is of two core kinds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "machine/details.hpp"
#include "machine/object_type.hpp"

namespace comity::machine {

using Image = std::vector<std::byte>;

// Where a machine was read from.
enum class Kind : std::uint32_t { real = 0, xml = 1, synthetic = 2 };

inline constexpr std::uint64_t kImageMagic = 0x6863616d796d6f63;  // "comymach" in memory, low byte first
inline constexpr std::uint32_t kImageVersion = 2;                 // grows with every change of these structs
inline constexpr std::uint32_t kUnknownDistance = 0xffffffff;

struct ImageHeader {
  std::uint64_t magic;  // magic, version, header_bytes keep their place in every version
  std::uint32_t version;
  std::uint32_t header_bytes;
  std::uint64_t total_bytes;  // of the whole image; the memory around it may be larger
  Kind kind;
  std::uint32_t simulated;   // 1: the kernel does not know these PUs, so binding is only remembered
  std::uint32_t mask_words;  // 64-bit words a mask
  std::uint32_t object_count;
  std::array<std::uint32_t, kObjectTypeCount + 1> first;  // [object id] the first of each type, and the end
  std::uint32_t distance_rows;                            // NUMA count, or 0 where no distances are known
  std::uint64_t objects_at;                               // [bytes] ObjectRecord[object_count]
  std::uint64_t children_at;   // [bytes] uint32[object_count - 1]: ids, the children of an object side by side
  std::uint64_t masks_at;      // [bytes] uint64[masks][mask_words]: each object, allowed, complete, devices, core kinds
  std::uint64_t slots_at;      // [bytes] PuSlot[64 mask_words], by OS number
  std::uint64_t distances_at;  // [bytes] uint32[distance_rows][distance_rows], from row to column
  std::uint64_t name_at;       // [bytes] char[name_bytes]
  std::uint32_t name_bytes;
  std::uint32_t devices_known;                                   // 1: devices were looked for; 0: there may be some
  std::array<std::uint32_t, kDeviceKindCount + 1> first_device;  // [place in devices] the first of each kind, the end
  std::uint32_t core_kind_count;
  std::uint64_t devices_at;     // [bytes] DeviceRecord[first_device.back()]
  std::uint64_t core_kinds_at;  // [bytes] CoreKindRecord[core_kind_count]
};

struct ObjectRecord {
  std::uint64_t bytes;        // size of a cache, local memory of a NUMA node; 0 for others and where unknown
  std::int32_t os_index;      // -1: the operating system gives no number
  std::int32_t parent;        // [object id] -1: the machine
  std::uint32_t first_child;  // [place in children]
  std::uint32_t child_count;
  std::uint32_t depth;                                 // steps to the machine
  std::array<std::uint16_t, kObjectTypeCount> within;  // objects of each type whose PUs all lie in this one
  std::uint32_t place;   // [place in children] where this object stands in its parent's list; 0 for the machine
  std::uint32_t memory;  // MemoryKind of a NUMA node; 0 for others
  std::uint32_t reserved;
};

struct PuSlot {
  std::int32_t pu;    // [logical index] -1: no PU has this OS number
  std::int32_t core;  // [logical index] -1: the PU is part of no core
};

template <std::size_t N>
using Text = std::array<char, N>;  // ends with 0

// A GPU or NIC: one PCI function with all the names that the system has for it, or one that is on no PCI bus.
struct DeviceRecord {
  std::uint32_t kind;       // DeviceKind
  std::int32_t numa;        // [logical index] the NUMA node next to it; -1: none, or not one alone
  std::int32_t pci_domain;  // -1: on no PCI bus
  std::uint8_t pci_bus;
  std::uint8_t pci_device;
  std::uint8_t pci_function;
  std::uint8_t reserved;
  std::uint16_t vendor_id;  // of PCI
  std::uint16_t device_id;
  std::uint32_t reserved_too;
  Text<32> name;          // "cuda0", "ib0"; where the system has none the PCI address
  Text<104> other_names;  // "card1,renderD128"
  Text<64> vendor;        // "" where not told, as the next two
  Text<96> model;
  Text<48> unique_id;  // UUID of a GPU, GUID or address of a NIC
};

// Cores that are alike; the kinds stand in the order of their efficiency.
struct CoreKindRecord {
  std::int32_t efficiency;  // 0: of the least performance, saving most power; -1: not told
  std::uint32_t max_mhz;    // 0: not told
  Text<24> name;            // "IntelAtom"; "" where not told
};

static_assert(sizeof(ImageHeader) == 168 && std::is_standard_layout_v<ImageHeader>);
static_assert(sizeof(ObjectRecord) == 56 && std::is_standard_layout_v<ObjectRecord>);
static_assert(sizeof(PuSlot) == 8 && std::is_standard_layout_v<PuSlot>);
static_assert(sizeof(DeviceRecord) == 368 && std::is_standard_layout_v<DeviceRecord>);
static_assert(sizeof(CoreKindRecord) == 32 && std::is_standard_layout_v<CoreKindRecord>);
static_assert(std::is_trivially_copyable_v<ImageHeader> && std::is_trivially_copyable_v<ObjectRecord>);

// The blocks of a checked image, found once. The header's numbers are copies: a later change in the image
// cannot lead a query outside a block through them.
struct ImageBlocks {
  ImageHeader header;
  std::span<const std::byte> whole;  // exactly total_bytes
  std::span<const ObjectRecord> objects;
  std::span<const std::uint32_t> children;
  std::span<const std::uint64_t> masks;
  std::span<const PuSlot> slots;
  std::span<const std::uint32_t> distances;
  std::span<const DeviceRecord> devices;
  std::span<const CoreKindRecord> core_kinds;
  std::string_view name;
};

// Verifies every invariant above; throws Status::version for another version, else Status::topology.
// `bytes` may be longer than the image, and may come from anywhere.
[[nodiscard]] ImageBlocks check_image(std::span<const std::byte> bytes);

}  // namespace comity::machine
