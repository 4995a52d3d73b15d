// SPDX-License-Identifier: BSD-3-Clause
// What a run is: the TOML file's keys with their defaults. Unknown keys, wrong types and values out of range
// are errors that name file, line and the nearest known key.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

namespace twomesh::app {

class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Config {
  int steps = 10;
  std::string problem = "blobs";

  std::array<int, 2> l0_cells{96, 96};
  std::array<int, 2> l0_block{16, 16};
  double courant = 0.4;
  int substeps = 1;

  std::array<int, 2> l1_cells{144, 144};
  int strip_rows = 4;
  double conductivity = 0.05;
  double mixing = 0.5;
  double tolerance = 1e-9;
  int max_iterations = 500;
  bool hash_iterates = true;

  std::string back = "all";  // or "energy"

  std::string resource = "numa";
  int per = 1;
  int narrow_per = 2;
  int narrow_substeps = 1;

  bool operator==(const Config&) const = default;
};

// `text` is the file's content, `name` what messages call it.
[[nodiscard]] Config parse_config(std::string_view text, const std::string& name);

}  // namespace twomesh::app
