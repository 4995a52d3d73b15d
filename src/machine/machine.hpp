// SPDX-License-Identifier: BSD-3-Clause
// Machine: the queries, answered from an image where it lies. Not: making images (loader.hpp), drawing them
// (cli). A Machine owns nothing: the image must outlive it and must not change under it. No query allocates
// but cores_first() and devices_near(); none can read outside the image, whatever stands in it.
//
// "PU n" is the PU with OS number n, as in CPU sets; every other index is a logical one. What a cgroup or
// cpuset forbids is no object here: the machine is what this job may use, and complete() alone tells of the
// rest. In every query a type without objects gives Status::not_found and an index outside 0 .. count-1
// Status::range, each with the numbers; types outside the enumeration give Status::argument.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/image.hpp"
#include "machine/object_type.hpp"

namespace comity::machine {

// The object of a type that a CPU set belongs to.
struct Closest {
  int index;
  bool covers;  // all of the set lies inside; else it is the object that most of the set lies in
};

class Machine {
 public:
  // Verifies the whole image; throws Status::version for another version, Status::topology for anything else.
  explicit Machine(std::span<const std::byte> image) : image_(check_image(image)) {}

  // Objects of a type; 0 if the machine has none.
  [[nodiscard]] int count(ObjectType type) const;
  // Objects of `inner` whose PUs all lie in object `outer_index` of `outer`: a package counts one package in
  // itself, and in a machine of one package the machine counts in the package. An object without PUs (a
  // memory-only NUMA node) counts in the machine and in itself, nowhere else. Never not_found for `inner`: 0
  // then.
  [[nodiscard]] int count_within(ObjectType inner, ObjectType outer, int outer_index) const;

  // The PUs of an object; empty for a memory-only NUMA node.
  [[nodiscard]] CpuSet cpuset(ObjectType type, int index) const;
  // The PUs that cgroup and cpuset let this job use: those of the machine.
  [[nodiscard]] CpuSet allowed() const;
  // All PUs that the machine has: also those that are forbidden to this job or offline, as far as hwloc knows
  // them.
  [[nodiscard]] CpuSet complete() const;
  // [count] PUs that are allowed.
  [[nodiscard]] int harts() const { return count(ObjectType::pu); }

  // The number that the operating system gives the object; -1 if none.
  [[nodiscard]] int os_index(ObjectType type, int index) const;
  // The PUs of the core of a PU, itself included; only itself where the machine has no cores; empty for an
  // unknown PU.
  [[nodiscard]] CpuSet siblings(std::size_t pu) const;
  // The core of a PU; none for an unknown PU, and where the machine has no cores.
  [[nodiscard]] std::optional<int> core_of(std::size_t pu) const;
  // The logical index of a PU; none for an unknown PU.
  [[nodiscard]] std::optional<int> pu_index(std::size_t pu) const;

  // The smallest object of the type that the set lies inside, the lowest index among equals; none if no
  // single one encloses it, if the set is empty, or if the machine has no such type.
  [[nodiscard]] std::optional<int> nearest(ObjectType type, const CpuSet& cpus) const;
  // nearest(), or where no single object encloses the set the one that shares most PUs with it, the lowest index
  // among equals; none where no object shares any.
  [[nodiscard]] std::optional<Closest> closest(ObjectType type, const CpuSet& cpus) const;
  // The lowest object of the type that shares a PU with the set; none if no object does.
  [[nodiscard]] std::optional<int> first_intersecting(ObjectType type, const CpuSet& cpus) const;

  // The tree, as one would draw it. A NUMA node is a leaf: it stands beside the objects that it is the memory
  // of, right before them, under their parent; so for one NUMA node a package it is the package's first
  // child.
  [[nodiscard]] std::optional<ObjectRef> parent(ObjectType type, int index) const;  // none: the machine
  [[nodiscard]] int child_count(ObjectType type, int index) const;
  [[nodiscard]] ObjectRef child(ObjectType type, int index, int child_index) const;

  // What the firmware says of the way between two NUMA nodes, 10 for the own one as a rule; none where
  // unknown.
  [[nodiscard]] std::optional<int> numa_distance(int from, int to) const;
  // [bytes] size of a cache, 0 where unknown; Status::argument for a type that is no cache.
  [[nodiscard]] std::uint64_t cache_bytes(ObjectType type, int index) const;
  // [bytes] local memory of a NUMA node, 0 where unknown.
  [[nodiscard]] std::uint64_t memory_bytes(int numa) const;

  // What the node's memory is.
  [[nodiscard]] MemoryKind memory_kind(int numa) const;

  // Whether GPUs and NICs were looked for when the image was made; if not, the counts are 0 and say nothing.
  [[nodiscard]] bool devices_known() const { return image_.header.devices_known != 0; }
  // In the order of their PCI addresses; those on no PCI bus come last. The errors of the queries are those of objects.
  [[nodiscard]] int count(DeviceKind kind) const;
  [[nodiscard]] const DeviceRecord& device(DeviceKind kind, int index) const;
  // The PUs near the device; all of the machine where nobody knows; empty where this job may use none of them.
  [[nodiscard]] CpuSet device_cpuset(DeviceKind kind, int index) const;
  // Those near the object, in order: they share a PU with it, or name it as their NUMA node. Allocates.
  [[nodiscard]] std::vector<int> devices_near(DeviceKind kind, ObjectType type, int index) const;

  // Kinds of cores, from the most saving to the fastest; 0 where the system does not tell, 1 where all are alike.
  [[nodiscard]] int core_kind_count() const { return static_cast<int>(image_.core_kinds.size()); }
  [[nodiscard]] const CoreKindRecord& core_kind(int index) const;
  [[nodiscard]] CpuSet core_kind_cpuset(int index) const;

  // The CPU's model, the XML file or the synthetic description.
  [[nodiscard]] std::string_view name() const { return image_.name; }
  [[nodiscard]] Kind kind() const { return image_.header.kind; }
  // The kernel does not know these PUs: binding is remembered and moves nothing.
  [[nodiscard]] bool simulated() const { return image_.header.simulated != 0; }

  // The set's PUs ordered for one thread each: of every core the first PU, in the order of cores, then of
  // every core the second, and so on. PUs that the machine does not have come last: always all of the set,
  // each once. Allocates.
  [[nodiscard]] std::vector<std::size_t> cores_first(const CpuSet& cpus) const;

  // The image without what may follow it, for copying elsewhere.
  [[nodiscard]] std::span<const std::byte> image() const { return image_.whole; }

 private:
  [[nodiscard]] std::size_t id(ObjectType type, int index) const;            // checked place in the object table
  [[nodiscard]] std::size_t device_place(DeviceKind kind, int index) const;  // checked place in the device table
  [[nodiscard]] std::size_t core_kind_place(int index) const;
  [[nodiscard]] ObjectRef ref(std::uint32_t object_id) const;
  [[nodiscard]] std::span<const std::uint64_t> mask(std::size_t place) const;
  [[nodiscard]] const PuSlot* slot(std::size_t pu) const;  // null: no such PU

  ImageBlocks image_;
};

// The text of a field.
template <std::size_t N>
[[nodiscard]] std::string_view words_of(const Text<N>& field) {
  return {field.data(), static_cast<std::size_t>(std::find(field.begin(), field.end(), '\0') - field.begin())};
}

// "0000:3b:00.0"; "" for a device on no PCI bus.
[[nodiscard]] std::string pci_address(const DeviceRecord& device);

}  // namespace comity::machine
