// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/nodes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "cli/common/arguments.hpp"
#include "machine/loader.hpp"
#include "os/environment.hpp"
#include "place/host_names.hpp"

namespace comity::cli {
namespace {

using place::NodeRun;
using place::NodeShape;

constexpr std::size_t kMostNodes = 1'000'000;
constexpr std::size_t kNotCounted = 0;

std::size_t read_count(const std::string& option, const std::string& text) {
  return number_in<std::size_t>(text, 1, kMostNodes, option + " takes 1 to " + std::to_string(kMostNodes) + " nodes");
}

// "3*pack:2 core:4" as 3 and the rest.
std::pair<std::size_t, std::string> counted(const std::string& option, const std::string& text) {
  const std::size_t sign = text.find('*');
  const std::size_t count = sign == std::string::npos ? kNotCounted : read_count(option, text.substr(0, sign));
  const std::string machine = sign == std::string::npos ? text : text.substr(sign + 1);
  if (machine.empty()) throw UsageError(option + " names no machine: its value is empty");
  return {count, machine};
}

NodeShape shape_of(const machine::Image& image) { return place::node_shape(machine::Machine(image)); }

void take_out(std::vector<NodeRun>& nodes, std::size_t node, const CpuSet& cores) {
  std::size_t before = 0;
  for (std::size_t i = 0; i < nodes.size(); before += nodes[i].nodes, ++i) {
    if (node >= before + nodes[i].nodes) continue;
    const NodeRun run = nodes[i];
    const std::vector<NodeRun> parts{{node - before, run.shape},
                                     {1, place::without_cores(run.shape, cores)},
                                     {before + run.nodes - node - 1, run.shape}};
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t part = 0; part < parts.size(); ++part, ++i) {
      if (parts[part].nodes == 0) {
        --i;
      } else {
        nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(i), parts[part]);
      }
    }
    return;
  }
  throw UsageError("--without names node " + std::to_string(node) + ", but the nodes are 0 to " +
                   std::to_string(before - 1));
}

CpuSet read_cores(const std::string& word, const std::string& list, const std::string& takes) {
  if (list.empty()) throw UsageError(takes + ", not " + in_quotes(word));
  try {
    return CpuSet::parse_list(list);
  } catch (const Error&) {  // which says how masks are written, too
    throw UsageError(takes + ", not " + in_quotes(word));
  }
}

// All of a node at once: the numbers of cores are those that it has when it is whole.
std::map<std::size_t, CpuSet> read_missing(const NodeWords& nodes) {
  std::map<std::size_t, CpuSet> missing;
  const std::string takes = "--without takes NODE=CORES, as in 3=0,5-7, with the node's number or its host";
  const place::HostNames names(nodes.names);
  for (const std::string& word : nodes.missing) {
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos) throw UsageError(takes + ", not " + in_quotes(word));
    const std::string name = word.substr(0, sign);
    const std::vector<std::size_t> hosts = names.find(name);
    if (hosts.size() > 1) {
      throw UsageError("--without: " + name + " may be " + nodes.names[hosts[0]] + " or " + nodes.names[hosts[1]] +
                       "; write its whole name");
    }
    const std::size_t node = hosts.size() == 1 ? hosts.front() : number_in<std::size_t>(name, 0, kMostNodes, takes);
    missing[node] |= read_cores(word, word.substr(sign + 1), takes);
  }
  return missing;
}

}  // namespace

bool count_nodes(const NodeWords& words) {
  const auto is_counted = [](const std::string& text) { return text.find('*') != std::string::npos; };
  return !words.count.empty() || words.topologies.size() + words.xml_files.size() > 1 ||
         std::any_of(words.topologies.begin(), words.topologies.end(), is_counted) ||
         std::any_of(words.xml_files.begin(), words.xml_files.end(), is_counted);
}

std::vector<NodeRun> read_nodes(const NodeWords& words) {
  std::vector<NodeRun> nodes;
  for (const std::string& word : words.topologies) {
    const auto [count, text] = counted("--node-topology", word);
    nodes.push_back({count, place::node_shape(text)});
  }
  for (const std::string& word : words.xml_files) {
    const auto [count, path] = counted("--node-xml", word);
    nodes.push_back({count, shape_of(machine::load({.xml_file = path, .place = "--node-xml"}))});
  }
  if (nodes.empty()) nodes.push_back({kNotCounted, shape_of(machine::load(machine::source_of(os::environment)))});
  if (!words.count.empty()) {
    if (nodes.size() > 1 || nodes.front().nodes != kNotCounted) {
      throw UsageError("--nodes counts nodes of one kind; write COUNT*TEXT in --node-topology and --node-xml instead");
    }
    nodes.front().nodes = read_count("--nodes", words.count);
  }
  const bool hosts_count = words.hosts > 0 && nodes.size() == 1;
  for (NodeRun& run : nodes) {
    if (run.nodes == kNotCounted) run.nodes = hosts_count ? words.hosts : 1;
  }
  for (const auto& [node, cores] : read_missing(words)) take_out(nodes, node, cores);
  return nodes;
}

}  // namespace comity::cli
