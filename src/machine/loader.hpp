// SPDX-License-Identifier: BSD-3-Clause
// Loader: asks hwloc for a machine and hands back its image. loader.cpp and hwloc_*.cpp are the only files
// that include hwloc.h. Errors are Status::topology and name the file or the description; nothing falls back to the real
// machine. Where hwloc tells that it had no memory, std::bad_alloc.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/image.hpp"

namespace comity::machine {

// What hwloc's own variables say; `os` reads them. At most one of the two machines may be named.
struct Source {
  std::optional<std::string> xml_file = std::nullopt;   // HWLOC_XMLFILE
  std::optional<std::string> synthetic = std::nullopt;  // HWLOC_SYNTHETIC
  bool this_system = false;             // HWLOC_THISSYSTEM: the XML describes this very machine, so binding is real
  std::string place = "HWLOC_XMLFILE";  // where the user wrote the name of the file: what errors advise to check
};

// What the environment names. `lookup`: the value of a variable, none where it is unset.
[[nodiscard]] Source source_of(const std::function<std::optional<std::string>(std::string_view)>& lookup);

// The variables by which the environment points hwloc to a machine.
[[nodiscard]] std::vector<std::string> variables_that_name(
    const std::function<std::optional<std::string>(std::string_view)>& lookup);

// The same with their values; empty: to none but this one.
// Ranks that share an image must agree in it.
[[nodiscard]] std::string named_by(const std::function<std::optional<std::string>(std::string_view)>& lookup);

// The machine that the source names, else the real one. The real one is simulated only where hwloc was
// pointed elsewhere by other variables of its own (HWLOC_FSROOT, HWLOC_THISSYSTEM=0).
// The devices of the real machine are left out: asking its PCI bus takes tens of milliseconds, and few programs ask.
[[nodiscard]] Image load(const Source& source);
// The same with the devices of the real machine.
[[nodiscard]] Image load_with_devices(const Source& source);

// The packed images (restrict.hpp) that the ranks of a node share, without the devices of the real machine.
[[nodiscard]] Image load_for_node(const Source& source);
// One image with what is forbidden too, and with devices.
[[nodiscard]] Image load_complete_with_devices(const Source& source);

// For tests and tools: a machine that is not this one.
[[nodiscard]] Image load_synthetic(std::string_view description);  // "package:2 core:8 pu:2", as lstopo -i takes it
[[nodiscard]] Image load_xml(const std::string& path);             // as lstopo --of xml writes it

}  // namespace comity::machine
