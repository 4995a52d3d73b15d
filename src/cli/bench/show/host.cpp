// SPDX-License-Identifier: BSD-3-Clause
#include <fstream>

#include "base/error.hpp"
#include "cli/bench/show/report.hpp"
#include "cli/common/settings.hpp"
#include "machine/loader.hpp"
#include "machine/machine.hpp"
#include "os/cpus/affinity.hpp"
#include "os/environment.hpp"

namespace comity::cli::bench {
namespace {

template <typename Value>
Value first_of(const char* path) {
  Value value{};
  std::ifstream(path) >> value;
  return value;
}

// Also of the environment that the ranks inherit: it is this one.
std::vector<std::string> settings_in_force() {
  std::vector<std::string> found;
  for (const Setting& setting : settings(os::environment)) {
    if (setting.set) found.push_back(std::string(setting.row->name) + '=' + setting.value);
  }
  return found;
}

}  // namespace

Host this_host() {
  const machine::Image image = machine::load({});
  const machine::Machine here(image);
  if (here.simulated()) {
    throw Error(Status::unsupported, "measure on " + std::string(here.name()) +
                                         ": it is simulated and has no time; unset the HWLOC_ variables");
  }
  const int cores = here.count(machine::ObjectType::core);
  return {std::string(here.name()),
          cores > 0 ? cores : here.harts(),
          here.harts(),
          first_of<std::string>("/proc/sys/kernel/osrelease"),
          first_of<double>("/proc/loadavg"),
          settings_in_force()};
}

CpuSet first_cores(int count) {
  const machine::Image image = machine::load({});
  const machine::Machine here(image);
  const bool has_cores = here.count(machine::ObjectType::core) > 0;
  const machine::ObjectType type = has_cores ? machine::ObjectType::core : machine::ObjectType::pu;
  const CpuSet mine = os::affinity(0);
  CpuSet found;
  for (int core = 0; core < here.count(type) && static_cast<int>(found.count()) < count; ++core) {
    if (const auto pu = (here.cpuset(type, core) & mine).lowest(); pu) found.insert(*pu);
  }
  return found;
}

}  // namespace comity::cli::bench
