// SPDX-License-Identifier: BSD-3-Clause
// record-multiply: writes the record of a large job from the files of a few real ranks (multiply.hpp; docs/record.md).
#include "multiply.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs(
        "usage: record-multiply RANKS BYTES FOLDER RANK-FILE...\n"
        "  Writes FOLDER/run.comity of a job of RANKS ranks, 64 a node, of at most BYTES bytes each; rank r is a copy "
        "of\n"
        "  the r-th file, from the first again after the last.\n",
        stderr);
    return 2;
  }
  try {
    const comity::testing::Multiple wanted{.ranks = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)),
                                           .body_bytes = std::strtoul(argv[2], nullptr, 10)};
    comity::testing::multiply({argv + 4, argv + argc}, wanted, argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record-multiply: %s\n", error.what());
    return 1;
  }
  return 0;
}
