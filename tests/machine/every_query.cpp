// SPDX-License-Identifier: BSD-3-Clause
#include "every_query.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"

namespace comity::machine {
namespace {

constexpr int kMostPerType = 40;  // objects that are asked in depth: first and last ones of each type

std::vector<int> some_indices(int count) {
  std::vector<int> indices;
  for (int i = 0; i < std::min(count, kMostPerType); ++i) indices.push_back(i);
  for (int i = std::max(kMostPerType, count - kMostPerType); i < count; ++i) indices.push_back(i);
  return indices;
}

template <typename Query>
void expect_error(Query query) {
  try {
    query();
  } catch (const Error&) {
    return;
  }
  throw std::logic_error("an index outside was answered");
}

std::size_t ask_object(const Machine& m, ObjectType type, int index) {
  const CpuSet cpus = m.cpuset(type, index);
  std::size_t sum = cpus.count() + static_cast<std::size_t>(m.os_index(type, index));
  for (const ObjectTypeRow& other : kObjectTypes) {
    sum += static_cast<std::size_t>(m.count_within(other.type, type, index));
    sum += static_cast<std::size_t>(m.nearest(other.type, cpus).value_or(0));
    const auto closest = m.closest(other.type, cpus);
    if (closest && closest->index >= m.count(other.type)) throw std::logic_error("the closest object is none");
    sum += static_cast<std::size_t>(m.first_intersecting(other.type, cpus).value_or(0));
  }
  if (type == ObjectType::numa) sum += m.memory_bytes(index) + kind_name(m.memory_kind(index)).size();
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::nic}) sum += m.devices_near(kind, type, index).size();
  if (type == ObjectType::l1 || type == ObjectType::l2 || type == ObjectType::l3) sum += m.cache_bytes(type, index);
  return sum;
}

std::size_t ask_pus(const Machine& m) {
  std::size_t sum = 0;
  for (std::size_t pu = 0; pu <= CpuSet::kCapacity; ++pu) {
    sum += m.siblings(pu).count() + static_cast<std::size_t>(m.core_of(pu).value_or(0) + m.pu_index(pu).value_or(0));
  }
  const CpuSet all = CpuSet::first(CpuSet::kCapacity);
  if (m.cores_first(all).size() != all.count()) throw std::logic_error("cores_first lost a PU");
  return sum;
}

std::size_t ask_distances(const Machine& m) {
  std::size_t sum = 0;
  for (const int from : some_indices(m.count(ObjectType::numa))) {
    for (const int to : some_indices(m.count(ObjectType::numa))) {
      sum += static_cast<std::size_t>(m.numa_distance(from, to).value_or(0));
    }
  }
  return sum;
}

std::size_t ask_devices(const Machine& m, DeviceKind kind) {
  std::size_t sum = m.devices_known() ? 1 : 0;
  for (const int index : some_indices(m.count(kind))) {
    const DeviceRecord& device = m.device(kind, index);
    sum += pci_address(device).size() + words_of(device.name).size() + words_of(device.other_names).size();
    sum += words_of(device.vendor).size() + words_of(device.model).size() + words_of(device.unique_id).size();
    sum += m.device_cpuset(kind, index).count();
    if (device.numa >= 0) sum += m.memory_bytes(device.numa);
  }
  for (const int index : {-1, m.count(kind), INT32_MAX}) {
    expect_error([&] { (void)m.device(kind, index); });
    expect_error([&] { (void)m.device_cpuset(kind, index); });
  }
  return sum;
}

std::size_t ask_core_kinds(const Machine& m) {
  std::size_t sum = 0;
  CpuSet seen;
  for (int i = 0; i < m.core_kind_count(); ++i) {
    const CpuSet cpus = m.core_kind_cpuset(i);
    if (seen.intersects(cpus)) throw std::logic_error("a PU is of two kinds");
    seen |= cpus;
    sum += words_of(m.core_kind(i).name).size() + m.core_kind(i).max_mhz;
  }
  for (const int index : {-1, m.core_kind_count(), INT32_MAX}) {
    expect_error([&] { (void)m.core_kind(index); });
    expect_error([&] { (void)m.core_kind_cpuset(index); });
  }
  return sum;
}

// From the machine down: a damaged tree may miss objects, and must not show one twice.
std::size_t walk_tree(const Machine& m) {
  std::size_t objects = 0;
  for (const ObjectTypeRow& row : kObjectTypes) objects += static_cast<std::size_t>(m.count(row.type));
  std::size_t seen = 0;
  std::vector<ObjectRef> open{{ObjectType::machine, 0}};
  while (!open.empty()) {
    const ObjectRef object = open.back();
    open.pop_back();
    if (++seen > objects) throw std::logic_error("the tree has a cycle");
    for (int i = 0; i < m.child_count(object.type, object.index); ++i) {
      open.push_back(m.child(object.type, object.index, i));
      if (m.parent(open.back().type, open.back().index) != object) throw std::logic_error("a child has two parents");
    }
  }
  return seen;
}

}  // namespace

std::size_t ask_everything(const Machine& machine) {
  std::size_t sum = walk_tree(machine) + ask_pus(machine) + ask_distances(machine) + ask_core_kinds(machine);
  for (const DeviceKind kind : {DeviceKind::gpu, DeviceKind::nic}) sum += ask_devices(machine, kind);
  for (const ObjectTypeRow& row : kObjectTypes) {
    const int count = machine.count(row.type);
    for (const int index : some_indices(count)) sum += ask_object(machine, row.type, index);
    for (const int index : {-1, count, INT32_MAX}) {
      expect_error([&] { (void)machine.cpuset(row.type, index); });
      expect_error([&] { (void)machine.parent(row.type, index); });
      expect_error([&] { (void)machine.count_within(ObjectType::pu, row.type, index); });
    }
  }
  for (const char c : machine.name()) sum += static_cast<unsigned char>(c);
  sum += machine.allowed().count() + machine.complete().count() + static_cast<std::size_t>(machine.harts());
  return sum + static_cast<std::size_t>(machine.kind()) + (machine.simulated() ? 1 : 0);
}

}  // namespace comity::machine
