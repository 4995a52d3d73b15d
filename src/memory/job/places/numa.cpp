// SPDX-License-Identifier: BSD-3-Clause
// On which NUMA nodes the pages of components lay at the last look at all pages, and how many threads of their rank may run there. Not: what a
// rank has near and far in all (job_json, and the warning of job_text).
#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/csv.hpp"
#include "memory/job/job.hpp"
#include "memory/job/mib.hpp"
#include "memory/job/places/lines.hpp"
#include "memory/job/sum.hpp"

namespace comity::memory {
namespace {

using Json = nlohmann::ordered_json;

// [bytes] Near threads of the rank, far from all of them, and on nodes without CPUs.
struct Lies {
  std::int64_t near = 0;
  std::int64_t far = 0;
  std::int64_t no_cpus = 0;

  [[nodiscard]] std::int64_t most() const { return std::max({near, far, no_cpus}); }
};

// By component what lies on that node; those that have nothing there are left out.
std::map<std::string, std::int64_t> components_on(const RankMemory& rank, int node) {
  std::map<std::string, std::int64_t> components;
  for (const UseFigures& use : rank.uses) {
    if (use.moment != rank.uses.back().moment) continue;
    const auto found = use.nodes.find(node);
    if (found != use.nodes.end() && found->second > 0) add_to(components[use.component], found->second);
  }
  return components;
}

// Of all ranks, the components with most of it far first.
std::vector<std::pair<std::string, Lies>> lies_of(const Job& job) {
  std::map<std::string, Lies> sums;
  for (const RankMemory& rank : job.ranks) {
    for (const NumaFigures& node : rank.numa) {
      for (const auto& [component, bytes] : components_on(rank, node.node)) {
        Lies& sum = sums[component];
        add_to(node.is_near() ? sum.near : node.is_far() ? sum.far : sum.no_cpus, bytes);
      }
    }
  }
  std::erase_if(sums, [](const auto& one) { return one.second.most() < kLeastShown_bytes; });
  std::vector<std::pair<std::string, Lies>> lies(sums.begin(), sums.end());
  std::stable_sort(lies.begin(), lies.end(), [](const auto& a, const auto& b) { return a.second.far > b.second.far; });
  return lies;
}

std::string line_of(const std::string& component, const Lies& lies) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), " %9.2f %9.2f %9.2f\n", static_cast<double>(lies.near) / kMiB,
                static_cast<double>(lies.far) / kMiB, static_cast<double>(lies.no_cpus) / kMiB);
  return "  " + component + std::string(component.size() < 16 ? 16 - component.size() : 0, ' ') + text.data();
}

}  // namespace

std::string numa_text_of(const Job& job) {
  const std::vector<std::pair<std::string, Lies>> lies = lies_of(job);
  if (lies.empty()) return {};
  std::string text =
      "  on NUMA nodes at the last look at all pages [MiB, all ranks]\n"
      "  component             near       far   no CPUs\n";
  for (std::size_t i = 0; i < std::min(lies.size(), kMostLines); ++i) text += line_of(lies[i].first, lies[i].second);
  return text + more_lines(lies.size(), "components", "memory-numa") + '\n';
}

Json numa_json_of(const RankMemory& rank) {
  Json nodes = Json::array();
  for (const NumaFigures& node : rank.numa) {
    Json components = Json::object();
    for (const auto& [component, bytes] : components_on(rank, node.node)) components[component] = bytes;
    nodes.push_back(
        {{"node", node.node}, {"cpus", node.cpus}, {"threads", node.threads}, {"components", std::move(components)}});
  }
  return nodes;
}

std::string numa_rows_of(const Job& job) {
  std::string text = "rank,node,cpus,threads,component,bytes\n";
  for (const RankMemory& rank : job.ranks) {
    for (const NumaFigures& node : rank.numa) {
      const std::string head = std::to_string(rank.rank) + ',' + std::to_string(node.node) + ',' + csv_text(node.cpus) +
                               ',' + std::to_string(node.threads) + ',';
      for (const auto& [component, bytes] : components_on(rank, node.node))
        text += head + csv_text(component) + ',' + std::to_string(bytes) + '\n';
    }
  }
  return text;
}

}  // namespace comity::memory
