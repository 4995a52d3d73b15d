// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/tree.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/topo/hardware.hpp"
#include "cli/topo/objects.hpp"

namespace comity::cli {
namespace {

using machine::kObjectTypes;
using machine::Machine;
using machine::ObjectRef;
using machine::ObjectType;

constexpr std::size_t kLeastCpusColumns = 12;  // what is left for the list of PUs behind long details

std::uint64_t object_bytes(const Machine& machine, const ObjectRef& object) {
  switch (object.type) {
    case ObjectType::numa:
      return machine.memory_bytes(object.index);
    case ObjectType::l3:
    case ObjectType::l2:
    case ObjectType::l1:
      return machine.cache_bytes(object.type, object.index);
    default:
      return 0;
  }
}

// " HBM" for a memory that is not an ordinary one.
std::string memory_word(const Machine& machine, const ObjectRef& object) {
  const bool ordinary =
      object.type != ObjectType::numa || machine.memory_kind(object.index) == machine::MemoryKind::dram;
  return ordinary ? std::string() : ' ' + std::string(word_for(machine.memory_kind(object.index)));
}

std::vector<ObjectRef> children(const Machine& machine, const ObjectRef& object) {
  std::vector<ObjectRef> list;
  list.reserve(static_cast<std::size_t>(machine.child_count(object.type, object.index)));
  for (int i = 0; i < machine.child_count(object.type, object.index); ++i) {
    list.push_back(machine.child(object.type, object.index, i));
  }
  return list;
}

// Equal for objects that look alike: type, size, and what is below; without indices.
std::string shape(const Machine& machine, const ObjectRef& object) {
  std::string text = std::to_string(static_cast<int>(object.type)) + ':' +
                     std::to_string(object_bytes(machine, object)) + memory_word(machine, object) + '(';
  for (const ObjectRef& child : children(machine, object)) text += shape(machine, child);
  return text + ')';
}

// Alike objects side by side.
struct Run {
  ObjectRef first;
  int count = 1;
};

std::vector<Run> runs(const Machine& machine, const std::vector<ObjectRef>& objects) {
  std::vector<Run> result;
  std::string last;
  for (const ObjectRef& object : objects) {
    std::string now = shape(machine, object);
    const bool extends = !result.empty() && now == last && result.back().first.type == object.type &&
                         result.back().first.index + result.back().count == object.index;
    if (extends) {
      ++result.back().count;
    } else {
      result.push_back({object});
    }
    last = std::move(now);
  }
  return result;
}

// How often each type stands in an object, and the sizes of its caches, where all below it is alike.
struct Regular {
  std::array<int, machine::kObjectTypeCount> count{};  // in one object of the run; 0: none
  std::array<std::uint64_t, machine::kObjectTypeCount> bytes{};
};

bool gather_regular(const Machine& machine, const ObjectRef& object, int count, Regular& regular) {
  const auto type = static_cast<std::size_t>(object.type);
  regular.count[type] = count;
  regular.bytes[type] = object_bytes(machine, object);
  const std::vector<Run> below = runs(machine, children(machine, object));
  if (below.empty()) return true;
  if (below.size() > 1) return false;
  return gather_regular(machine, below.front().first, count * below.front().count, regular);
}

bool is_small(ObjectType type) {
  return type == ObjectType::l2 || type == ObjectType::l1 || type == ObjectType::core || type == ObjectType::pu;
}

CpuSet cpus_of(const Machine& machine, const Run& run) {
  CpuSet cpus;
  for (int i = 0; i < run.count; ++i) cpus |= machine.cpuset(run.first.type, run.first.index + i);
  return cpus;
}

std::string index_range(int first, int count) {
  return std::to_string(first) + (count > 1 ? '-' + std::to_string(first + count - 1) : std::string());
}

class Drawing {
  struct Line {
    std::size_t depth;
    std::string name;
    std::string detail;
    CpuSet cpus;

    [[nodiscard]] std::size_t name_end() const { return 2 * depth + name.size(); }
  };

 public:
  Drawing(const Screen& screen, const Machine& machine, Detail detail)
      : screen_(screen), machine_(machine), detail_(detail) {}

  [[nodiscard]] std::string draw() {
    draw_children({ObjectType::machine, 0}, 0);
    std::string text;
    for (const Line& line : lines_) text += line_text(line);
    return text;
  }

 private:
  void draw_children(const ObjectRef& object, std::size_t depth) {
    for (const Run& run : runs(machine_, children(machine_, object))) draw_run(run, depth);
  }

  void draw_run(const Run& run, std::size_t depth) {
    Regular regular;
    const bool compress =
        detail_ == Detail::compressed && is_small(run.first.type) && gather_regular(machine_, run.first, 1, regular);
    if (compress) {
      draw_regular(run, regular, depth);
      return;
    }
    for (int i = 0; i < run.count; ++i) draw_object({run.first.type, run.first.index + i}, depth);
  }

  void draw_object(const ObjectRef& object, std::size_t depth) {
    std::string detail;
    if (const std::uint64_t bytes = object_bytes(machine_, object); bytes != 0) detail = bytes_text(bytes);
    detail += memory_word(machine_, object);
    if (detail.starts_with(' ')) detail.erase(0, 1);
    const int os = machine_.os_index(object.type, object.index);
    const bool worth_saying = os >= 0 && os != object.index;
    if (worth_saying) detail += (detail.empty() ? "(OS " : " (OS ") + std::to_string(os) + ')';
    line(depth, std::string(word_for(object.type)) + ' ' + std::to_string(object.index), detail,
         machine_.cpuset(object.type, object.index));
    draw_children(object, depth + 1);
  }

  // "cores 0-7   8 cores x 2 PUs; L2 1 MiB, L1 32 KiB": named after its cores where it has some.
  void draw_regular(const Run& run, const Regular& regular, std::size_t depth) {
    const auto count = [&](ObjectType type) { return regular.count[static_cast<std::size_t>(type)]; };
    const ObjectType named = count(ObjectType::core) > 0 ? ObjectType::core : ObjectType::pu;
    const int total = run.count * count(named);
    const CpuSet cpus = cpus_of(machine_, run);
    const int first = *machine_.first_intersecting(named, machine_.cpuset(run.first.type, run.first.index));
    std::string detail;
    if (named == ObjectType::core) {
      detail = count_text(static_cast<std::size_t>(total), "core") + " x " +
               count_text(static_cast<std::size_t>(count(ObjectType::pu) / count(ObjectType::core)), "PU");
    }
    std::string caches;
    for (const ObjectType type : {ObjectType::l2, ObjectType::l1}) {
      if (count(type) > 0)
        caches += (caches.empty() ? "" : ", ") + cache_text(type, count(type), count(named), regular);
    }
    if (!caches.empty()) detail += (detail.empty() ? "" : "; ") + caches;
    const std::string name(word_for(named));
    line(depth, name + (total > 1 ? "s " : " ") + index_range(first, total), detail, cpus);
  }

  // "L2 1 MiB", "L2 1 MiB per 2"
  [[nodiscard]] static std::string cache_text(ObjectType type, int caches, int cores, const Regular& regular) {
    const std::uint64_t bytes = regular.bytes[static_cast<std::size_t>(type)];
    std::string text(word_for(type));
    if (bytes != 0) text += ' ' + bytes_text(bytes);
    if (cores > caches) text += " per " + std::to_string(cores / caches);
    return text;
  }

  void line(std::size_t depth, std::string name, std::string detail, CpuSet cpus) {
    lines_.push_back({depth, std::move(name), std::move(detail), cpus});
  }

  // Where the details start: behind the longest name.
  [[nodiscard]] std::size_t detail_column() const {
    std::size_t column = 0;
    for (const Line& line : lines_) column = std::max(column, line.name_end() + 2);
    return column;
  }

  // Where the PUs start: behind the longest detail, as long as some room is left for them.
  [[nodiscard]] std::size_t cpus_column() const {
    std::size_t longest = 0;
    for (const Line& line : lines_) longest = std::max(longest, line.detail.size());
    return std::min(detail_column() + longest + (longest > 0 ? 2 : 0), kColumns - kLeastCpusColumns);
  }

  [[nodiscard]] std::string line_text(const Line& line) const {
    const std::string indent(2 * line.depth, ' ');
    const std::string left = at_column(indent + line.name, detail_column(), line.detail);
    const std::size_t column = std::max(left.size() + 2, cpus_column());
    const std::string list = line.cpus.empty() ? "no PUs" : "PU " + line.cpus.to_list();
    const std::string whole = at_column(left, column, shorten_list(list, kColumns - std::min(column, kColumns)));
    return indent + screen_.paint(Colour::strong, line.name) + whole.substr(line.name_end()) + '\n';
  }

  const Screen& screen_;
  const Machine& machine_;
  Detail detail_;
  std::vector<Line> lines_;
};

std::uint64_t total_memory(const Machine& machine) {
  std::uint64_t bytes = 0;
  for (int i = 0; i < machine.count(ObjectType::numa); ++i) bytes += machine.memory_bytes(i);
  return bytes;
}

std::string counts_text(const Machine& machine) {
  std::string text;
  for (const auto& row : kObjectTypes) {
    if (row.type == ObjectType::machine || machine.count(row.type) == 0) continue;
    const auto count = static_cast<std::size_t>(machine.count(row.type));
    const bool cache = row.type == ObjectType::l3 || row.type == ObjectType::l2 || row.type == ObjectType::l1;
    const std::string word(word_for(row.type));
    text += (text.empty() ? "" : ", ") + (cache ? std::to_string(count) + ' ' + word : count_text(count, word));
  }
  if (const std::uint64_t bytes = total_memory(machine); bytes != 0) text += ", memory " + bytes_text(bytes);
  return text;
}

std::string allowed_text(const Machine& machine) {
  const CpuSet forbidden = machine.complete() - machine.allowed();
  if (forbidden.empty()) return {};
  return wrap("This job may use PU " + machine.allowed().to_list() + "; the machine also has PU " +
                  forbidden.to_list() + ", which its cgroup or cpuset forbids, or which are offline.",
              0);
}

std::string distances_text(const Machine& machine) {
  const int nodes = machine.count(ObjectType::numa);
  constexpr int kMostInText = 8;
  if (nodes < 2 || nodes > kMostInText || !machine.numa_distance(0, 0)) return {};
  std::vector<std::vector<std::string>> rows{{"NUMA distances"}};
  for (int to = 0; to < nodes; ++to) rows[0].push_back(std::to_string(to));
  for (int from = 0; from < nodes; ++from) {
    rows.push_back({"  from " + std::to_string(from)});
    for (int to = 0; to < nodes; ++to) {
      const auto distance = machine.numa_distance(from, to);
      rows.back().push_back(distance ? std::to_string(*distance) : "?");
    }
  }
  return table(rows, 0);
}

constexpr std::array<const char*, 3> kKindWords{"real", "xml", "synthetic"};

Json object_json(const Machine& machine, const ObjectRef& object) {
  Json json{{"type", machine::type_name(object.type)},
            {"index", object.index},
            {"os_index", machine.os_index(object.type, object.index)},
            {"cpuset", machine.cpuset(object.type, object.index).to_list()}};
  if (const std::uint64_t bytes = object_bytes(machine, object); bytes != 0) json["bytes"] = bytes;
  if (object.type == ObjectType::numa) json["memory_kind"] = machine::kind_name(machine.memory_kind(object.index));
  Json below = Json::array();
  for (const ObjectRef& child : children(machine, object)) below.push_back(object_json(machine, child));
  if (!below.empty()) json["children"] = std::move(below);
  return json;
}

Json distances_json(const Machine& machine) {
  Json rows = Json::array();
  const int nodes = machine.count(ObjectType::numa);
  for (int from = 0; from < nodes; ++from) {
    Json row = Json::array();
    for (int to = 0; to < nodes; ++to) {
      const auto distance = machine.numa_distance(from, to);
      row.push_back(distance ? Json(*distance) : Json());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

std::string tree_text(const Screen& screen, const Machine& machine, Detail detail) {
  std::string text = wrap(machine.name(), 0) + wrap(counts_text(machine), 0) + allowed_text(machine);
  if (machine.simulated()) text += wrap("Simulated: the kernel does not know these PUs, nothing is bound to them.", 0);
  return text + '\n' + Drawing(screen, machine, detail).draw() + distances_text(machine) + core_kinds_text(machine) +
         devices_text(machine);
}

Json tree_json(const Machine& machine) {
  Json counts = Json::object();
  for (const auto& row : kObjectTypes) counts[std::string(row.name)] = machine.count(row.type);
  Json about{{"name", machine.name()},
             {"kind", kKindWords[static_cast<std::size_t>(machine.kind())]},
             {"simulated", machine.simulated()},
             {"counts", std::move(counts)},
             {"memory_bytes", total_memory(machine)},
             {"allowed", machine.allowed().to_list()},
             {"complete", machine.complete().to_list()}};
  if (machine.numa_distance(0, 0)) about["numa_distances"] = distances_json(machine);
  about["core_kinds"] = core_kinds_json(machine);
  about["devices"] = devices_json(machine);
  return {{"machine", std::move(about)}, {"tree", object_json(machine, {ObjectType::machine, 0})}};
}

}  // namespace comity::cli
