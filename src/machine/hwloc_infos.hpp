// SPDX-License-Identifier: BSD-3-Clause
// What hwloc notes beside an object or a kind of core, by name. Included by the loader's own files alone.
#pragma once

#include <hwloc.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace comity::machine {

using Infos = std::span<const hwloc_info_s>;

// "": it has none of that name.
inline std::string_view info_of(Infos infos, std::string_view name) {
  const auto found = std::ranges::find_if(infos, [&](const hwloc_info_s& info) { return info.name == name; });
  return found == infos.end() ? std::string_view() : std::string_view(found->value);
}

inline std::string_view info_of(const hwloc_obj& object, std::string_view name) {
  return info_of(Infos(object.infos, object.infos_count), name);
}

}  // namespace comity::machine
