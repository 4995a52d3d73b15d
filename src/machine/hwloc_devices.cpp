// SPDX-License-Identifier: BSD-3-Clause
#include "machine/hwloc_devices.hpp"

#include <hwloc.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>

#include "machine/hwloc_infos.hpp"
#include "machine/hwloc_selection.hpp"
#include "machine/machine.hpp"

namespace comity::machine {
namespace {

// One PCI function, or one OS device that is on no PCI bus, with what the system calls it.
struct Found {
  hwloc_obj* place;  // whose parents tell where it is
  const hwloc_obj* pci = nullptr;
  std::vector<const hwloc_obj*> os_devices;
};

std::optional<DeviceKind> kind_of_os_device(const hwloc_obj* device) {
  switch (device->attr->osdev.type) {
    case HWLOC_OBJ_OSDEV_GPU:
      return DeviceKind::gpu;
    case HWLOC_OBJ_OSDEV_COPROC:
      if (info_of(*device, "OpenCLDeviceType") == "CPU") return std::nullopt;
      return DeviceKind::gpu;
    case HWLOC_OBJ_OSDEV_NETWORK:
      if (std::string_view(device->name == nullptr ? "" : device->name) == "lo") return std::nullopt;
      return DeviceKind::nic;
    case HWLOC_OBJ_OSDEV_OPENFABRICS:
      return DeviceKind::nic;
    default:
      return std::nullopt;
  }
}

// The display of a board's own management controller draws a console and computes nothing.
bool is_console(const hwloc_obj* pci) {
  constexpr std::array<unsigned, 2> kMakers{0x1a03, 0x102b};  // ASPEED, Matrox
  return pci != nullptr && std::ranges::find(kMakers, pci->attr->pcidev.vendor_id) != kMakers.end();
}

// A GPU without a driver that hwloc knows still computes; a NIC without one is a spare.
bool computes(const hwloc_obj* pci) {
  constexpr unsigned kDisplay = 0x03;
  constexpr unsigned kAccelerator = 0x12;
  const unsigned family = pci->attr->pcidev.class_id >> 8U;
  return (family == kDisplay || family == kAccelerator) && !is_console(pci);
}

std::optional<DeviceKind> kind_of(const Found& found) {
  for (const hwloc_obj* device : found.os_devices) {
    const auto kind = kind_of_os_device(device);
    if (kind == DeviceKind::gpu && is_console(found.pci)) return std::nullopt;
    if (kind) return kind;
  }
  if (found.pci != nullptr && computes(found.pci)) return DeviceKind::gpu;
  return std::nullopt;
}

hwloc_obj* pci_above(hwloc_obj* device) {
  hwloc_obj* above = device->parent;
  while (above != nullptr && above->type == HWLOC_OBJ_OS_DEVICE) above = above->parent;
  return above != nullptr && above->type == HWLOC_OBJ_PCI_DEVICE ? above : nullptr;
}

std::vector<Found> find_all(hwloc_topology* topology) {
  std::vector<Found> all;
  std::unordered_map<const hwloc_obj*, std::size_t> by_pci;
  for (hwloc_obj* pci = hwloc_get_next_pcidev(topology, nullptr); pci != nullptr;
       pci = hwloc_get_next_pcidev(topology, pci)) {
    by_pci.emplace(pci, all.size());
    all.push_back({pci, pci, {}});
  }
  for (hwloc_obj* device = hwloc_get_next_osdev(topology, nullptr); device != nullptr;
       device = hwloc_get_next_osdev(topology, device)) {
    if (!kind_of_os_device(device)) continue;
    hwloc_obj* const pci = pci_above(device);
    if (pci != nullptr) {
      all[by_pci.at(pci)].os_devices.push_back(device);
    } else {
      all.push_back({device, nullptr, {device}});
    }
  }
  return all;
}

// The name that programs take comes first: "cuda0" before "card1", "eth0" before "mlx5_0".
int rank_of_name(const hwloc_obj* device) {
  const auto type = device->attr->osdev.type;
  if (type == HWLOC_OBJ_OSDEV_COPROC) return std::string_view(device->name).starts_with("cuda") ? 0 : 1;
  if (type == HWLOC_OBJ_OSDEV_NETWORK) return 0;
  const std::string_view name = device->name;
  return name.starts_with("card") || name.starts_with("render") || name.starts_with("control") ? 3 : 2;
}

std::vector<const hwloc_obj*> in_order_of_names(std::vector<const hwloc_obj*> devices) {
  std::erase_if(devices, [](const hwloc_obj* device) { return device->name == nullptr; });
  std::ranges::stable_sort(devices, {}, rank_of_name);
  return devices;
}

void set_names(DeviceRecord& record, const std::vector<const hwloc_obj*>& named) {
  set_text(record.name, named.empty() ? pci_address(record) : named.front()->name);
  std::string others;
  for (std::size_t i = 1; i < named.size(); ++i) others += (others.empty() ? "" : ",") + std::string(named[i]->name);
  set_text(record.other_names, others);
}

// The first of these infos that any of the objects has.
std::string_view first_info(const std::vector<const hwloc_obj*>& objects, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    for (const hwloc_obj* object : objects) {
      if (const std::string_view value = info_of(*object, name); !value.empty()) return value;
    }
  }
  return {};
}

void set_infos(DeviceRecord& record, const Found& found) {
  std::vector<const hwloc_obj*> told = found.os_devices;
  if (found.pci != nullptr) told.push_back(found.pci);
  set_text(record.vendor, first_info(told, {"GPUVendor", "PCIVendor", "Vendor"}));
  set_text(record.model, first_info(told, {"GPUModel", "PCIDevice", "Model"}));
  set_text(record.unique_id,
           first_info(told, {"NVIDIAUUID", "AMDUUID", "LevelZeroUUID", "NodeGUID", "SysImageGUID", "Address"}));
}

void set_pci(DeviceRecord& record, const hwloc_obj* pci) {
  record.pci_domain = -1;
  if (pci == nullptr) return;
  const auto& address = pci->attr->pcidev;
  record.pci_domain = static_cast<std::int32_t>(address.domain);
  record.pci_bus = address.bus;
  record.pci_device = address.dev;
  record.pci_function = address.func;
  record.vendor_id = address.vendor_id;
  record.device_id = address.device_id;
}

bool may_be_used(hwloc_topology* topology, const hwloc_obj* node) {
  return hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), node->os_index) != 0;
}

// The node next to the device: of several for the same PUs (fast and ordinary memory) the first; where several share out
// the PUs, none alone.
int numa_of(hwloc_topology* topology, const hwloc_obj* around, const Selection& selection) {
  const hwloc_obj* first = nullptr;
  for (hwloc_obj* node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, nullptr); node != nullptr;
       node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) {
    if (hwloc_bitmap_isset(around->nodeset, node->os_index) == 0 || !may_be_used(topology, node)) continue;
    const bool alike = first == nullptr || hwloc_bitmap_isequal(first->complete_cpuset, node->complete_cpuset) != 0;
    if (!alike) return -1;
    if (first == nullptr) first = node;
  }
  return first == nullptr ? -1 : selection.ref_of(first)->index;
}

DraftDevice draft_device(hwloc_topology* topology, const Found& found, DeviceKind kind, const Selection& selection) {
  const hwloc_obj* const around = hwloc_get_non_io_ancestor_obj(topology, found.place);
  DraftDevice device;
  device.record.kind = static_cast<std::uint32_t>(kind);
  device.record.numa = numa_of(topology, around, selection);
  device.cpus = to_cpu_set(around->cpuset) & to_cpu_set(hwloc_get_root_obj(topology)->cpuset);
  set_pci(device.record, found.pci);
  set_names(device.record, in_order_of_names(found.os_devices));
  set_infos(device.record, found);
  return device;
}

std::tuple<bool, int, int, int, int> place_in_order(const DraftDevice& device) {
  const DeviceRecord& r = device.record;
  return {r.pci_domain < 0, r.pci_domain, r.pci_bus, r.pci_device, r.pci_function};
}

}  // namespace

std::vector<DraftDevice> draft_devices(hwloc_topology* topology, const Selection& selection) {
  std::vector<DraftDevice> devices;
  for (const Found& found : find_all(topology)) {
    if (const auto kind = kind_of(found)) devices.push_back(draft_device(topology, found, *kind, selection));
  }
  std::ranges::stable_sort(devices, {}, place_in_order);
  return devices;
}

}  // namespace comity::machine
