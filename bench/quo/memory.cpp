// SPDX-License-Identifier: BSD-3-Clause
#include "quo/memory.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

namespace bench::quo {
namespace {

// Over all mappings, each of which has a line "FIELD:  12 kB".
double sum_of(const std::string& field) {
  double all_kb = 0;
  bool found = false;
  std::ifstream file("/proc/self/smaps");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(field + ":")) continue;
    all_kb += std::strtod(line.c_str() + field.size() + 1, nullptr);
    found = true;
  }
  if (!found) {
    throw std::runtime_error("/proc/self/smaps has no " + field + ": a kernel of 2.6.37 or newer with /proc is needed");
  }
  return all_kb;
}

}  // namespace

double memory_kb() { return sum_of("Pss"); }

double own_memory_kb() { return sum_of("Anonymous"); }

}  // namespace bench::quo
