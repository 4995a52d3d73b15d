// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/objects.hpp"

#include <array>

namespace comity::cli {
namespace {

using machine::Machine;
using machine::ObjectRef;
using machine::ObjectType;

// Large before small; of objects with equal sets the one that people name first (a core, not its private caches).
constexpr std::array kPreference{ObjectType::machine, ObjectType::package, ObjectType::numa, ObjectType::l3,
                                 ObjectType::core,    ObjectType::l2,      ObjectType::l1,   ObjectType::pu};
constexpr std::array<std::string_view, 8> kWords{"machine", "package", "NUMA node", "L3", "L2", "L1", "core", "PU"};

void take_objects_of(const Machine& machine, ObjectType type, CpuSet& left, std::vector<ObjectRef>& taken) {
  for (int index = 0; index < machine.count(type) && !left.empty(); ++index) {
    const CpuSet cpus = machine.cpuset(type, index);
    if (cpus.empty() || !left.encloses(cpus)) continue;
    taken.push_back({type, index});
    left -= cpus;
  }
}

std::string type_run(const Machine& machine, ObjectType type, const std::vector<ObjectRef>& objects) {
  CpuSet numbers;
  for (const ObjectRef& object : objects) {
    if (object.type != type) continue;
    const int number = type == ObjectType::pu ? machine.os_index(type, object.index) : object.index;
    numbers.insert(static_cast<std::size_t>(number));
  }
  if (numbers.empty()) return {};
  return std::string(word_for(type)) + (numbers.count() == 1 ? " " : "s ") + numbers.to_list();
}

}  // namespace

std::string_view word_for(ObjectType type) { return kWords[static_cast<std::size_t>(type)]; }

Cover cover(const Machine& machine, const CpuSet& cpus) {
  Cover result;
  CpuSet left = cpus & machine.allowed();
  for (const ObjectType type : kPreference) take_objects_of(machine, type, left, result.objects);
  result.outside = cpus - machine.allowed();
  return result;
}

std::string cover_text(const Machine& machine, const CpuSet& cpus) {
  const Cover covered = cover(machine, cpus);
  std::string text;
  const auto append = [&](const std::string& piece) {
    if (!piece.empty()) text += (text.empty() ? "" : ", ") + piece;
  };
  if (cpus.encloses(machine.allowed())) {
    append("machine (not bound)");
  } else {
    for (const ObjectType type : kPreference) append(type_run(machine, type, covered.objects));
  }
  if (!covered.outside.empty()) append("not of this machine: " + covered.outside.to_list());
  return text;
}

}  // namespace comity::cli
