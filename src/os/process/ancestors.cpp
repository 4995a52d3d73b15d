// SPDX-License-Identifier: BSD-3-Clause
#include "os/process/ancestors.hpp"

#include <algorithm>
#include <charconv>

#include "os/proc.hpp"

namespace comity::os {
namespace {

constexpr std::size_t kMost = 64;  // parents

std::string proc_path(const std::string& process, const char* file) { return "/proc/" + process + '/' + file; }

std::vector<std::string> words_of(const std::string& process) {
  const std::string text = read_text(proc_path(process, "cmdline")).value_or("");
  std::vector<std::string> words;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\0', start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

// "17 (a name) S 12 ..": behind the last bracket stand a state and the parent. 0: there is none.
pid_t parent_of(const std::string& process) {
  const std::string text = read_text(proc_path(process, "stat")).value_or("");
  const std::size_t bracket = text.rfind(')');
  constexpr std::size_t kToParent = 4;  // ") S "
  if (bracket == std::string::npos || bracket + kToParent >= text.size()) return 0;
  pid_t parent = 0;
  std::from_chars(&text[bracket + kToParent], text.data() + text.size(), parent);
  return parent;
}

}  // namespace

std::vector<Ancestor> ancestors() {
  std::vector<Ancestor> all;
  pid_t process = parent_of("self");
  while (process > 0 && all.size() < kMost) {
    const std::string number = std::to_string(process);
    all.push_back({process, words_of(number)});
    process = parent_of(number);
  }
  return all;
}

std::vector<std::string> own_words() { return words_of("self"); }

}  // namespace comity::os
