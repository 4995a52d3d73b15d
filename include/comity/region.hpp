// SPDX-License-Identifier: BSD-3-Clause
// C++ over region.h: a scope that has a name.
#pragma once

#include <comity/region.h>

#include <comity/failure.hpp>
#include <string>

namespace comity {

// A part of the program by its name, from here to the end of the scope (comity_region_begin).
class Region {
 public:
  explicit Region(const std::string& name) { check(comity_region_begin(name.c_str())); }
  ~Region() { (void)comity_region_end(); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace comity
