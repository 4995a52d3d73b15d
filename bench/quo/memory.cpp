// SPDX-License-Identifier: BSD-3-Clause
#include "quo/memory.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

namespace bench::quo {

// A mapping is a line "7f12-7f13 rw-p ..." and then lines "Key:  12 kB".
Memory memory_now() {
  Memory memory;
  bool found = false;
  char writable = '-';
  std::ifstream file("/proc/self/smaps");
  for (std::string line; std::getline(file, line);) {
    unsigned long start = 0, end = 0;
    char permission = '-';
    double kb = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*c%c", &start, &end, &permission) == 3) writable = permission;
    if (std::sscanf(line.c_str(), "Pss: %lf", &kb) != 1) continue;
    (writable == 'w' ? memory.data_kb : memory.code_kb) += kb;
    found = true;
  }
  if (!found) throw std::runtime_error("/proc/self/smaps has no Pss: a kernel of 2.6.25 or newer with /proc is needed");
  return memory;
}

}  // namespace bench::quo
