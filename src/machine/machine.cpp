// SPDX-License-Identifier: BSD-3-Clause
#include "machine/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <tuple>

#include "base/error.hpp"

namespace comity::machine {
namespace {

[[noreturn, gnu::cold]] void reject_index(const std::string& name, const std::string& what, int index, int count) {
  if (count == 0) {
    throw Error(Status::not_found, "find " + name + " " + std::to_string(index) + ": this machine has no " + what +
                                       "; `comity topo` shows what it has");
  }
  throw Error(Status::range, "find " + name + " " + std::to_string(index) + ": this machine has " +
                                 std::to_string(count) + ", so indices are 0 to " + std::to_string(count - 1));
}

[[noreturn, gnu::cold]] void reject_index(ObjectType type, int index, int count) {
  const std::string name(type_name(type));
  reject_index(name, "object of type " + name, index, count);
}

CpuSet to_set(std::span<const std::uint64_t> mask) {
  CpuSet set;
  std::copy(mask.begin(), mask.end(), set.words().begin());
  return set;
}

bool contains(std::span<const std::uint64_t> mask, std::size_t pu) {
  return ((mask[pu / CpuSet::kWordBits] >> (pu % CpuSet::kWordBits)) & 1U) != 0;
}

bool encloses(std::span<const std::uint64_t> mask, const CpuSet& cpus) {
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if ((cpus.words()[i] & ~mask[i]) != 0) return false;
  }
  return true;
}

bool intersects(std::span<const std::uint64_t> mask, const CpuSet& cpus) {
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if ((cpus.words()[i] & mask[i]) != 0) return true;
  }
  return false;
}

}  // namespace

int Machine::count(ObjectType type) const {
  if (number(type) >= kObjectTypeCount) (void)type_name(type);  // throws
  const auto& first = image_.header.first;
  return static_cast<int>(first[number(type) + 1] - first[number(type)]);
}

std::size_t Machine::id(ObjectType type, int index) const {
  const int objects = count(type);
  if (index < 0 || index >= objects) reject_index(type, index, objects);
  return image_.header.first[number(type)] + static_cast<std::size_t>(index);
}

ObjectRef Machine::ref(std::uint32_t object_id) const {
  const auto& first = image_.header.first;
  const auto after = std::upper_bound(first.begin(), first.end(), object_id);
  const auto type = static_cast<std::size_t>(after - first.begin()) - 1;
  return {static_cast<ObjectType>(type), static_cast<int>(object_id - first[type])};
}

std::span<const std::uint64_t> Machine::mask(std::size_t place) const {
  const std::size_t words = image_.header.mask_words;
  return image_.masks.subspan(place * words, words);
}

const PuSlot* Machine::slot(std::size_t pu) const {
  if (pu >= image_.slots.size() || image_.slots[pu].pu < 0) return nullptr;
  return &image_.slots[pu];
}

int Machine::count_within(ObjectType inner, ObjectType outer, int outer_index) const {
  if (number(inner) >= kObjectTypeCount) (void)type_name(inner);  // throws
  return image_.objects[id(outer, outer_index)].within[number(inner)];
}

CpuSet Machine::cpuset(ObjectType type, int index) const { return to_set(mask(id(type, index))); }

CpuSet Machine::allowed() const { return to_set(mask(image_.objects.size())); }

CpuSet Machine::complete() const { return to_set(mask(image_.objects.size() + 1)); }

int Machine::os_index(ObjectType type, int index) const { return image_.objects[id(type, index)].os_index; }

CpuSet Machine::siblings(std::size_t pu) const {
  const PuSlot* found = slot(pu);
  if (found == nullptr) return {};
  return found->core < 0 ? CpuSet{pu} : cpuset(ObjectType::core, found->core);
}

std::optional<int> Machine::core_of(std::size_t pu) const {
  const PuSlot* found = slot(pu);
  if (found == nullptr || found->core < 0) return std::nullopt;
  return found->core;
}

std::optional<int> Machine::pu_index(std::size_t pu) const {
  const PuSlot* found = slot(pu);
  if (found == nullptr) return std::nullopt;
  return found->pu;
}

std::optional<int> Machine::nearest(ObjectType type, const CpuSet& cpus) const {
  const int objects = count(type);
  const std::optional<std::size_t> lowest = cpus.lowest();
  if (!lowest || *cpus.highest() >= image_.slots.size()) return std::nullopt;
  const std::size_t first = image_.header.first[number(type)];
  std::optional<int> best;
  int best_pus = 0;
  for (int index = 0; index < objects; ++index) {
    const std::size_t place = first + static_cast<std::size_t>(index);
    const int pus = image_.objects[place].within[number(ObjectType::pu)];
    if (best && pus >= best_pus) continue;
    const auto object_mask = mask(place);
    if (!contains(object_mask, *lowest) || !encloses(object_mask, cpus)) continue;  // most lack the lowest PU
    best = index;
    best_pus = pus;
  }
  return best;
}

std::optional<Closest> Machine::closest(ObjectType type, const CpuSet& cpus) const {
  if (const auto index = nearest(type, cpus)) return Closest{*index, true};
  std::optional<Closest> best;
  std::size_t most = 0;
  for (int index = 0, objects = count(type); index < objects; ++index) {
    const std::size_t shared = (cpuset(type, index) & cpus).count();
    if (shared <= most) continue;
    best = Closest{index, false};
    most = shared;
  }
  return best;
}

std::optional<int> Machine::first_intersecting(ObjectType type, const CpuSet& cpus) const {
  for (int index = 0, objects = count(type); index < objects; ++index) {
    if (intersects(mask(id(type, index)), cpus)) return index;
  }
  return std::nullopt;
}

std::optional<ObjectRef> Machine::parent(ObjectType type, int index) const {
  const std::int32_t above = image_.objects[id(type, index)].parent;
  if (above < 0) return std::nullopt;
  return ref(static_cast<std::uint32_t>(above));
}

int Machine::child_count(ObjectType type, int index) const {
  return static_cast<int>(image_.objects[id(type, index)].child_count);
}

ObjectRef Machine::child(ObjectType type, int index, int child_index) const {
  const ObjectRecord& object = image_.objects[id(type, index)];
  if (child_index < 0 || static_cast<std::uint32_t>(child_index) >= object.child_count) {
    throw Error(Status::range, "find child " + std::to_string(child_index) + " of " + std::string(type_name(type)) +
                                   " " + std::to_string(index) + ": it has " + std::to_string(object.child_count));
  }
  return ref(image_.children[object.first_child + static_cast<std::size_t>(child_index)]);
}

std::optional<int> Machine::numa_distance(int from, int to) const {
  const std::size_t first = image_.header.first[number(ObjectType::numa)];
  const std::size_t row = id(ObjectType::numa, from) - first;
  const std::size_t column = id(ObjectType::numa, to) - first;
  if (image_.header.distance_rows == 0) return std::nullopt;
  const std::uint32_t distance = image_.distances[row * image_.header.distance_rows + column];
  if (distance > INT32_MAX) return std::nullopt;
  return static_cast<int>(distance);
}

std::uint64_t Machine::cache_bytes(ObjectType type, int index) const {
  if (type != ObjectType::l1 && type != ObjectType::l2 && type != ObjectType::l3) {
    throw Error(Status::argument, "find the cache size of " + std::string(type_name(type)) + " " +
                                      std::to_string(index) + ": it is no cache; ask for l1, l2 or l3");
  }
  return image_.objects[id(type, index)].bytes;
}

std::uint64_t Machine::memory_bytes(int numa) const { return image_.objects[id(ObjectType::numa, numa)].bytes; }

MemoryKind Machine::memory_kind(int numa) const {
  return static_cast<MemoryKind>(image_.objects[id(ObjectType::numa, numa)].memory);
}

int Machine::count(DeviceKind kind) const {
  const auto k = static_cast<std::size_t>(kind);
  if (k >= kDeviceKindCount) {
    throw Error(Status::argument, "find devices of kind " + std::to_string(k) +
                                      ": there is no such kind; kinds are 0 to " +
                                      std::to_string(kDeviceKindCount - 1));
  }
  return static_cast<int>(image_.header.first_device[k + 1] - image_.header.first_device[k]);
}

std::size_t Machine::device_place(DeviceKind kind, int index) const {
  const int devices = count(kind);
  const std::string name(kind_name(kind));
  if (index < 0 || index >= devices) reject_index(name, name + " that its topology shows", index, devices);
  return image_.header.first_device[static_cast<std::size_t>(kind)] + static_cast<std::size_t>(index);
}

const DeviceRecord& Machine::device(DeviceKind kind, int index) const {
  return image_.devices[device_place(kind, index)];
}

CpuSet Machine::device_cpuset(DeviceKind kind, int index) const {
  return to_set(mask(image_.objects.size() + 2 + device_place(kind, index)));
}

std::vector<int> Machine::devices_near(DeviceKind kind, ObjectType type, int index) const {
  const CpuSet object = cpuset(type, index);
  std::vector<int> devices;
  for (int i = 0, all = count(kind); i < all; ++i) {
    const bool beside = type == ObjectType::numa && device(kind, i).numa == index;
    if (beside || device_cpuset(kind, i).intersects(object) || type == ObjectType::machine) devices.push_back(i);
  }
  return devices;
}

std::size_t Machine::core_kind_place(int index) const {
  if (index < 0 || index >= core_kind_count()) {
    reject_index("core kind", "kinds of cores that its system tells", index, core_kind_count());
  }
  return static_cast<std::size_t>(index);
}

const CoreKindRecord& Machine::core_kind(int index) const { return image_.core_kinds[core_kind_place(index)]; }

CpuSet Machine::core_kind_cpuset(int index) const {
  return to_set(mask(image_.objects.size() + 2 + image_.devices.size() + core_kind_place(index)));
}

std::string pci_address(const DeviceRecord& device) {
  if (device.pci_domain < 0) return {};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", static_cast<unsigned>(device.pci_domain), device.pci_bus,
                device.pci_device, device.pci_function);
  return text.data();
}

std::vector<std::size_t> Machine::cores_first(const CpuSet& cpus) const {
  struct Candidate {
    int round;    // how many PUs of the same core stand before this one
    int core;     // logical index; where there are no cores every PU is one
    int sibling;  // logical index of the PU
    std::size_t pu;
  };
  std::vector<Candidate> known;
  std::vector<std::size_t> unknown;
  cpus.for_each([&](std::size_t pu) {
    const PuSlot* found = slot(pu);
    if (found == nullptr) {
      unknown.push_back(pu);
    } else {
      known.push_back({0, found->core < 0 ? found->pu : found->core, found->pu, pu});
    }
  });
  std::ranges::sort(known, {}, [](const Candidate& c) { return std::tuple(c.core, c.sibling); });
  for (std::size_t i = 1; i < known.size(); ++i) {
    if (known[i].core == known[i - 1].core) known[i].round = known[i - 1].round + 1;
  }
  std::ranges::stable_sort(known, {}, &Candidate::round);
  std::vector<std::size_t> order;
  order.reserve(known.size() + unknown.size());
  for (const Candidate& candidate : known) order.push_back(candidate.pu);
  order.insert(order.end(), unknown.begin(), unknown.end());
  return order;
}

}  // namespace comity::machine
