// SPDX-License-Identifier: BSD-3-Clause
#include "os/code/loaded_object.hpp"

#include <dlfcn.h>
#include <link.h>

namespace comity::os {

std::optional<LoadedObject> loaded_object_at(std::uintptr_t address) noexcept {
  void* const pointer = reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
#ifdef DLFO_STRUCT_HAS_EH_DBASE
  dl_find_object object{};
  if (::_dl_find_object(pointer, &object) != 0 || object.dlfo_link_map == nullptr) return std::nullopt;
  return LoadedObject{reinterpret_cast<std::uintptr_t>(object.dlfo_map_start), object.dlfo_link_map->l_name};
#else
  Dl_info object{};
  if (::dladdr(pointer, &object) == 0 || object.dli_fname == nullptr) return std::nullopt;
  return LoadedObject{reinterpret_cast<std::uintptr_t>(object.dli_fbase), object.dli_fname};
#endif
}

}  // namespace comity::os
