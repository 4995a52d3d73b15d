// SPDX-License-Identifier: BSD-3-Clause
#include "reorder/library.hpp"

#include <dlfcn.h>

#include <string_view>

namespace comity::reorder {
namespace {

constexpr const char* kName = COMITY_MPI_SONAME;

// The folder of the library that this function is part of, with its last slash.
std::string own_folder() {
  Dl_info ours{};
  if (::dladdr(reinterpret_cast<void*>(&own_folder), &ours) == 0 || ours.dli_fname == nullptr) return {};
  const std::string_view path = ours.dli_fname;
  return std::string(path.substr(0, path.rfind('/') + 1));
}

void* open() {
  if (void* const there = ::dlopen(kName, RTLD_LAZY | RTLD_NOLOAD)) return there;
  if (void* const beside = ::dlopen((own_folder() + kName).c_str(), RTLD_LAZY | RTLD_LOCAL)) return beside;
  return ::dlopen(kName, RTLD_LAZY | RTLD_LOCAL);
}

template <typename Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(handle, name));
  return function != nullptr;
}

Library load() {
  Library found;
  void* const handle = open();
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    found.why_not = reason == nullptr ? kName : reason;
  } else if (!find(handle, "comity_place_graph_create", found.graph_create) ||
             !find(handle, "comity_last_error", found.last_error) ||
             !find(handle, "comity_place_cart_create", found.cart_create)) {
    found.cart_create = nullptr;
    found.why_not = kName;
    found.why_not += " is of an older version";
  }
  return found;
}

}  // namespace

const Library& library() {
  static const auto* const loaded = new Library(load());
  return *loaded;
}

}  // namespace comity::reorder
