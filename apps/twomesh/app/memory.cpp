// SPDX-License-Identifier: BSD-3-Clause
#include "app/memory.hpp"

#include <array>
#include <cstddef>
#include <cstdio>
#include <string_view>

#include "l0/gas.hpp"

namespace twomesh::app {
namespace {

// Doubles a cell. L0: state, stage and rate of each conserved field (l0::Block).
constexpr double kL0Fields = 3.0 * l0::kFields;
// L1: the conserved fields, conductivity, heat capacity, temperature and gain (l1::Conduction), five of the system
// (l1::System), three of the solver (l1::ConjugateGradients).
constexpr double kL1Fields = l0::kFields + 4.0 + 5.0 + 3.0;

double cells_in(const std::array<int, 2>& cells) { return static_cast<double>(cells[0]) * cells[1]; }

std::string words_of(const std::array<int, 2>& cells) {
  return '[' + std::to_string(cells[0]) + ", " + std::to_string(cells[1]) + ']';
}

std::string bytes_text(double bytes) {
  constexpr std::array<std::string_view, 7> kUnits{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  std::size_t unit = 0;
  while (bytes >= 1000.0 && unit + 1 < kUnits.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", bytes, kUnits[unit].data());
  return text.data();
}

}  // namespace

double least_bytes(const Config& config) {
  return sizeof(double) * (kL0Fields * cells_in(config.l0_cells) + kL1Fields * cells_in(config.l1_cells));
}

void require_memory(const Config& config, const std::string& name, double available) {
  const double needed = least_bytes(config);
  if (needed <= available) return;
  throw ConfigError(name + ": l0.cells " + words_of(config.l0_cells) + " and l1.cells " + words_of(config.l1_cells) +
                    " need " + bytes_text(needed) + " for their fields alone, the nodes of this job have " +
                    bytes_text(available) + "; choose coarser meshes or more nodes");
}

}  // namespace twomesh::app
