// SPDX-License-Identifier: BSD-3-Clause
#include "machine/restrict.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace comity::machine {
namespace {

bool is_cache(ObjectType type) { return type == ObjectType::l1 || type == ObjectType::l2 || type == ObjectType::l3; }

DraftObject object_of(const Machine& machine, ObjectType type, int index) {
  DraftObject object{.os_index = machine.os_index(type, index),
                     .bytes = 0,
                     .cpus = machine.cpuset(type, index),
                     .parent = machine.parent(type, index)};
  if (is_cache(type)) object.bytes = machine.cache_bytes(type, index);
  if (type == ObjectType::numa) {
    object.bytes = machine.memory_bytes(index);
    object.memory = machine.memory_kind(index);
  }
  return object;
}

void append_below(const Machine& machine, ObjectRef ref, std::vector<ObjectRef>& order) {
  order.push_back(ref);
  for (int i = 0, count = machine.child_count(ref.type, ref.index); i < count; ++i) {
    append_below(machine, machine.child(ref.type, ref.index, i), order);
  }
}

std::vector<std::uint32_t> distances_of(const Machine& machine) {
  const int nodes = machine.count(ObjectType::numa);
  std::vector<std::uint32_t> distances;
  bool known = false;
  for (int from = 0; from < nodes; ++from) {
    for (int to = 0; to < nodes; ++to) {
      const auto distance = machine.numa_distance(from, to);
      known = known || distance.has_value();
      distances.push_back(distance ? static_cast<std::uint32_t>(*distance) : kUnknownDistance);
    }
  }
  if (!known) distances.clear();
  return distances;
}

const std::vector<DraftObject>& nodes_in(const Draft& draft) { return draft.objects[number(ObjectType::numa)]; }

// One without a number that a set can hold stays: no list forbids it.
bool is_among(const DraftObject& node, const CpuSet& nodes) {
  const auto os_index = static_cast<std::size_t>(node.os_index);
  return node.os_index < 0 || os_index >= CpuSet::kCapacity || nodes.contains(os_index);
}

// Which objects stay, under which numbers.
class Restriction {
 public:
  Restriction(const Draft& draft, const CpuSet& pus, const CpuSet& nodes) : draft_(draft) {
    for (std::size_t t = 0; t < kObjectTypeCount; ++t) {
      int next = 0;
      for (const DraftObject& object : draft.objects[t]) {
        const bool stays = t == number(ObjectType::numa) ? is_among(object, nodes) : object.cpus.intersects(pus);
        new_index_[t].push_back(stays ? next++ : -1);
      }
    }
  }

  [[nodiscard]] std::optional<ObjectRef> renumbered(ObjectRef ref) const {
    const int index = new_index_[number(ref.type)][static_cast<std::size_t>(ref.index)];
    if (index < 0) return std::nullopt;
    return ObjectRef{ref.type, index};
  }
  // The nearest one above that stays.
  [[nodiscard]] std::optional<ObjectRef> parent(std::optional<ObjectRef> above) const {
    while (above && !renumbered(*above)) {
      above = draft_.objects[number(above->type)][static_cast<std::size_t>(above->index)].parent;
    }
    return above ? renumbered(*above) : std::nullopt;
  }
  // The NUMA node next to a device; where that one goes the first that stays of those for the same PUs. -1: none.
  [[nodiscard]] int node_beside(int node) const {
    if (node < 0) return -1;
    const std::vector<int>& new_index = new_index_[number(ObjectType::numa)];
    const auto was = static_cast<std::size_t>(node);
    if (new_index[was] >= 0) return new_index[was];
    const CpuSet& near = nodes_in(draft_)[was].cpus;
    for (std::size_t i = 0; i < new_index.size() && !near.empty(); ++i) {
      if (new_index[i] >= 0 && nodes_in(draft_)[i].cpus == near) return new_index[i];
    }
    return -1;
  }
  // Row by row, one row a node that stays.
  [[nodiscard]] std::vector<std::uint32_t> distances() const {
    const std::vector<int>& new_index = new_index_[number(ObjectType::numa)];
    std::vector<std::uint32_t> left;
    for (std::size_t i = 0; i < draft_.distances.size(); ++i) {
      if (new_index[i / new_index.size()] >= 0 && new_index[i % new_index.size()] >= 0) {
        left.push_back(draft_.distances[i]);
      }
    }
    return left;
  }

 private:
  const Draft& draft_;
  std::array<std::vector<int>, kObjectTypeCount> new_index_;
};

void restrict_objects(const Draft& draft, const Restriction& restriction, const CpuSet& pus, Draft& result) {
  for (std::size_t t = 0; t < kObjectTypeCount; ++t) {
    for (int i = 0; i < static_cast<int>(draft.objects[t].size()); ++i) {
      if (!restriction.renumbered({static_cast<ObjectType>(t), i})) continue;
      DraftObject object = draft.objects[t][static_cast<std::size_t>(i)];
      object.cpus &= pus;
      object.parent = restriction.parent(object.parent);
      result.objects[t].push_back(object);
    }
  }
  for (const ObjectRef ref : draft.tree_order) {
    if (const auto kept = restriction.renumbered(ref)) result.tree_order.push_back(*kept);
  }
}

}  // namespace

CpuSet nodes_of(const Machine& machine) {
  CpuSet nodes;
  for (int i = 0, count = machine.count(ObjectType::numa); i < count; ++i) {
    const int os_index = machine.os_index(ObjectType::numa, i);
    if (os_index >= 0 && os_index < static_cast<int>(CpuSet::kCapacity))
      nodes.insert(static_cast<std::size_t>(os_index));
  }
  return nodes;
}

Draft draft_of(const Machine& machine) {
  Draft draft;
  draft.kind = machine.kind();
  draft.simulated = machine.simulated();
  draft.name = machine.name();
  for (const ObjectTypeRow& row : kObjectTypes) {
    for (int i = 0, count = machine.count(row.type); i < count; ++i) {
      draft.objects[number(row.type)].push_back(object_of(machine, row.type, i));
    }
  }
  append_below(machine, {ObjectType::machine, 0}, draft.tree_order);
  draft.allowed = machine.allowed();
  draft.allowed_nodes = nodes_of(machine);
  draft.complete = machine.complete();
  draft.distances = distances_of(machine);
  draft.devices_known = machine.devices_known();
  for (std::size_t k = 0; k < kDeviceKindCount; ++k) {
    const auto kind = static_cast<DeviceKind>(k);
    for (int i = 0, count = machine.count(kind); i < count; ++i) {
      draft.devices.push_back({machine.device(kind, i), machine.device_cpuset(kind, i)});
    }
  }
  for (int i = 0; i < machine.core_kind_count(); ++i) {
    draft.core_kinds.push_back({machine.core_kind(i), machine.core_kind_cpuset(i)});
  }
  return draft;
}

Draft restricted(const Draft& draft, const CpuSet& pus) {
  return restricted(draft, pus, CpuSet::first(CpuSet::kCapacity));
}

Draft restricted(const Draft& draft, const CpuSet& pus, const CpuSet& nodes) {
  const Restriction restriction(draft, pus, nodes);
  Draft result;
  result.kind = draft.kind;
  result.simulated = draft.simulated;
  result.name = draft.name;
  result.complete = draft.complete;
  result.distances = restriction.distances();
  result.devices_known = draft.devices_known;
  restrict_objects(draft, restriction, pus, result);
  if (result.objects.front().empty()) {
    throw Error(Status::topology, "restrict the machine to PU " + pus.to_list() + ": it has none of them");
  }
  result.allowed = result.objects.front().front().cpus;
  result.allowed_nodes = draft.allowed_nodes & nodes;
  result.devices = draft.devices;
  for (DraftDevice& device : result.devices) {
    device.cpus &= pus;
    device.record.numa = restriction.node_beside(device.record.numa);
  }
  result.core_kinds = draft.core_kinds;
  for (DraftCoreKind& kind : result.core_kinds) kind.cpus &= pus;
  std::erase_if(result.core_kinds, [](const DraftCoreKind& kind) { return kind.cpus.empty(); });
  return result;
}

CpuSet one_a_core(const Draft& draft) {
  CpuSet pus;
  for (const DraftObject& core : draft.objects[number(ObjectType::core)]) {
    if (const auto lowest = core.cpus.lowest()) pus.insert(*lowest);
  }
  CpuSet in_cores;
  for (const DraftObject& core : draft.objects[number(ObjectType::core)]) in_cores |= core.cpus;
  return pus | (draft.allowed - in_cores);
}

Image pack(const Draft& complete) {
  const Draft allowed = restricted(complete, complete.allowed, complete.allowed_nodes);
  Image packed = assemble(allowed);
  for (const Draft& draft : {restricted(allowed, one_a_core(allowed)), complete}) {
    const Image image = assemble(draft);
    packed.insert(packed.end(), image.begin(), image.end());
  }
  return packed;
}

NodeMachines unpack(std::span<const std::byte> packed) {
  const Machine allowed(packed);
  const auto behind_allowed = packed.subspan(allowed.image().size());
  const Machine cores(behind_allowed);
  return {allowed, cores, Machine(behind_allowed.subspan(cores.image().size()))};
}

}  // namespace comity::machine
