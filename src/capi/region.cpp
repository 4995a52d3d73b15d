// SPDX-License-Identifier: BSD-3-Clause
#include <comity/region.h>

#include "capi/guard.hpp"
#include "runtime/regions.hpp"

using namespace comity;

comity_status comity_region_begin(const char* name) {
  return capi::guard([&] {
    if (name == nullptr) throw Error(Status::argument, "begin a region: the pointer `name` is null; pass its name");
    runtime::begin_region(name);
  });
}

comity_status comity_region_end(void) {
  return capi::guard([&] { runtime::end_region(); });
}
