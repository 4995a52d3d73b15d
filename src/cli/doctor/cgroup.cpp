// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/cgroup.hpp"

#include <algorithm>
#include <charconv>

#include "os/cpus/cgroup.hpp"

namespace comity::cli {
namespace {

constexpr std::uint64_t kNoLimitFrom = std::uint64_t{1} << 62U;  // version 1 writes a huge number for none

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> group_folders(const Host& host, std::string_view controller) {
  return os::cgroup_folders([&](const std::string& path) { return host.read(path); }, controller);
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
