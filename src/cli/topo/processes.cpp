// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/processes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace comity::cli {
namespace {

// How node names its segment: the memory file, and the short-lived file of the third hand-over (docs/node.md).
constexpr std::array<std::string_view, 2> kSegmentNames{"/memfd:comity-node", "/comity-node-"};

// Open MPI, PMIx, PMI (MPICH and its children), Slurm.
constexpr std::array<std::string_view, 4> kRankVariables{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                                         "SLURM_PROCID"};

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return std::nullopt;
  return text.str();
}

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<pid_t> numbered_entries(const std::string& folder) {
  std::vector<pid_t> numbers;
  std::error_code problem;
  std::filesystem::directory_iterator entry(folder, problem);
  while (!problem && entry != std::filesystem::directory_iterator()) {
    if (const auto number = parse_int(entry->path().filename().string())) numbers.push_back(*number);
    entry.increment(problem);  // the folder of a process that ends becomes an error, which ends the list
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// The value of a "Name:\tvalue" line of a status file.
std::string_view field(std::string_view status, std::string_view name) {
  const std::string start = std::string(name) + ":\t";
  const std::size_t at = status.starts_with(start) ? 0 : status.find('\n' + start);
  if (at == std::string_view::npos) return {};
  status.remove_prefix(at + start.size() + (at == 0 ? 0 : 1));
  return status.substr(0, status.find('\n'));
}

// "program argument argument", or the thread's name where there are no words (a kernel thread).
std::string command_line(std::string words, std::string_view fallback) {
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace_if(
      words.begin(), words.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return words.empty() ? std::string(fallback) : words;
}

bool names_segment(std::string_view file) {
  return std::any_of(kSegmentNames.begin(), kSegmentNames.end(),
                     [&](std::string_view name) { return file.find(name) != std::string_view::npos; });
}

}  // namespace

std::string rank_variables() {
  std::string names;
  for (const std::string_view name : kRankVariables) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::string ProcessTable::path(pid_t process, const std::string& file) const {
  return proc_ + '/' + std::to_string(process) + '/' + file;
}

std::vector<pid_t> ProcessTable::all() const { return numbered_entries(proc_); }

std::optional<pid_t> ProcessTable::parent(pid_t process) const {
  const auto status = read_file(path(process, "status"));
  return status ? parse_int(field(*status, "PPid")) : std::nullopt;
}

Segments ProcessTable::segments(pid_t process) const {
  const auto maps = read_file(path(process, "maps"));
  Segments found{.readable = maps.has_value(), .files = {}};
  std::istringstream lines(maps.value_or(""));
  for (std::string line; std::getline(lines, line);) {
    // 7f01-7f02 rw-s 00000000 00:01 4711   /memfd:comity-node (deleted)
    std::istringstream words(line);
    std::string range, rights, offset, device, inode, file;
    words >> range >> rights >> offset >> device >> inode;
    std::getline(words, file);
    if (names_segment(file)) found.files.push_back((device += ' ') += inode);
  }
  std::sort(found.files.begin(), found.files.end());
  found.files.erase(std::unique(found.files.begin(), found.files.end()), found.files.end());
  return found;
}

std::optional<int> ProcessTable::rank(pid_t process) const {
  const std::string variables = '\0' + read_file(path(process, "environ")).value_or("");
  for (const std::string_view name : kRankVariables) {
    const std::string start = '\0' + std::string(name) + '=';
    const std::size_t at = variables.find(start);
    if (at == std::string::npos) continue;
    return parse_int(std::string_view(variables.c_str() + at + start.size()));
  }
  return std::nullopt;
}

std::optional<ThreadBinding> ProcessTable::thread(pid_t process, pid_t thread) const {
  const auto status = read_file(path(process, "task/" + std::to_string(thread) + "/status"));
  if (!status || status->empty() || field(*status, "State").starts_with('Z')) return std::nullopt;
  return ThreadBinding{thread, std::string(field(*status, "Name")),
                       CpuSet::parse_list(field(*status, "Cpus_allowed_list"))};
}

std::optional<ProcessBinding> ProcessTable::binding(pid_t process) const {
  ProcessBinding found{.id = process, .command = {}, .rank = rank(process), .threads = {}};
  for (const pid_t id : numbered_entries(path(process, "task"))) {
    if (auto one = thread(process, id)) found.threads.push_back(std::move(*one));
  }
  if (found.threads.empty()) return std::nullopt;
  // Numbers that ran over give later threads lower ones.
  std::stable_partition(found.threads.begin(), found.threads.end(),
                        [&](const ThreadBinding& one) { return one.id == process; });
  found.command = command_line(read_file(path(process, "cmdline")).value_or(""), found.threads.front().name);
  return found;
}

}  // namespace comity::cli
