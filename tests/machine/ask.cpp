// SPDX-License-Identifier: BSD-3-Clause
#include "ask.hpp"

#include <array>
#include <cstdio>
#include <functional>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"

namespace comity::machine {
namespace {

// The words behind the query's name, taken one by one.
class Words {
 public:
  explicit Words(const std::string& text) : stream_(text) {}

  std::string word() {
    std::string text;
    stream_ >> text;
    return text;
  }
  int number() { return std::stoi(word()); }
  std::size_t pu() { return std::stoul(word()); }
  ObjectType type() { return parse_type(word()); }
  DeviceKind device_kind() {
    const std::string name = word();
    for (std::size_t k = 0; k < kDeviceKindCount; ++k) {
      if (kDeviceKinds[k] == name) return static_cast<DeviceKind>(k);
    }
    throw std::invalid_argument("no such kind of device: " + name);
  }
  CpuSet cpus() { return CpuSet::parse_list(word()); }

 private:
  std::istringstream stream_;
};

std::string text_of(std::optional<int> number) { return number ? std::to_string(*number) : "none"; }

std::string text_of(ObjectRef ref) { return std::string(type_name(ref.type)) + " " + std::to_string(ref.index); }

std::string children(const Machine& machine, ObjectType type, int index) {
  std::string list;
  for (int i = 0; i < machine.child_count(type, index); ++i) {
    if (i > 0) list += ", ";
    list += text_of(machine.child(type, index, i));
  }
  return list;
}

std::string parent(const Machine& machine, ObjectType type, int index) {
  const auto above = machine.parent(type, index);
  return above ? text_of(*above) : "none";
}

std::string cores_first(const Machine& machine, const CpuSet& cpus) {
  std::string list;
  for (const std::size_t pu : machine.cores_first(cpus)) {
    if (!list.empty()) list += ' ';
    list += std::to_string(pu);
  }
  return list;
}

std::string closest(const Machine& machine, ObjectType type, const CpuSet& cpus) {
  const auto found = machine.closest(type, cpus);
  return found ? std::to_string(found->index) + (found->covers ? " covers" : " overlaps") : "none";
}

std::string text_of(const DeviceRecord& device) {
  const std::string pci = pci_address(device);
  const std::string id(words_of(device.unique_id));
  return std::string(words_of(device.name)) + (pci.empty() ? "" : " at " + pci) + " numa " +
         std::to_string(device.numa) + " id " + (id.empty() ? "none" : id);
}

std::string model_of(const DeviceRecord& device) {
  std::array<char, 16> ids{};
  std::snprintf(ids.data(), ids.size(), "%04x:%04x", device.vendor_id, device.device_id);
  return std::string(words_of(device.vendor)) + ", " + std::string(words_of(device.model)) + ", " + ids.data();
}

std::string core_kind(const Machine& machine, int index) {
  const CoreKindRecord& kind = machine.core_kind(index);
  return "efficiency " + std::to_string(kind.efficiency) + ", " + std::string(words_of(kind.name)) + ", " +
         std::to_string(kind.max_mhz) + " MHz, PU " + machine.core_kind_cpuset(index).to_list();
}

std::string near(const Machine& machine, DeviceKind kind, ObjectType type, int index) {
  std::string list;
  for (const int device : machine.devices_near(kind, type, index)) {
    list += (list.empty() ? "" : " ") + std::to_string(device);
  }
  return list;
}

std::string device_answer(const Machine& m, const std::string& name, Words& words) {
  const DeviceKind kind = words.device_kind();
  if (name == "devices") return std::to_string(m.count(kind));
  if (name == "devices_near") {
    const ObjectType type = words.type();
    return near(m, kind, type, words.number());
  }
  const int index = words.number();
  if (name == "device") return text_of(m.device(kind, index));
  if (name == "device_names") return std::string(words_of(m.device(kind, index).other_names));
  if (name == "device_model") return model_of(m.device(kind, index));
  if (name == "device_cpuset") return m.device_cpuset(kind, index).to_list();
  throw std::invalid_argument("no such query: " + name);
}

std::string answer(const Machine& m, const std::string& name, Words& words) {
  if (name == "allowed") return m.allowed().to_list();
  if (name == "complete") return m.complete().to_list();
  if (name == "harts") return std::to_string(m.harts());
  if (name == "simulated") return m.simulated() ? "yes" : "no";
  if (name == "siblings") return m.siblings(words.pu()).to_list();
  if (name == "core_of") return text_of(m.core_of(words.pu()));
  if (name == "pu_index") return text_of(m.pu_index(words.pu()));
  if (name == "memory_kind") return std::string(kind_name(m.memory_kind(words.number())));
  if (name == "core_kinds") return std::to_string(m.core_kind_count());
  if (name == "core_kind") return core_kind(m, words.number());
  if (name.starts_with("device")) return device_answer(m, name, words);
  if (name == "cores_first") return cores_first(m, words.cpus());
  if (name == "memory") return std::to_string(m.memory_bytes(words.number()));
  if (name == "distance") {
    const int from = words.number();
    return text_of(m.numa_distance(from, words.number()));
  }
  const ObjectType type = words.type();
  if (name == "count") return std::to_string(m.count(type));
  if (name == "nearest") return text_of(m.nearest(type, words.cpus()));
  if (name == "closest") return closest(m, type, words.cpus());
  if (name == "first") return text_of(m.first_intersecting(type, words.cpus()));
  if (name == "within") {
    const ObjectType outer = words.type();
    return std::to_string(m.count_within(type, outer, words.number()));
  }
  const int index = words.number();
  if (name == "cpuset") return m.cpuset(type, index).to_list();
  if (name == "os_index") return std::to_string(m.os_index(type, index));
  if (name == "parent") return parent(m, type, index);
  if (name == "children") return children(m, type, index);
  if (name == "cache") return std::to_string(m.cache_bytes(type, index));
  throw std::invalid_argument("no such query: " + name);
}

std::string text_of(Status status) {
  switch (status) {
    case Status::range:
      return "range";
    case Status::not_found:
      return "not_found";
    case Status::argument:
      return "argument";
    default:
      return "error " + std::to_string(static_cast<int>(status));
  }
}

}  // namespace

std::string ask(const Machine& machine, const std::string& query) {
  Words words(query);
  const std::string name = words.word();
  try {
    return answer(machine, name, words);
  } catch (const Error& error) {
    return text_of(error.status());
  }
}

}  // namespace comity::machine
