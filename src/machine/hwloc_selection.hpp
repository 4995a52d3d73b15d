// SPDX-License-Identifier: BSD-3-Clause
// Selection: which of hwloc's objects become ours, and under which index. Included by the loader's own files alone.
#pragma once

#include <hwloc.h>

#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/object_type.hpp"

namespace comity::machine {

struct TypePair {
  ObjectType ours;
  hwloc_obj_type_t theirs;
};

// L1 means the data or unified cache: instruction caches are a type of their own in hwloc, groups and others
// are not ours.
inline constexpr std::array<TypePair, kObjectTypeCount> kTypePairs{{
    {ObjectType::machine, HWLOC_OBJ_MACHINE},
    {ObjectType::package, HWLOC_OBJ_PACKAGE},
    {ObjectType::numa, HWLOC_OBJ_NUMANODE},
    {ObjectType::l3, HWLOC_OBJ_L3CACHE},
    {ObjectType::l2, HWLOC_OBJ_L2CACHE},
    {ObjectType::l1, HWLOC_OBJ_L1CACHE},
    {ObjectType::core, HWLOC_OBJ_CORE},
    {ObjectType::pu, HWLOC_OBJ_PU},
}};

inline CpuSet to_cpu_set(hwloc_const_bitmap_t bitmap) {
  CpuSet set;
  if (bitmap == nullptr) return set;
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0 && static_cast<std::size_t>(cpu) < CpuSet::kCapacity;
       cpu = hwloc_bitmap_next(bitmap, cpu)) {
    set.insert(static_cast<std::size_t>(cpu));
  }
  return set;
}

// hwloc keeps what has memory though it has no PU. A NUMA node without PUs is one to us too; anything else without PUs is
// left out, for nobody can be bound to it.
inline bool is_kept(const hwloc_obj* object) {
  return object->type == HWLOC_OBJ_NUMANODE || hwloc_bitmap_iszero(object->cpuset) == 0;
}

// The objects that become ours, and their indices with us: hwloc's order without what is left out.
class Selection {
 public:
  explicit Selection(hwloc_topology* topology) {
    for (const TypePair& pair : kTypePairs) {
      const int count = hwloc_get_nbobjs_by_type(topology, pair.theirs);
      for (int i = 0; i < count; ++i) {
        select(pair.ours, hwloc_get_obj_by_type(topology, pair.theirs, static_cast<unsigned>(i)));
      }
    }
  }

  [[nodiscard]] const std::vector<const hwloc_obj*>& of(ObjectType type) const {
    return objects_[static_cast<std::size_t>(type)];
  }
  [[nodiscard]] std::size_t size() const { return refs_.size(); }
  [[nodiscard]] std::optional<ObjectRef> ref_of(const hwloc_obj* object) const {
    const auto found = refs_.find(object);
    if (found == refs_.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] std::optional<ObjectRef> parent_of(const hwloc_obj* object) const {
    for (const hwloc_obj* above = object->parent; above != nullptr; above = above->parent) {
      if (const auto ref = ref_of(above)) return ref;
    }
    return std::nullopt;
  }

 private:
  void select(ObjectType type, const hwloc_obj* object) {
    if (!is_kept(object)) return;
    auto& objects = objects_[static_cast<std::size_t>(type)];
    refs_.emplace(object, ObjectRef{type, static_cast<int>(objects.size())});
    objects.push_back(object);
  }

  std::array<std::vector<const hwloc_obj*>, kObjectTypeCount> objects_;
  std::unordered_map<const hwloc_obj*, ObjectRef> refs_;
};

}  // namespace comity::machine
