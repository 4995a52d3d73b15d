// SPDX-License-Identifier: BSD-3-Clause
#include "machine/loader.hpp"

#include <hwloc.h>
#include <hwloc/distances.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <utility>

#include "base/error.hpp"
#include "machine/draft.hpp"
#include "machine/hwloc_details.hpp"
#include "machine/hwloc_devices.hpp"
#include "machine/hwloc_selection.hpp"
#include "machine/restrict.hpp"
#include "machine/source_text.hpp"

namespace comity::machine {
namespace {

static_assert(HWLOC_API_VERSION >= 0x00020100, "Comity needs hwloc 2.1 or later");

struct DestroyTopology {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

enum class Binding : std::uint8_t { real, simulated };
enum class Devices : std::uint8_t { found, left_out };

// What is being read, for the image and for messages.
struct Origin {
  Kind kind;
  std::string name;   // the file, the description; empty: the real machine
  std::string place;  // where the user wrote the file's name; empty: nowhere that can be told
};

[[noreturn]] void reject(const Origin& origin, const std::string& why, const char* what_to_do) {
  std::string what = "read this machine's topology";
  if (origin.kind == Kind::xml) what = "read the topology file \"" + origin.name + "\"";
  if (origin.kind == Kind::synthetic) what = "read the synthetic topology \"" + origin.name + "\"";
  throw Error(Status::topology, what + ": " + why + "; " + what_to_do);
}

[[noreturn]] void reject_size(const Origin& origin, const std::string& found) {
  reject(origin, "it has " + found + ", and Comity knows at most " + std::to_string(CpuSet::kCapacity),
         "take a smaller machine");
}

std::string reason_of(int error_number) {
  return error_number == 0 ? std::string("no reason given") : std::string(std::strerror(error_number));
}

// --- From the source to a loaded topology ---

void expect_had_memory() {
  if (errno == ENOMEM) throw std::bad_alloc();
}

// Calls hwloc; true where it succeeds. Either way ENOMEM says more: that the machine is not at fault, or that it is not all
// there, for hwloc goes on without some of what it has no memory for.
template <typename Call>
bool hwloc_does(Call&& call) {
  errno = 0;
  const bool is_done = call() == 0;
  expect_had_memory();
  return is_done;
}

Topology new_topology(const Origin& origin) {
  hwloc_topology_t made = nullptr;
  errno = 0;
  const bool is_made = hwloc_topology_init(&made) == 0;
  Topology topology(is_made ? made : nullptr);
  expect_had_memory();
  if (!is_made) reject(origin, "hwloc cannot start", "check the memory that is free");
  return topology;
}

void discover(const Topology& topology, const Origin& origin) {
  if (hwloc_does([&] { return hwloc_topology_load(topology.get()); })) return;
  reject(origin, "hwloc cannot build the topology: " + reason_of(errno), "lstopo shows whether hwloc can read it");
}

// Plugins that start a whole runtime, with its threads and its memory, to tell of devices that the kernel tells of too.
constexpr std::array<const char*, 4> kCostlyPlugins{"cuda", "opencl", "gl", "levelzero"};

void want_devices(const Topology& topology) {
  hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  for (const char* plugin : kCostlyPlugins) {
    (void)hwloc_topology_set_components(topology.get(), HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, plugin);
  }
}

// What the cgroup forbids now it may allow later, so all is read; an XML file of the machine at hand obeys the cgroup
// that the job runs in.
void set_flags(const Topology& topology, Binding binding) {
  unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;
  if (binding == Binding::real) {
    flags |= HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_THISSYSTEM_ALLOWED_RESOURCES;
  }
  hwloc_topology_set_flags(topology.get(), flags);
}

Topology topology_of_xml(const Origin& origin, Binding binding) {
  const std::string text = read_xml_file(origin.name, origin.place);
  Topology topology = new_topology(origin);
  const int bytes = static_cast<int>(text.size() + 1);
  if (!hwloc_does([&] { return hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), bytes); })) {
    reject(origin, "it is no topology in XML", "make one with lstopo --of xml");
  }
  set_flags(topology, binding);
  want_devices(topology);
  discover(topology, origin);
  return topology;
}

Topology topology_of_synthetic(const Origin& origin, Binding binding) {
  const std::size_t pus = count_synthetic_pus(origin.name);
  if (pus == std::numeric_limits<std::size_t>::max()) reject_size(origin, "more PUs than can be counted");
  if (pus > CpuSet::kCapacity) reject_size(origin, std::to_string(pus) + " PUs");
  Topology topology = new_topology(origin);
  if (!hwloc_does([&] { return hwloc_topology_set_synthetic(topology.get(), origin.name.c_str()); })) {
    reject(origin, "hwloc does not understand it", "write it like \"package:2 core:8 pu:2\"");
  }
  set_flags(topology, binding);
  want_devices(topology);
  discover(topology, origin);
  return topology;
}

Topology topology_of_this_machine(const Origin& origin, Devices devices) {
  Topology topology = new_topology(origin);
  hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (devices == Devices::found) want_devices(topology);
  discover(topology, origin);
  return topology;
}

// --- From a loaded topology to a draft ---

std::uint64_t bytes_of(const hwloc_obj* object) {
  if (object->attr == nullptr) return 0;
  if (object->type == HWLOC_OBJ_NUMANODE) return object->attr->numanode.local_memory;
  return hwloc_obj_type_is_cache(object->type) != 0 ? object->attr->cache.size : 0;
}

DraftObject draft_object(const hwloc_obj* object, const Selection& selection) {
  return {.os_index = static_cast<int>(object->os_index),  // hwloc's "unknown" is the unsigned -1
          .bytes = bytes_of(object),
          .cpus = to_cpu_set(object->cpuset),
          .parent = selection.parent_of(object)};
}

void append_in_tree_order(const hwloc_obj* object, const Selection& selection, std::vector<ObjectRef>& order) {
  if (const auto ref = selection.ref_of(object)) order.push_back(*ref);
  for (const hwloc_obj* first : {object->memory_first_child, object->first_child}) {
    for (const hwloc_obj* child = first; child != nullptr; child = child->next_sibling) {
      append_in_tree_order(child, selection, order);
    }
  }
}

// hwloc believes an XML file more than it should; what our masks rely on is tested here.
void check_pus(const Topology& topology, const Origin& origin) {
  constexpr const char* kAdvice = "lstopo shows what hwloc makes of it";
  const int pus = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PU);
  if (pus < 1) reject(origin, "it has no PU that may be used", kAdvice);
  if (static_cast<std::size_t>(pus) > CpuSet::kCapacity) reject_size(origin, std::to_string(pus) + " PUs");
  CpuSet seen;
  for (int i = 0; i < pus; ++i) {
    const hwloc_obj* const pu = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PU, static_cast<unsigned>(i));
    const std::size_t cpu = pu->os_index;
    if (cpu >= CpuSet::kCapacity) reject_size(origin, "a PU with the OS number " + std::to_string(cpu));
    if (seen.contains(cpu)) reject(origin, "two PUs have the OS number " + std::to_string(cpu), kAdvice);
    if (to_cpu_set(pu->cpuset) != CpuSet{cpu}) {
      reject(origin, "PU " + std::to_string(cpu) + " has another CPU set than itself", kAdvice);
    }
    seen.insert(cpu);
  }
  if (to_cpu_set(hwloc_get_root_obj(topology.get())->cpuset) != seen) {
    reject(origin, "the machine's CPU set is not that of its PUs", kAdvice);
  }
}

void draft_objects(hwloc_topology* topology, const Selection& selection, const Origin& origin, Draft& draft) {
  const hwloc_obj* const root = hwloc_get_root_obj(topology);
  const CpuSet all = to_cpu_set(root->cpuset);
  for (const TypePair& pair : kTypePairs) {
    auto& objects = draft.objects[static_cast<std::size_t>(pair.ours)];
    for (const hwloc_obj* object : selection.of(pair.ours)) {
      objects.push_back(draft_object(object, selection));
      objects.back().cpus &= all;
      if (pair.ours == ObjectType::numa) objects.back().memory = memory_kind(topology, object);
    }
  }
  append_in_tree_order(root, selection, draft.tree_order);
  if (draft.tree_order.size() != selection.size() || selection.of(ObjectType::machine).size() != 1) {
    reject(origin, "its objects form no tree", "lstopo shows what hwloc makes of it");
  }
}

struct ReleaseDistances {
  hwloc_topology_t topology;
  void operator()(hwloc_distances_s* distances) const { hwloc_distances_release(topology, distances); }
};

std::vector<std::uint32_t> numa_distances(hwloc_topology* topology, const Selection& selection) {
  unsigned found = 1;
  hwloc_distances_s* first = nullptr;
  errno = 0;
  const int failed =
      hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &found, &first, HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  if (failed != 0) expect_had_memory();
  if (failed != 0 || found == 0 || first == nullptr) return {};
  const std::unique_ptr<hwloc_distances_s, ReleaseDistances> distances(first, ReleaseDistances{topology});
  const std::size_t nodes = selection.of(ObjectType::numa).size();
  const std::size_t rows = distances->nbobjs;  // a part of the nodes, perhaps
  std::vector<std::uint32_t> table(nodes * nodes, kUnknownDistance);
  for (std::size_t i = 0; i < rows * rows; ++i) {
    const auto from = selection.ref_of(distances->objs[i / rows]);
    const auto to = selection.ref_of(distances->objs[i % rows]);
    const std::uint64_t value = distances->values[i];
    if (!from || !to || value >= kUnknownDistance) continue;
    const std::size_t row = static_cast<std::size_t>(from->index);
    table[row * nodes + static_cast<std::size_t>(to->index)] = static_cast<std::uint32_t>(value);
  }
  return table;
}

std::string processor_model(const Topology& topology) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_PACKAGE, 0);
  const char* model = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  const hwloc_obj_t root = hwloc_get_root_obj(topology.get());
  if (model == nullptr) model = hwloc_obj_get_info_by_name(root, "Architecture");
  return model == nullptr ? "unknown processor" : model;
}

CpuSet allowed_pus(const Topology& topology, const Origin& origin, const CpuSet& all) {
  const CpuSet allowed = to_cpu_set(hwloc_topology_get_allowed_cpuset(topology.get())) & all;
  if (allowed.empty()) reject(origin, "it has no PU that may be used", "lstopo shows what hwloc makes of it");
  return allowed;
}

// All that there is, with what this job may use of it in `allowed`.
Draft draft_of(const Topology& topology, const Origin& origin, Binding binding, Devices devices) {
  check_pus(topology, origin);
  const Selection selection(topology.get());
  Draft draft;
  draft.kind = origin.kind;
  draft.simulated = binding == Binding::simulated;
  draft.name = origin.kind == Kind::real ? processor_model(topology) : origin.name;
  draft_objects(topology.get(), selection, origin, draft);
  const CpuSet all = draft.objects.front().front().cpus;
  draft.allowed = allowed_pus(topology, origin, all);
  draft.allowed_nodes = to_cpu_set(hwloc_topology_get_allowed_nodeset(topology.get()));
  draft.complete = to_cpu_set(hwloc_topology_get_complete_cpuset(topology.get())) | all;
  draft.distances = numa_distances(topology.get(), selection);
  draft.core_kinds = core_kinds(topology.get(), all);
  draft.devices_known = devices == Devices::found;
  if (draft.devices_known) draft.devices = draft_devices(topology.get(), selection);
  return draft;
}

Draft draft_xml(const std::string& path, const std::string& place, Binding binding) {
  const Origin origin{Kind::xml, path, place};
  return draft_of(topology_of_xml(origin, binding), origin, binding, Devices::found);
}

Draft draft_synthetic(std::string_view description, Binding binding) {
  const Origin origin{Kind::synthetic, std::string(description), ""};
  return draft_of(topology_of_synthetic(origin, binding), origin, binding, Devices::found);
}

Draft draft_this_machine(Devices devices) {
  const Origin origin{Kind::real, "", ""};
  const Topology topology = topology_of_this_machine(origin, devices);
  const bool is_this_system = hwloc_topology_is_thissystem(topology.get()) != 0;
  return draft_of(topology, origin, is_this_system ? Binding::real : Binding::simulated, devices);
}

Draft draft(const Source& source, Devices devices) {
  if (source.xml_file && source.synthetic) {
    throw Error(Status::topology, "read the topology: HWLOC_XMLFILE (" + *source.xml_file + ") and HWLOC_SYNTHETIC (" +
                                      *source.synthetic + ") both name a machine; unset one of them");
  }
  const Binding binding = source.this_system ? Binding::real : Binding::simulated;
  if (source.xml_file) return draft_xml(*source.xml_file, source.place, binding);
  if (source.synthetic) return draft_synthetic(*source.synthetic, binding);
  return draft_this_machine(devices);
}

Image image_of_allowed(const Draft& draft) { return assemble(restricted(draft, draft.allowed, draft.allowed_nodes)); }

}  // namespace

Source source_of(const std::function<std::optional<std::string>(std::string_view)>& lookup) {
  // As hwloc reads it: any number but 0; no number counts as 0.
  const int this_system = std::atoi(lookup("HWLOC_THISSYSTEM").value_or("0").c_str());
  return {lookup("HWLOC_XMLFILE"), lookup("HWLOC_SYNTHETIC"), this_system != 0};
}

std::vector<std::string> variables_that_name(
    const std::function<std::optional<std::string>(std::string_view)>& lookup) {
  std::vector<std::string> names;
  for (const char* variable : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH"}) {
    if (lookup(variable)) names.emplace_back(variable);
  }
  // Only where it says the opposite of what holds without it.
  const std::optional<std::string> this_system = lookup("HWLOC_THISSYSTEM");
  if (this_system && (std::atoi(this_system->c_str()) != 0) != names.empty()) names.emplace_back("HWLOC_THISSYSTEM");
  return names;
}

std::string named_by(const std::function<std::optional<std::string>(std::string_view)>& lookup) {
  std::string text;
  for (const std::string& name : variables_that_name(lookup)) {
    text += (text.empty() ? "" : " ") + name + '=' + lookup(name).value_or("");
  }
  return text;
}

Image load(const Source& source) { return image_of_allowed(draft(source, Devices::left_out)); }

Image load_with_devices(const Source& source) { return image_of_allowed(draft(source, Devices::found)); }

Image load_for_node(const Source& source) { return pack(draft(source, Devices::left_out)); }

Image load_complete_with_devices(const Source& source) { return assemble(draft(source, Devices::found)); }

Image load_synthetic(std::string_view description) {
  return image_of_allowed(draft_synthetic(description, Binding::simulated));
}

Image load_xml(const std::string& path) { return image_of_allowed(draft_xml(path, "", Binding::simulated)); }

}  // namespace comity::machine
