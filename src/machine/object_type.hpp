// SPDX-License-Identifier: BSD-3-Clause
// ObjectType: the kinds of hardware objects that Comity knows, and their names. Not: the objects
// (machine.hpp). The numbers stand in the shared image and in the C header `comity_type`: they never change.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace comity::machine {

enum class ObjectType : std::uint8_t { machine = 0, package = 1, numa = 2, l3 = 3, l2 = 4, l1 = 5, core = 6, pu = 7 };

// Its place in kObjectTypes, and in what is kept by type.
[[nodiscard]] constexpr std::size_t number(ObjectType type) { return static_cast<std::size_t>(type); }

struct ObjectTypeRow {
  ObjectType type;
  std::string_view name;   // what we print
  std::string_view alias;  // what else we read; "" for none
  std::string_view text;   // what such an object is
};

// Row i describes type i.
inline constexpr std::array<ObjectTypeRow, 8> kObjectTypes{{
    {ObjectType::machine, "machine", "", "the whole node: always exactly one"},
    {ObjectType::package, "package", "socket", "a processor package"},
    {ObjectType::numa, "numa", "numanode", "a NUMA node: a memory and the PUs near it; at least one"},
    {ObjectType::l3, "l3", "", "a level-3 cache and the PUs that share it"},
    {ObjectType::l2, "l2", "", "a level-2 cache and the PUs that share it"},
    {ObjectType::l1, "l1", "", "a level-1 data or unified cache and the PUs that share it"},
    {ObjectType::core, "core", "", "a core"},
    {ObjectType::pu, "pu", "", "a hardware thread: the smallest unit that runs a thread"},
}};

inline constexpr std::size_t kObjectTypeCount = kObjectTypes.size();

// One object of a machine.
struct ObjectRef {
  ObjectType type = ObjectType::machine;
  int index = 0;  // logical index among the objects of its type

  friend constexpr bool operator==(const ObjectRef&, const ObjectRef&) = default;
};

// "numa". Throws Status::argument for a value outside the enumeration.
[[nodiscard]] std::string_view type_name(ObjectType type);

// The type of a name or alias; throws Status::argument with the nearest known name. "node" is no name: it
// means a NUMA node to some tools and the whole machine to others.
[[nodiscard]] ObjectType parse_type(std::string_view name);

}  // namespace comity::machine
