// SPDX-License-Identifier: BSD-3-Clause
#include <vector>

#include "cli/commands.hpp"

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + (count > 0 ? 1 : 0), words + count);
  return comity::cli::run(arguments);
}
