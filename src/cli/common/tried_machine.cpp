// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/tried_machine.hpp"

#include "base/error.hpp"
#include "os/process/trial.hpp"

namespace comity::cli {
namespace {

constexpr std::chrono::seconds kLimit{30};

}  // namespace

machine::Image load_tried(const machine::Source& source, machine::Image (*load)(const machine::Source&)) {
  if (!source.xml_file) return load(source);
  const std::string why = os::why_it_ends([&] { (void)load(source); }, kLimit);
  if (why.empty()) return load(source);
  throw Error(Status::topology, "read the topology file \"" + *source.xml_file + "\": hwloc cannot stand it (" + why +
                                    "), nor can a program that reads it; make one with lstopo --of xml");
}

}  // namespace comity::cli
