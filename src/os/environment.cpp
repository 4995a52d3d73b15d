// SPDX-License-Identifier: BSD-3-Clause
#include "os/environment.hpp"

#include <unistd.h>

#include <cstdlib>

namespace comity::os {

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::vector<std::string> environment_names(std::string_view prefix) {
  std::vector<std::string> names;
  if (environ == nullptr) return names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

std::vector<std::string> environment_entries() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

}  // namespace comity::os
