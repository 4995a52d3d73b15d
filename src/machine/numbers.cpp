// SPDX-License-Identifier: BSD-3-Clause
#include "machine/numbers.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"

namespace comity::machine {
namespace {

[[noreturn]] void throw_ambiguous(std::string_view name, const std::string& why) {
  throw Error(Status::unsupported, "physical numbers of type " + std::string(name) + ": " + why +
                                       "; use logical ones, or the physical ones of PUs");
}

// The number of each object, in logical order.
std::vector<std::size_t> numbers_in_order(const Machine& machine, ObjectType type, Numbering numbering) {
  const std::string_view name = type_name(type);
  const int count = machine.count(type);
  if (count == 0) {
    throw Error(Status::not_found,
                "this machine has no object of type " + std::string(name) + "; `comity topo` shows what it has");
  }
  std::vector<std::size_t> numbers;
  CpuSet seen;
  for (int index = 0; index < count; ++index) {
    const int number = numbering == Numbering::logical ? index : machine.os_index(type, index);
    if (number < 0) throw_ambiguous(name, "the system gives them none");
    const auto wanted = static_cast<std::size_t>(number);
    if (wanted >= CpuSet::kCapacity)
      throw_ambiguous(name, "number " + std::to_string(number) + " is too large for a list");
    if (seen.contains(wanted)) throw_ambiguous(name, "two have the number " + std::to_string(number));
    seen.insert(wanted);
    numbers.push_back(wanted);
  }
  return numbers;
}

}  // namespace

CpuSet numbers_of(const Machine& machine, ObjectType type, Numbering numbering, const CpuSet& cpus) {
  const std::vector<std::size_t> numbers = numbers_in_order(machine, type, numbering);
  CpuSet touched, covered;
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    const CpuSet object = machine.cpuset(type, static_cast<int>(index));
    if (!object.intersects(cpus)) continue;
    touched.insert(numbers[index]);
    covered |= object;
  }
  const CpuSet outside = cpus - covered;
  if (outside.empty()) return touched;
  throw Error(Status::not_found, "name CPUs " + cpus.to_list() + " by objects of type " + std::string(type_name(type)) +
                                     ": CPUs " + outside.to_list() + " are in none that this job may use");
}

CpuSet objects_numbered(const Machine& machine, ObjectType type, Numbering numbering, const CpuSet& numbers) {
  const std::vector<std::size_t> known = numbers_in_order(machine, type, numbering);
  CpuSet cpus;
  CpuSet unknown = numbers;
  for (std::size_t index = 0; index < known.size(); ++index) {
    if (!numbers.contains(known[index])) continue;
    cpus |= machine.cpuset(type, static_cast<int>(index));
    unknown.erase(known[index]);
  }
  if (unknown.empty()) return cpus;
  throw Error(Status::range, "find objects of type " + std::string(type_name(type)) + " by the numbers " +
                                 numbers.to_list() + ": this job may use none with number " + unknown.to_list() +
                                 "; `comity topo` shows what there is");
}

}  // namespace comity::machine
