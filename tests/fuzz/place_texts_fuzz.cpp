// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a list of hosts, a network, measured costs, the output of probes or of the program that
// measures, or a partitioner's division, or is one that makes sense. The first letter chooses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "cli/place/in_place/costs.hpp"
#include "cli/place/in_place/measure.hpp"
#include "cli/place/in_place/probe.hpp"
#include "cli/place/network.hpp"
#include "place/network.hpp"

namespace {

using namespace comity;

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const std::vector<place::Host>& hosts) {
  std::set<std::string> names;
  for (const place::Host& host : hosts) {
    require(!host.name.empty() && names.insert(host.name).second && host.slots.value_or(1) >= 1);
  }
  require(!hosts.empty());
}

// Each node once, levels inside one another, and a site can be made of it.
void check(const place::Network& network) {
  const std::set<std::uint32_t> nodes(network.order.begin(), network.order.end());
  require(!nodes.empty() && nodes.size() == network.order.size() && *nodes.rbegin() + 1 == nodes.size());
  require(network.hosts.empty() || network.hosts.size() == nodes.size());
  if (nodes.size() > 1000) return;
  const std::vector<place::NodeRun> runs{{nodes.size(), {2}}};
  const place::Site site(place::in_order(runs, network.order), 1, network.levels);
  require(site.places() == 2 * nodes.size() && site.node_level() == network.levels.size());
  for (std::size_t level = 1; level < site.levels().size(); ++level) {
    const std::set<place::Place> inner(site.levels()[level].first.begin(), site.levels()[level].first.end());
    for (const place::Place border : site.levels()[level - 1].first) require(inner.contains(border));
  }
}

void check(const cli::MeasuredCosts& costs) {
  require(!costs.bytes.empty() && !costs.costs.empty());
  for (const std::int64_t bytes : {std::int64_t{1}, costs.bytes.back(), 2 * costs.bytes.back()}) {
    for (const auto& [level, cost] : cli::level_costs(costs, {"node", "package"}, bytes)) require(cost >= 0);
  }
  require(
      cli::parse_costs(cli::costs_json(costs).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), "text")
          .costs.size() == costs.costs.size());
}

void check(const std::vector<cli::ProbedThread>& threads) {
  for (const cli::ProbedThread& thread : threads) {
    require(!thread.host.empty() && cli::read_probe_lines(cli::probe_line(thread)).front() == thread);
  }
}

// Hosts n1 and n2 are at two switches.
void check_pairs(const std::string& text) {
  static const place::Network network =
      place::parse_topology_conf("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=c Switches=a,b\n", "tree");
  const cli::Measured measured = cli::read_pairs(text, cli::parting_in(network, network.hosts));
  check(measured.costs);
  require(measured.unrest >= 1 && !cli::measured_text(measured, "file").empty());
}

void check_parts(cli::bench::Partitioner::Kind kind, const std::string& text) {
  constexpr std::size_t kRanks = 6, kParts = 3;
  std::istringstream file(text);
  const auto parts = cli::bench::read_parts(kind, file, kRanks, kParts);
  if (!parts) return;
  require(parts->size() == kRanks);
  for (const place::Domain part : *parts) require(part < kParts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  if (bytes == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, bytes - 1);
  try {
    switch (data[0]) {
      case 'h':
        check(place::parse_hosts(text, "text"));
        break;
      case 't':
        check(place::parse_topology_conf(text, "text"));
        break;
      case 'j':
        check(cli::parse_network_json(text, "text"));
        break;
      case 'c':
        check(cli::parse_costs(text, "text"));
        break;
      case 'p':
        check(cli::read_probe_lines(text));
        break;
      case 'm':
        check_pairs(text);
        break;
      case 's':
        check_parts(cli::bench::Partitioner::Kind::scotch, text);
        break;
      case 'k':
        check_parts(cli::bench::Partitioner::Kind::kahip, text);
        break;
      default:
        break;
    }
  } catch (const Error&) {
    return 0;  // refused
  }
  return 0;
}
