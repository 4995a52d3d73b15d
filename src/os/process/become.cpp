// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/become.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.hpp"
#include "os/environment.hpp"

namespace comity::os {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (const std::string& text : texts) all.push_back(const_cast<char*>(text.c_str()));
  all.push_back(nullptr);
  return all;
}

std::vector<std::string> entries_with(const std::vector<Variable>& variables) {
  std::vector<std::string> entries = environment_entries();
  for (const Variable& variable : variables) {
    const std::string start = variable.name + '=';
    std::erase_if(entries, [&](const std::string& entry) { return entry.starts_with(start); });
    entries.push_back(start + variable.value);
  }
  return entries;
}

}  // namespace

void become(const std::vector<std::string>& words, const std::vector<Variable>& variables) {
  const std::vector<std::string> entries = entries_with(variables);
  ::execvpe(words.at(0).c_str(), pointers(words).data(), pointers(entries).data());
  throw system_error("start " + words[0], errno);
}

}  // namespace comity::os
