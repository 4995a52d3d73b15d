// SPDX-License-Identifier: BSD-3-Clause
#include "machine/object_type.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/spelling.hpp"

namespace comity::machine {
namespace {

std::vector<std::string_view> known_words() {
  std::vector<std::string_view> words;
  for (const ObjectTypeRow& row : kObjectTypes) {
    words.push_back(row.name);
    if (!row.alias.empty()) words.push_back(row.alias);
  }
  return words;
}

std::string list_of_names() {
  std::string list;
  for (const ObjectTypeRow& row : kObjectTypes) {
    if (!list.empty()) list += ", ";
    list += row.name;
  }
  return list;
}

}  // namespace

std::string_view type_name(ObjectType type) {
  const auto number = static_cast<std::size_t>(type);
  if (number >= kObjectTypeCount) {
    throw Error(Status::argument, "name the object type " + std::to_string(number) +
                                      ": there is no such type; types are 0 to " +
                                      std::to_string(kObjectTypeCount - 1));
  }
  return kObjectTypes[number].name;
}

ObjectType parse_type(std::string_view name) {
  for (const ObjectTypeRow& row : kObjectTypes) {
    if (name == row.name || (!row.alias.empty() && name == row.alias)) return row.type;
  }
  std::string message = "read the object type \"" + std::string(name) + "\": no such type";
  if (name == "node") {
    message += "; write machine for the whole node, numa for a NUMA node";
  } else if (const std::string_view nearest = nearest_name(name, known_words()); !nearest.empty()) {
    message += "; did you mean " + std::string(nearest) + "?";
  } else {
    message += "; types are " + list_of_names();
  }
  throw Error(Status::argument, message);
}

}  // namespace comity::machine
