// SPDX-License-Identifier: BSD-3-Clause
// Which Linux this is, for tests of what older ones do not have.
#pragma once

#include <sys/utsname.h>

#include <cstdio>

namespace comity::os {

inline bool is_linux_before(int major, int minor) {
  utsname names{};
  int its_major = 0;
  int its_minor = 0;
  if (::uname(&names) != 0 || std::sscanf(names.release, "%d.%d", &its_major, &its_minor) != 2) return true;
  return its_major != major ? its_major < major : its_minor < minor;
}

}  // namespace comity::os
