// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/place_row.hpp"

namespace comity::cli::bench {

Row row_named(const std::string& name, std::size_t ranks, const std::string& unit) {
  Row row;
  row.name = name;
  row.mpi = "no MPI";
  row.ranks = static_cast<int>(ranks);
  row.threads = 1;
  row.unit = unit;
  row.count = 1;
  return row;
}

void judge(Row& row, Goal goal) {
  row.ratio = row.value / row.reference_value;
  row.goal = goal;
  const double judged = goal.on == Goal::On::ratio ? row.ratio : row.value;
  row.verdict = judged <= goal.bound ? Verdict::met : Verdict::missed;
}

Row absent(Row row, const std::string& why) {
  row.verdict = Verdict::absent;
  row.why_absent = why;
  return row;
}

int times_of(const Options& options) { return options.time_limit.count() > 0 ? 3 : 1; }

}  // namespace comity::cli::bench
