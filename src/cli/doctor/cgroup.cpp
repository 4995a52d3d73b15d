// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace comity::cli {
namespace {

constexpr std::uint64_t kNoLimitFrom = std::uint64_t{1} << 62U;  // version 1 writes a huge number for none

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool has_word(std::string_view list, std::string_view word) {
  const auto words = split(list, ",");
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Where a controller's tree is mounted, and which of its groups stands at that mount.
struct Mount {
  std::string folder;
  std::string group;
};

// A line of mountinfo: id parent device root folder options.. - type source superoptions
std::optional<Mount> find_mount(const Host& host, std::string_view controller) {
  std::istringstream lines(host.read("/proc/self/mountinfo").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto words = split(line);
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    const bool unified = controller.empty() && dash[1] == "cgroup2";
    const bool split_tree = !controller.empty() && dash[1] == "cgroup" && has_word(dash[3], controller);
    if (unified || split_tree) return Mount{words[4], words[3]};
  }
  return std::nullopt;
}

// A line of /proc/self/cgroup: number:controllers:group, controllers empty for version 2.
std::optional<std::string> find_group(const Host& host, std::string_view controller) {
  std::istringstream lines(host.read("/proc/self/cgroup").value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? controllers.empty() : has_word(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

// The folders that may limit us: our group, its parents, up to the mount. `controller` is empty for version 2.
std::vector<std::string> group_folders(const Host& host, std::string_view controller) {
  const auto mount = find_mount(host, controller);
  const auto group = find_group(host, controller);
  if (!mount || !group) return {};
  std::string below = *group;
  if (mount->group != "/" && below.starts_with(mount->group)) below.erase(0, mount->group.size());
  std::vector<std::string> folders;
  while (below.size() > 1) {
    folders.push_back(mount->folder + below);
    below.erase(below.rfind('/'));
  }
  folders.push_back(mount->folder);  // in a container often the only one that is there
  return folders;
}

template <typename Value>
void keep_smaller(std::optional<Value>& least, std::optional<Value> found) {
  if (found && (!least || *found < *least)) least = found;
}

std::optional<double> quota_of(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::uint64_t> bytes_of(const std::optional<std::string>& text) {
  const auto value = parse_number(text.value_or("max"));
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) >= kNoLimitFrom) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

void add_unified(const Host& host, CgroupLimits& limits) {
  for (const std::string& folder : group_folders(host, "")) {
    const auto words = split(host.read(folder + "/cpu.max").value_or(""));  // "200000 100000" or "max 100000"
    if (words.size() == 2) keep_smaller(limits.cpus, quota_of(parse_number(words[0]), parse_number(words[1])));
    keep_smaller(limits.memory_bytes, bytes_of(host.read(folder + "/memory.max")));
    if (limits.cpuset.empty()) limits.cpuset = host.read(folder + "/cpuset.cpus.effective").value_or("");
  }
}

void add_split(const Host& host, CgroupLimits& limits) {
  for (const std::string& folder : group_folders(host, "cpu")) {
    keep_smaller(limits.cpus, quota_of(parse_number(host.read(folder + "/cpu.cfs_quota_us").value_or("")),
                                       parse_number(host.read(folder + "/cpu.cfs_period_us").value_or(""))));
  }
  for (const std::string& folder : group_folders(host, "memory")) {
    keep_smaller(limits.memory_bytes, bytes_of(host.read(folder + "/memory.limit_in_bytes")));
  }
  for (const std::string& folder : group_folders(host, "cpuset")) {
    if (limits.cpuset.empty()) limits.cpuset = host.read(folder + "/cpuset.effective_cpus").value_or("");
    if (limits.cpuset.empty()) limits.cpuset = host.read(folder + "/cpuset.cpus").value_or("");
  }
}

}  // namespace

CgroupLimits cgroup_limits(const Host& host) {
  CgroupLimits limits;
  add_unified(host, limits);
  add_split(host, limits);
  return limits;
}

}  // namespace comity::cli
