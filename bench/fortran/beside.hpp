// SPDX-License-Identifier: BSD-3-Clause
// The cases of the libraries beside libcomity, whose modules are comity_sched and comity_records.
#pragma once

#include <vector>

#include "common/timing.hpp"

namespace bench::fortran {

// This process has no harts, before and after.
[[nodiscard]] std::vector<Outcome> task_cases();
// `path`: of a record; the first of its ranks has a fact.
[[nodiscard]] std::vector<Outcome> record_cases(const char* path);

}  // namespace bench::fortran
