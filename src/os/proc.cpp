// SPDX-License-Identifier: BSD-3-Clause
#include "os/proc.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "os/files/descriptor.hpp"

namespace comity::os {

// No stream of C++, which takes a lack of memory for a file that cannot be read.
std::optional<std::string> read_text(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;  // NOLINT(*-member-init): what is not read is not used
  for (;;) {
    const ssize_t got = ::read(file.number(), piece.data(), piece.size());
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return std::nullopt;
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int> read_int(const std::string& path) {
  const std::string text = read_text(path).value_or("");
  int value = 0;
  const bool is_number = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc{};
  return is_number ? std::optional(value) : std::nullopt;
}

std::vector<pid_t> numbered_entries(const std::string& folder, bool& refused) {
  std::vector<pid_t> numbers;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem);
  refused = problem == std::errc::permission_denied || problem == std::errc::operation_not_permitted;
  while (!problem && entry != std::filesystem::directory_iterator()) {
    if (const auto number = parse_int(entry->path().filename().string())) numbers.push_back(*number);
    entry.increment(problem);  // the folder of a process that ends becomes an error, which ends the list
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::vector<pid_t> numbered_entries(const std::string& folder) {
  bool refused = false;
  return numbered_entries(folder, refused);
}

std::string_view status_field(std::string_view status, std::string_view name) {
  const std::string start = std::string(name) + ":\t";
  const std::size_t at = status.starts_with(start) ? 0 : status.find('\n' + start);
  if (at == std::string_view::npos) return {};
  status.remove_prefix(at + start.size() + (at == 0 ? 0 : 1));
  return status.substr(0, status.find('\n'));
}

std::optional<int> first_number(std::string_view value) { return parse_int(value.substr(0, value.find('\t'))); }
std::optional<int> last_number(std::string_view value) { return parse_int(value.substr(value.rfind('\t') + 1)); }

std::optional<std::string> link_text(const std::string& path) {
  std::error_code problem;
  const std::filesystem::path text = std::filesystem::read_symlink(path, problem);
  return problem ? std::nullopt : std::optional(text.string());
}

}  // namespace comity::os
