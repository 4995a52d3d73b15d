// SPDX-License-Identifier: BSD-3-Clause
#include <comity/machine.h>

#include "capi/guard.hpp"

namespace comity::capi {

machine::ObjectType object_type(comity_type type) {
  const auto value = static_cast<std::size_t>(type);
  if (value >= machine::kObjectTypes.size()) {
    throw Error(Status::argument, "there is no object type " + std::to_string(static_cast<int>(type)) +
                                      "; use COMITY_MACHINE .. COMITY_PU");
  }
  return static_cast<machine::ObjectType>(value);
}

}  // namespace comity::capi

const char* comity_type_name(comity_type type) {
  const auto value = static_cast<std::size_t>(type);
  if (value >= comity::machine::kObjectTypes.size()) return "?";
  return comity::machine::type_name(static_cast<comity::machine::ObjectType>(value)).data();
}
