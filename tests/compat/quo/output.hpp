// SPDX-License-Identifier: BSD-3-Clause
// What this process writes to its standard output and its standard error, its libraries too.
#pragma once

#include <array>
#include <string>

namespace conform {

// Kept from the first line of its scope on, and shown nowhere.
class Output {
 public:
  Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();
  // All that was written; from here on it is shown again.
  [[nodiscard]] std::string end();

 private:
  void give_back();

  int kept_;
  std::array<int, 2> before_{};
  bool ended_ = false;
};

}  // namespace conform
