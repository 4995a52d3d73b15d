// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/hardware.hpp"

#include <array>
#include <cstdio>
#include <vector>

namespace comity::cli {
namespace {

using machine::CoreKindRecord;
using machine::DeviceKind;
using machine::DeviceRecord;
using machine::Machine;
using machine::ObjectType;
using machine::words_of;

constexpr std::array<std::string_view, 5> kMemoryWords{"DRAM", "HBM", "expander", "GPU memory", "NVM"};
constexpr std::array kDeviceKindList{DeviceKind::gpu, DeviceKind::nic};
constexpr std::array<const char*, 2> kDeviceWords{"GPU", "NIC"};
constexpr std::size_t kPlaceColumns = 22;
constexpr std::size_t kModelColumns = 30;

std::string cut(std::string_view text, std::size_t columns) {
  if (text.size() <= columns) return std::string(text);
  return std::string(text.substr(0, columns - 2)) + "..";
}

// "package 0, NUMA node 1"; where neither is told, the PUs.
std::string place_text(const Machine& machine, DeviceKind kind, int index) {
  const CpuSet cpus = machine.device_cpuset(kind, index);
  std::string text;
  if (machine.count(ObjectType::package) > 1) {
    if (const auto package = machine.nearest(ObjectType::package, cpus)) text = "package " + std::to_string(*package);
  }
  const int numa = machine.device(kind, index).numa;
  if (numa >= 0) text += (text.empty() ? "NUMA node " : ", NUMA ") + std::to_string(numa);
  if (text.empty() && !cpus.empty()) text = shorten_list("PU " + cpus.to_list(), kPlaceColumns);
  return text;
}

Json device_json(const Machine& machine, DeviceKind kind, int index) {
  const DeviceRecord& device = machine.device(kind, index);
  const CpuSet cpus = machine.device_cpuset(kind, index);
  const auto package = machine.nearest(ObjectType::package, cpus);
  return {{"kind", machine::kind_name(kind)},
          {"index", index},
          {"name", words_of(device.name)},
          {"other_names", words_of(device.other_names)},
          {"pci", machine::pci_address(device)},
          {"vendor", words_of(device.vendor)},
          {"model", words_of(device.model)},
          {"vendor_id", device.vendor_id},
          {"device_id", device.device_id},
          {"unique_id", words_of(device.unique_id)},
          {"package", package ? Json(*package) : Json()},
          {"numa", device.numa >= 0 ? Json(device.numa) : Json()},
          {"cpuset", cpus.to_list()}};
}

}  // namespace

std::string_view word_for(machine::MemoryKind kind) { return kMemoryWords[static_cast<std::size_t>(kind)]; }

std::string core_kinds_text(const Machine& machine) {
  if (machine.core_kind_count() < 2) return {};
  std::vector<std::vector<std::string>> rows{{"Kinds of cores", "efficiency", "MHz", "PUs"}};
  for (int i = 0; i < machine.core_kind_count(); ++i) {
    const CoreKindRecord& kind = machine.core_kind(i);
    const std::string name(words_of(kind.name));
    rows.push_back({"  " + (name.empty() ? std::to_string(i) : name),
                    kind.efficiency < 0 ? "?" : std::to_string(kind.efficiency),
                    kind.max_mhz == 0 ? "?" : std::to_string(kind.max_mhz), machine.core_kind_cpuset(i).to_list()});
  }
  return table(rows, 0);
}

std::string devices_text(const Machine& machine) {
  std::vector<std::vector<std::string>> rows{{"Devices", "name", "PCI", "at", "model"}};
  for (const DeviceKind kind : kDeviceKindList) {
    for (int i = 0; i < machine.count(kind); ++i) {
      const DeviceRecord& device = machine.device(kind, i);
      rows.push_back({std::string("  ") + kDeviceWords[static_cast<std::size_t>(kind)] + ' ' + std::to_string(i),
                      std::string(words_of(device.name)), machine::pci_address(device), place_text(machine, kind, i),
                      cut(words_of(device.model), kModelColumns)});
    }
  }
  return rows.size() == 1 ? std::string() : table(rows, 0);
}

Json core_kinds_json(const Machine& machine) {
  Json kinds = Json::array();
  for (int i = 0; i < machine.core_kind_count(); ++i) {
    const CoreKindRecord& kind = machine.core_kind(i);
    kinds.push_back({{"index", i},
                     {"name", words_of(kind.name)},
                     {"efficiency", kind.efficiency < 0 ? Json() : Json(kind.efficiency)},
                     {"max_mhz", kind.max_mhz == 0 ? Json() : Json(kind.max_mhz)},
                     {"cpuset", machine.core_kind_cpuset(i).to_list()}});
  }
  return kinds;
}

Json devices_json(const Machine& machine) {
  Json devices = Json::array();
  for (const DeviceKind kind : kDeviceKindList) {
    for (int i = 0; i < machine.count(kind); ++i) devices.push_back(device_json(machine, kind, i));
  }
  return devices;
}

}  // namespace comity::cli
