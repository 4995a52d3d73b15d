// SPDX-License-Identifier: BSD-3-Clause
// Failures that arise in the MPI library land in the same sentence as all others: comity_last_error().
#pragma once

#include <comity/error.h>

namespace comity::mpi {

inline comity_status report(comity_status status, const char* sentence) {
  comity_report_failure(sentence);
  return status;
}

inline comity_status report_no_memory() { return report(COMITY_ERR_MEMORY, "out of memory; free some and call again"); }

}  // namespace comity::mpi
