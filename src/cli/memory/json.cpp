// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/json.hpp"

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/memory/summary.hpp"

namespace comity::cli {
namespace {

using Json = nlohmann::ordered_json;
using memory::Component;
using memory::ComponentUse;
using os::PageUse;

Json use_json(const ComponentUse& use) {
  Json json{{"rss_bytes", use.use.rss},           {"pss_bytes", use.use.pss},          {"uss_bytes", use.use.uss()},
            {"swap_bytes", use.use.swap},         {"locked_bytes", use.use.locked},    {"huge_bytes", use.use.huge()},
            {"hugetlb_bytes", use.use.hugetlb()}, {"virtual_bytes", use.virtual_bytes}};
  if (use.nodes.empty()) return json;
  for (const auto& [node, bytes] : use.nodes) json["nodes"][std::to_string(node)] = bytes;
  return json;
}

Json components_json(const ComponentUses& uses, const memory::Components& names) {
  Json json = Json::object();
  for (const Component component : components_in(uses, &PageUse::rss))
    json[std::string(names.name(component))] = use_json(uses[static_cast<std::size_t>(component)]);
  return json;
}

Json segments_json(const std::vector<SegmentSummary>& segments, const memory::Components& names) {
  Json list = Json::array();
  for (const SegmentSummary& segment : segments) {
    const bool known = segment.use.maker != Component::shared;
    list.push_back({{"name", segment.use.name},
                    {"inode", segment.use.inode},
                    {"maker", known ? Json(names.name(segment.use.maker)) : Json()},
                    {"processes", segment.processes},
                    {"virtual_bytes", segment.use.virtual_bytes},
                    {"rss_bytes", segment.use.use.rss},
                    {"pss_bytes", segment.use.use.pss},
                    {"uss_bytes", segment.use.use.uss()}});
  }
  return list;
}

Json maps_json(const ProcessView& process, const memory::Components& names) {
  const memory::Attribution& told = process.attribution();
  return {{"age_s", process.mappings_age_s},
          {"cost_s", seconds_of(process.seen.cost_ns)},
          {"statically_linked", told.statically_linked},
          {"rss_bytes", told.total.rss},
          {"pss_bytes", told.total.pss},
          {"uss_bytes", told.total.uss()},
          {"rss_residual_bytes", told.rss_residual()},
          {"pss_residual_bytes", told.pss_residual()},
          {"components", components_json(told.components, names)},
          {"segments", segments_json(summary_of({process}).segments, names)}};
}

Json process_json(const ProcessView& process, const memory::Components& names) {
  const os::Totals& totals = process.seen.totals;
  return {{"pid", process.process},
          {"rank", process.rank ? Json(*process.rank) : Json()},
          {"command", process.command},
          {"ended", process.seen.ended},
          {"rss_bytes", totals.resident},
          {"peak_rss_bytes", process.seen.peak_bytes},
          {"virtual_bytes", totals.virtual_size},
          {"peak_virtual_bytes", totals.peak_virtual},
          {"swap_bytes", totals.swap},
          {"locked_bytes", totals.locked},
          {"hugetlb_bytes", totals.hugetlb},
          {"page_tables_bytes", totals.page_tables},
          {"far_bytes", process.nearness.far_bytes},
          {"near_bytes", process.nearness.near_bytes},
          {"mappings", process.told() ? maps_json(process, names) : Json()}};
}

}  // namespace

nlohmann::ordered_json memory_json(const MemoryView& view) {
  Json processes = Json::array();
  for (const ProcessView& process : view.processes) processes.push_back(process_json(process, *view.components));
  const Summary summary = summary_of(view.processes);
  return {
      {"time_s", view.time_s},
      {"host", view.host},
      {"node",
       {{"total_bytes", view.node.total}, {"free_bytes", view.node.free}, {"available_bytes", view.node.available}}},
      {"processes", std::move(processes)},
      {"together",
       {{"pss_bytes", summary.total.pss},
        {"uss_bytes", summary.total.uss()},
        {"components", components_json(summary.components, *view.components)},
        {"segments", segments_json(summary.segments, *view.components)}}}};
}

}  // namespace comity::cli
