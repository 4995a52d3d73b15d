// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/summary.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace comity::cli {

using memory::Component;
using memory::ComponentUse;
using os::PageUse;

namespace {

// Device and file. Not the name: one process may have been looked at before the file was unlinked, and one after.
using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;

void add(memory::ComponentUse& sum, const memory::ComponentUse& more) {
  sum.use += more.use;
  sum.virtual_bytes += more.virtual_bytes;
  for (const auto& [node, bytes] : more.nodes) sum.nodes[node] += bytes;
}

void add(std::map<Key, SegmentSummary>& segments, const memory::SegmentUse& use) {
  auto [segment, is_new] =
      segments.try_emplace({use.device_major, use.device_minor, use.inode}, SegmentSummary{use, 1});
  if (is_new) return;
  segment->second.use.use += use.use;
  segment->second.use.virtual_bytes = std::max(segment->second.use.virtual_bytes, use.virtual_bytes);
  ++segment->second.processes;
}

}  // namespace

os::PageUse Summary::with_mpi() const {
  os::PageUse sum;
  for (std::size_t id = 0; id < components.size(); ++id) {
    if (memory::comes_with_mpi(static_cast<memory::Component>(id))) sum += components[id].use;
  }
  return sum;
}

Summary summary_of(const std::vector<ProcessView>& processes) {
  Summary summary;
  std::map<Key, SegmentSummary> segments;
  for (const ProcessView& process : processes) {
    if (!process.told()) continue;
    const memory::Attribution& told = process.attribution();
    for (std::size_t id = 0; id < told.components.size(); ++id) add(summary.components[id], told.components[id]);
    for (const memory::SegmentUse& segment : told.segments) add(segments, segment);
    summary.total += told.total;
  }
  for (auto& [key, segment] : segments) summary.segments.push_back(std::move(segment));
  std::stable_sort(summary.segments.begin(), summary.segments.end(),
                   [](const auto& a, const auto& b) { return a.use.use.pss > b.use.use.pss; });
  return summary;
}

bool is_empty(const ComponentUse& use) { return use.use == PageUse{}; }

std::vector<Component> components_in(const ComponentUses& uses, std::uint64_t PageUse::*order) {
  std::vector<Component> found;
  for (std::size_t id = 0; id < uses.size(); ++id) {
    if (!is_empty(uses[id])) found.push_back(static_cast<Component>(id));
  }
  std::stable_sort(found.begin(), found.end(), [&](Component a, Component b) {
    return uses[static_cast<std::size_t>(a)].use.*order > uses[static_cast<std::size_t>(b)].use.*order;
  });
  return found;
}

std::string segment_text(const std::string& name) {
  constexpr std::string_view kDeleted = " (deleted)";
  constexpr std::string_view kFolder = "/dev/shm/";
  std::string_view text = name;
  if (text.ends_with(kDeleted)) text.remove_suffix(kDeleted.size());
  if (text.starts_with(kFolder)) text.remove_prefix(kFolder.size());
  return text.empty() ? "(without a name)" : std::string(text);
}

}  // namespace comity::cli
