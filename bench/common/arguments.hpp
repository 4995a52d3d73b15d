// SPDX-License-Identifier: BSD-3-Clause
// The command line of a program that runs one case; the command `comity bench` writes it, a person may.
#pragma once

#include <string>

namespace bench {

struct Arguments {
  std::string name = "ideal";  // of the case
  int units = 0;               // of work a sample; 0: as many as take `seconds`
  int threads = 1;             // of the rank that computes, where the case asks
  double seconds = 0.7;        // of a sample
  int samples = 3;             // measured, after one that is not
};

// Throws std::invalid_argument with a sentence that ends in how `program` is used.
[[nodiscard]] Arguments parse_arguments(const std::string& program, int count, char** words);

}  // namespace bench
