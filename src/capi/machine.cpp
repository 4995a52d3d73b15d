// SPDX-License-Identifier: BSD-3-Clause
// What the node has, as C structs.
#include <comity/machine.h>

#include <algorithm>

#include "capi/guard.hpp"
#include "capi/handle.hpp"
#include "machine/numbers.hpp"

namespace comity::capi {

machine::ObjectType object_type(comity_type type) {
  const auto value = static_cast<std::size_t>(type);
  if (value >= machine::kObjectTypes.size()) {
    throw Error(Status::argument, "there is no object type " + std::to_string(static_cast<int>(type)) +
                                      "; use COMITY_MACHINE .. COMITY_PU");
  }
  return static_cast<machine::ObjectType>(value);
}

void write_list(std::span<const int> found, std::int32_t* list, std::int32_t capacity, std::int32_t* count,
                const char* what) {
  const std::string name(what);
  if (capacity < 0 || (list == nullptr && capacity > 0)) {
    throw Error(Status::argument,
                "list " + name + ": pass room for `capacity` of them, or null with capacity 0 to count");
  }
  required(count, "count") = static_cast<std::int32_t>(found.size());
  if (list == nullptr) return;
  if (found.size() > static_cast<std::size_t>(capacity)) {
    throw Error(Status::range, "list " + name + ": there are " + std::to_string(found.size()) + ", and room for " +
                                   std::to_string(capacity));
  }
  std::copy(found.begin(), found.end(), list);
}

}  // namespace comity::capi

using namespace comity;
using capi::guard;
using capi::object_type;
using capi::required;
using capi::unwrap;

namespace {

const machine::Machine& with_devices(const comity_context* context) {
  return runtime::Process::instance().machine_with_devices(unwrap(context));
}

machine::DeviceKind device_kind(comity_device_kind kind) {
  if (kind == COMITY_GPU) return machine::DeviceKind::gpu;
  if (kind == COMITY_NIC) return machine::DeviceKind::nic;
  throw Error(Status::argument, "there is no kind of device " + std::to_string(static_cast<int>(kind)) +
                                    "; use COMITY_GPU or COMITY_NIC");
}

machine::Numbering numbering(comity_numbering by) {
  if (by == COMITY_NUMBERING_LOGICAL) return machine::Numbering::logical;
  if (by == COMITY_NUMBERING_PHYSICAL) return machine::Numbering::physical;
  throw Error(Status::argument, "there is no numbering " + std::to_string(static_cast<int>(by)) +
                                    "; use COMITY_NUMBERING_LOGICAL or COMITY_NUMBERING_PHYSICAL");
}

// Zeros fill it up: the Fortran forms take each for a blank.
template <std::size_t N>
void write_field(char (&field)[N], std::string_view text) {
  const std::size_t length = std::min(text.size(), N - 1);
  std::copy_n(text.begin(), length, field);
  std::fill(field + length, field + N, '\0');
}

comity_device device_of(const machine::Machine& machine, machine::DeviceKind kind, int index) {
  const machine::DeviceRecord& record = machine.device(kind, index);
  comity_device device{};
  write_field(device.name, machine::words_of(record.name));
  write_field(device.other_names, machine::words_of(record.other_names));
  write_field(device.vendor, machine::words_of(record.vendor));
  write_field(device.model, machine::words_of(record.model));
  write_field(device.unique_id, machine::words_of(record.unique_id));
  write_field(device.pci, machine::pci_address(record));
  device.vendor_id = record.vendor_id;
  device.device_id = record.device_id;
  const CpuSet cpus = machine.device_cpuset(kind, index);
  device.package = machine.nearest(machine::ObjectType::package, cpus).value_or(-1);
  device.numa = record.numa;
  device.cpuset = capi::cpu_set(cpus);
  return device;
}

}  // namespace

const char* comity_type_name(comity_type type) {
  const auto value = static_cast<std::size_t>(type);
  if (value >= comity::machine::kObjectTypes.size()) return "?";
  return comity::machine::type_name(static_cast<comity::machine::ObjectType>(value)).data();
}

comity_status comity_context_closest(const comity_context* context, comity_type type, const comity_cpuset* set,
                                     int32_t* index, int32_t* covers) {
  return guard([&] {
    const machine::ObjectType wanted = object_type(type);
    const CpuSet cpus = capi::cpu_set(required(set, "set", "the CPUs to look for"));
    const auto closest = unwrap(context).closest(wanted, cpus);
    if (!closest) {
      throw Error(Status::not_found, "find the closest " + std::string(machine::type_name(wanted)) +
                                         ": none shares a PU with CPUs " + cpus.to_list() +
                                         "; `comity topo` shows what the machine has");
    }
    required(index, "index") = closest->index;
    if (covers != nullptr) *covers = closest->covers ? 1 : 0;
  });
}

comity_status comity_context_cpuset_string(const comity_context* context, comity_type type, comity_numbering by,
                                           const comity_cpuset* set, char* text, size_t capacity_bytes,
                                           size_t* length_bytes) {
  return guard([&] {
    CpuSet given;
    if (set != nullptr) given = capi::cpu_set(*set);
    const CpuSet found = unwrap(context).numbers(object_type(type), numbering(by), set == nullptr ? nullptr : &given);
    capi::write_text(found.to_list(), text, capacity_bytes, length_bytes);
  });
}

comity_status comity_context_cpuset_parse(const comity_context* context, comity_type type, comity_numbering by,
                                          const char* text, comity_cpuset* set) {
  return guard([&] {
    const CpuSet numbers = CpuSet::parse_list(&required(text, "text", "the list of numbers"));
    const CpuSet found =
        machine::objects_numbered(unwrap(context).machine(), object_type(type), numbering(by), numbers);
    required(set, "set") = capi::cpu_set(found);
  });
}

comity_status comity_context_cache_bytes(const comity_context* context, comity_type type, int32_t index,
                                         uint64_t* size_bytes) {
  return guard([&] {
    const std::uint64_t bytes = unwrap(context).machine().cache_bytes(object_type(type), index);
    required(size_bytes, "size_bytes") = bytes;
  });
}

comity_status comity_context_memory(const comity_context* context, int32_t numa, uint64_t* size_bytes,
                                    comity_memory_kind* kind) {
  return guard([&] {
    const machine::Machine& machine = unwrap(context).machine();
    const std::uint64_t bytes = machine.memory_bytes(numa);
    if (size_bytes != nullptr) *size_bytes = bytes;
    if (kind != nullptr) *kind = static_cast<comity_memory_kind>(machine.memory_kind(numa));
  });
}

comity_status comity_context_core_kind_count(const comity_context* context, int32_t* count) {
  return guard([&] {
    const machine::Machine& machine = unwrap(context).machine();
    required(count, "count") = machine.core_kind_count();
  });
}

comity_status comity_context_core_kind(const comity_context* context, int32_t index, comity_core_kind* kind) {
  return guard([&] {
    const machine::Machine& machine = unwrap(context).machine();
    const machine::CoreKindRecord& record = machine.core_kind(index);
    comity_core_kind& out = required(kind, "kind");
    write_field(out.name, machine::words_of(record.name));
    out.efficiency = record.efficiency;
    out.max_mhz = record.max_mhz;
    out.cpuset = capi::cpu_set(machine.core_kind_cpuset(index));
  });
}

comity_status comity_context_device_count(const comity_context* context, comity_device_kind kind, int32_t* count) {
  return guard([&] {
    const int devices = with_devices(context).count(device_kind(kind));
    required(count, "count") = devices;
  });
}

comity_status comity_context_device(const comity_context* context, comity_device_kind kind, int32_t index,
                                    comity_device* device) {
  return guard([&] {
    const comity_device found = device_of(with_devices(context), device_kind(kind), index);
    required(device, "device") = found;
  });
}

comity_status comity_context_devices_near(const comity_context* context, comity_device_kind kind, comity_type type,
                                          int32_t index, int32_t* devices, int32_t capacity, int32_t* count) {
  return guard([&] {
    const auto found = with_devices(context).devices_near(device_kind(kind), object_type(type), index);
    capi::write_list(found, devices, capacity, count, "devices");
  });
}
