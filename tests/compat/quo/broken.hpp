// SPDX-License-Identifier: BSD-3-Clause
// What is broken: the names in QUO_BROKEN, with commas between them.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>

inline bool is_broken(std::string_view name) {
  const char* const broken = std::getenv("QUO_BROKEN");
  if (broken == nullptr) return false;
  return ("," + std::string(broken) + ",").find("," + std::string(name) + ",") != std::string::npos;
}
