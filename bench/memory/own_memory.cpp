// SPDX-License-Identifier: BSD-3-Clause
// What a rank has of its own, with no block of the program's and with a million: the same launch without Comity tells what
// the program and its MPI have of it.
#include <mpi.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#include "memory/cases.hpp"
#include "memory/small_blocks.hpp"

extern "C" {
__attribute__((weak)) void comity_tool_region_begin(const char* name);
__attribute__((weak)) void comity_tool_region_end();
}

namespace bench::memory {
namespace {

constexpr std::size_t kMillion = 1'000'000;

// [KB] Pages that are of no file: heap, stacks, data that was written. A share of code would depend on who else runs it.
double own_kb() {
  const std::string field = "Anonymous:";
  std::ifstream file("/proc/self/smaps_rollup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size(), nullptr);
  }
  throw std::runtime_error("/proc/self/smaps_rollup has no Anonymous: a kernel of 4.14 or newer with /proc is needed");
}

// [KB] Of the whole process.
double field_of_status_kb(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size(), nullptr);
  }
  throw std::runtime_error("/proc/self/status has no " + field);
}

// [KB] The pages of a rank's record that it has in memory, where there is one.
double record_kb() {
  const std::string field = "Rss:";
  std::ifstream file("/proc/self/smaps");
  double sum = 0;
  bool is_record = false;
  for (std::string line; std::getline(file, line);) {
    if (line.find(" rw-s ") != std::string::npos || line.find(" r--s ") != std::string::npos) {
      is_record = line.ends_with(".comity") && line.find("/rank-") != std::string::npos;
    } else if (is_record && line.starts_with(field)) {
      sum += std::strtod(line.c_str() + field.size(), nullptr);
      is_record = false;
    }
  }
  return sum;
}

// Whoever measures the run has a library in front that knows them.
void visit_region(const char* name) {
  if (comity_tool_region_begin == nullptr) return;
  comity_tool_region_begin(name);
  comity_tool_region_end();
}

Outcome told(const char* name, double kb, std::size_t blocks) {
  return {name, "KB", "bare MPI", {kb}, {}, {{"blocks", static_cast<double>(blocks)}}};
}

}  // namespace

std::vector<Outcome> own_memory() {
  (void)own_kb();  // what reading takes itself is there from then on
  const double with_none_kb = own_kb();
  const SmallBlocks million(kMillion);
  return {told("own_memory", with_none_kb, 0), told("own_memory_million", own_kb(), kMillion)};
}

// A visit is a span of 40 bytes in a half of the default budget of 4 MiB: so many fill it three times over.
std::vector<Outcome> own_memory_recorded() {
  constexpr int kVisits = 200'000;
  (void)own_kb();
  for (int i = 0; i < kVisits; ++i) visit_region("step");
  return {told("own_memory_recorded", own_kb() + record_kb(), 0),
          told("own_memory_high_water", field_of_status_kb("VmHWM:"), 0)};
}

Outcome own_memory_at_the_end() { return told("own_memory_high_water_end", field_of_status_kb("VmHWM:"), 0); }

}  // namespace bench::memory
