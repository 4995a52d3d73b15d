// SPDX-License-Identifier: BSD-3-Clause
#include "ask.hpp"

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

std::string answer(const Machine& m, const std::string& name, Words& words) {
  if (name == "allowed") return m.allowed().to_list();
  if (name == "complete") return m.complete().to_list();
  if (name == "harts") return std::to_string(m.harts());
  if (name == "simulated") return m.simulated() ? "yes" : "no";
  if (name == "siblings") return m.siblings(words.pu()).to_list();
  if (name == "core_of") return text_of(m.core_of(words.pu()));
  if (name == "cores_first") return cores_first(m, words.cpus());
  if (name == "memory") return std::to_string(m.memory_bytes(words.number()));
  if (name == "distance") {
    const int from = words.number();
    return text_of(m.numa_distance(from, words.number()));
  }
  const ObjectType type = words.type();
  if (name == "count") return std::to_string(m.count(type));
  if (name == "nearest") return text_of(m.nearest(type, words.cpus()));
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
