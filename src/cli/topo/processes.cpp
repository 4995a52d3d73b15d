// SPDX-License-Identifier: BSD-3-Clause
#include "cli/topo/processes.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "os/proc.hpp"
#include "os/process/launched_ranks.hpp"

namespace comity::cli {
namespace {

// How node names its segment: the memory file, and the short-lived file of the third hand-over (docs/node.md).
constexpr std::array<std::string_view, 2> kSegmentNames{"/memfd:comity-node", "/comity-node-"};

bool names_segment(std::string_view file) {
  return std::any_of(kSegmentNames.begin(), kSegmentNames.end(),
                     [&](std::string_view name) { return file.find(name) != std::string_view::npos; });
}

}  // namespace

std::string rank_variables() {
  std::string names;
  for (const std::string_view name : os::rank_variables()) names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

std::string ProcessTable::path(pid_t process, const std::string& file) const {
  return proc_ + '/' + std::to_string(process) + '/' + file;
}

std::vector<pid_t> ProcessTable::all() const { return os::numbered_entries(proc_); }

std::optional<pid_t> ProcessTable::parent(pid_t process) const {
  const auto status = os::read_text(path(process, "status"));
  return status ? os::parse_int(os::status_field(*status, "PPid")) : std::nullopt;
}

Segments ProcessTable::segments(pid_t process) const {
  const auto maps = os::read_text(path(process, "maps"));
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
  return os::rank_in(os::read_text(path(process, "environ")).value_or(""));
}

std::optional<ThreadBinding> ProcessTable::thread(pid_t process, pid_t thread) const {
  const auto status = os::read_text(path(process, "task/" + std::to_string(thread) + "/status"));
  if (!status || status->empty() || os::status_field(*status, "State").starts_with('Z')) return std::nullopt;
  return ThreadBinding{thread, std::string(os::status_field(*status, "Name")),
                       CpuSet::parse_list(os::status_field(*status, "Cpus_allowed_list"))};
}

std::string ProcessTable::command(pid_t process, std::string_view fallback) const {
  std::string words = os::read_text(path(process, "cmdline")).value_or("");
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::replace_if(
      words.begin(), words.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return words.empty() ? std::string(fallback) : words;
}

std::optional<ProcessBinding> ProcessTable::binding(pid_t process) const {
  ProcessBinding found{.id = process, .command = {}, .rank = rank(process), .threads = {}};
  for (const pid_t id : os::numbered_entries(path(process, "task"))) {
    if (auto one = thread(process, id)) found.threads.push_back(std::move(*one));
  }
  if (found.threads.empty()) return std::nullopt;
  // Numbers that ran over give later threads lower ones.
  std::stable_partition(found.threads.begin(), found.threads.end(),
                        [&](const ThreadBinding& one) { return one.id == process; });
  found.command = command(process, found.threads.front().name);
  return found;
}

}  // namespace comity::cli
