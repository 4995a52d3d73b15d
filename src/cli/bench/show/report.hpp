// SPDX-License-Identifier: BSD-3-Clause
// What a benchmark found, as a table and as JSON (docs/bench.md has the fields).
#pragma once

#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "cli/bench/measure/row.hpp"
#include "cli/common/screen.hpp"

namespace comity::cli::bench {

// What the timings were taken on.
struct Host {
  std::string cpu;
  int cores = 0;
  int harts = 0;
  std::string kernel;
  double load_before = 0.0;                // [processes] that wanted a core in the minute before the benchmark
  std::vector<std::string> settings = {};  // NAME=value: Comity's that are set, and so decide too
};

// A column of the table that only this benchmark has, from the rows' extra figures, or "sd".
struct Column {
  std::string heading;
  std::string key;
  std::string unit;  // "": the row's
};

struct Report {
  std::string bench;
  Host host;
  std::vector<Row> rows;  // those of an MPI stand together, in it those of a number of ranks and threads
  std::vector<Column> columns;
  std::string note;               // how to read it
  bool names_references = false;  // in the table too, where rows of one case differ by theirs
};

[[nodiscard]] std::string to_json(const Report& report);
[[nodiscard]] std::string to_text(const Report& report, const Screen& screen);

// The machine as hwloc has it and as the kernel tells; throws Status::unsupported where HWLOC_ variables name another one.
[[nodiscard]] Host this_host();

// A PU of each of the first so many cores that this process may use; fewer where there are fewer.
[[nodiscard]] CpuSet first_cores(int count);

}  // namespace comity::cli::bench
