// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/network.hpp"

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/text_file.hpp"
#include "cli/common/told_json.hpp"
#include "place/bounds/weighed.hpp"
#include "place/division/launchers.hpp"
#include "place/topology_conf.hpp"
#include "place/torus.hpp"

namespace comity::cli {
namespace {

using nlohmann::json;
using place::Network;

constexpr std::size_t kMostNetworkBytes = std::size_t{64} << 20U;

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(Status::argument, name + ": " + why);
}

// "n[1-4]", or ["n1", "n2"].
std::vector<std::string> names_in(const json& value, const std::string& name) {
  std::string list;
  if (value.is_string()) list = value.get<std::string>();
  if (value.is_array()) {
    for (const json& one : value) {
      if (!one.is_string()) refuse(name, "names of nodes and switches are texts");
      list += one.get<std::string>() + ' ';
    }
  }
  if (!value.is_string() && !value.is_array()) refuse(name, "nodes and switches are a text or a list of texts");
  return place::parse_names(list, name);
}

place::Switch read_switch(const json& value, const std::string& name) {
  if (!value.is_object() || !value.contains("name") || !value["name"].is_string()) {
    refuse(name, "a switch is an object with a name");
  }
  place::Switch result{value["name"].get<std::string>()};
  for (const auto& [key, one] : value.items()) {
    if (key == "nodes") {
      result.nodes = names_in(one, name);
    } else if (key == "switches") {
      result.switches = names_in(one, name);
    } else if (key != "name") {
      refuse(name, "a switch has no " + in_quotes(key) + "; there are name, nodes and switches");
    }
  }
  return result;
}

Network read_torus(const json& value, const std::string& name) {
  if (!value.is_array()) refuse(name, "a torus is a list of extents, as in [4, 4, 2]");
  std::vector<std::uint32_t> extents;
  for (const json& one : value) {
    if (!one.is_number_unsigned() || one.get<std::uint64_t>() > place::kMostHosts) {
      refuse(name, "an extent is a whole number from 1 on");
    }
    extents.push_back(one.get<std::uint32_t>());
  }
  return place::torus_network(extents, name);
}

Network torus_of(const std::string& text) {
  std::vector<std::uint32_t> extents;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    extents.push_back(number_in<std::uint32_t>(text.substr(begin, end - begin), 1, place::kMostHosts,
                                               "--torus takes numbers of nodes with x between them, as in 4x4x2"));
    begin = end + 1;
  }
  return place::torus_network(extents, "--torus");
}

struct Hops {
  place::Weight ours;
  std::optional<place::Weight> in_order;
  place::Weight bound;
};

Hops hops_of(const Network& network, const Placed& placed) {
  const auto links = [&](const place::Mapping& mapping) {
    return place::links_of(placed.graph, placed.site, network, mapping);
  };
  const place::Weight bound = place::least_links(placed.site, placed.answer);
  if (const auto& known = placed.answer.links; known && !placed.uneven) return {known->ours, known->sequential, bound};
  const place::Weight ours = links(placed.answer.mapping);
  if (!placed.uneven) return {ours, links(place::sequential(placed.site, placed.graph.ranks())), bound};
  place::Widths threads;
  for (place::Rank rank = 0; rank < placed.plan.ranks(); ++rank) threads.push_back(placed.plan.seat(rank).threads);
  const std::optional<place::Mapping> in_order = place::sequential_of_widths(placed.site, threads);
  return {ours, in_order ? std::optional(links(*in_order)) : std::nullopt, bound};
}

}  // namespace

Network parse_network_json(std::string_view text, const std::string& name) {
  const json value = told_json(text, name);
  if (!value.is_object() || value.size() != 1 || value.contains("torus") == value.contains("switches")) {
    refuse(name, R"(a network is {"switches": [..]} or {"torus": [..]})");
  }
  if (value.contains("torus")) return read_torus(value["torus"], name);
  if (!value["switches"].is_array()) refuse(name, "switches are a list");
  std::vector<place::Switch> switches;
  for (const json& one : value["switches"]) switches.push_back(read_switch(one, name));
  return place::switch_tree(switches, name);
}

std::optional<Network> read_network(const std::string& file, const std::string& torus) {
  if (!file.empty() && !torus.empty()) throw UsageError("--network and --torus both name a network; give one of them");
  if (!torus.empty()) return torus_of(torus);
  if (file.empty()) return std::nullopt;
  const std::string text = read_text_file(file, "the network", "--network", kMostNetworkBytes);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool is_json = first != std::string::npos && text[first] == '{';
  return is_json ? parse_network_json(text, file) : place::parse_topology_conf(text, file);
}

nlohmann::ordered_json hops_json(const Network& network, const Placed& placed) {
  const Hops hops = hops_of(network, placed);
  nlohmann::ordered_json json{{"ours", hops.ours}, {"sequential", nullptr}, {"bound", hops.bound}};
  if (hops.in_order) json["sequential"] = *hops.in_order;
  json["gap"] = gap_json(static_cast<double>(hops.ours), static_cast<double>(hops.bound));
  return json;
}

std::string hops_text(const Network& network, const Placed& placed) {
  const Hops hops = hops_of(network, placed);
  return "\nLinks of the torus times what goes over them: ours " + std::to_string(hops.ours) +
         (hops.in_order ? ", sequential " + std::to_string(*hops.in_order) : "; the sequential order does not fit") +
         "; at least " + std::to_string(hops.bound) + " (" +
         gap_text(static_cast<double>(hops.ours), static_cast<double>(hops.bound)) + ")\n";
}

}  // namespace comity::cli
