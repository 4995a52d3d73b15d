// SPDX-License-Identifier: BSD-3-Clause
// The command line of bench-quiesce; the command `comity bench quiesce` writes it, a person may.
#pragma once

#include <string>

namespace bench::quiesce {

struct Arguments {
  std::string name = "ideal";  // of the case
  int units = 0;               // of work a sample; 0: as many as take `seconds`
  double seconds = 0.7;        // of a sample
  int samples = 3;             // measured, after one that is not
};

// Throws std::invalid_argument.
[[nodiscard]] Arguments parse_arguments(int count, char** words);

}  // namespace bench::quiesce
