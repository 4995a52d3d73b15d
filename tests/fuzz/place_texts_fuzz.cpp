// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any text is refused as a list of hosts, Slurm's numbers for them, a network, measured costs, the output of probes or of
// the program that measures, a partitioner's division, or the words of the command's options, or is one that makes sense. The first
// letter chooses; where it stands for several words each has a line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/bench/subject/partitioners.hpp"
#include "cli/place/in_place/costs.hpp"
#include "cli/place/in_place/measure.hpp"
#include "cli/place/in_place/probe.hpp"
#include "cli/place/job.hpp"
#include "cli/place/network.hpp"
#include "cli/place/nodes.hpp"
#include "place/network.hpp"
#include "place/topology_conf.hpp"

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
    require(!thread.host.empty() && !thread.mask.empty());
    const std::vector<cli::ProbedThread> again = cli::read_probe_lines(cli::probe_line(thread));
    require(again.size() == 1 && again.front() == thread);
  }
}

// No line by chance has the right check, and without it nothing of a line is looked at: each has it here too.
void check_probe(const std::string& text) {
  check(cli::read_probe_lines(text));
  std::istringstream lines(text);
  std::string checked;
  for (std::string line; std::getline(lines, line);) checked += cli::checked_probe_line(line);
  check(cli::read_probe_lines(checked));
}

// Hosts n1 and n2 are at two switches.
void check_pairs(const std::string& text) {
  static const place::Network network =
      place::parse_topology_conf("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2\nSwitchName=c Switches=a,b\n", "tree");
  const cli::MeasuredCosts measured = cli::read_pairs(text, cli::parting_in(network, network.hosts));
  check(measured);
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

// The lines of a text, as many as are wanted.
std::vector<std::string> lines_of(const std::string& text, std::size_t count) {
  std::vector<std::string> lines(count);
  std::istringstream stream(text);
  for (std::string& line : lines) std::getline(stream, line);
  return lines;
}

void check_torus(const std::string& text) {
  const auto network = cli::read_network("", text);
  require(network.has_value() != text.empty());
  if (network) check(*network);
}

void check_counts(const std::string& text) {
  for (const std::uint32_t count : place::parse_counts(text, "text")) require(count >= 1);
}

void check_threads(const std::string& text) {
  const std::vector<std::uint32_t> threads = cli::read_threads(text);
  require(!threads.empty() && threads.size() <= place::kMostRanks);
  for (const std::uint32_t one : threads) require(one >= 1 && one <= 4096);
}

void check_grid(const std::string& text) {
  const std::vector<std::string> words = lines_of(text, 4);
  const place::Grid grid = cli::read_grid({words[0], words[1], words[2], words[3]});
  require(grid.cells() >= 1 && grid.cells() <= place::kMostRanks);
  if (grid.cells() <= 1000) require(place::graph_of(grid).ranks() == grid.cells());
}

void check_objective(const std::string& text) {
  const std::vector<std::string> words = lines_of(text, 3);
  const place::Objective objective = cli::read_objective({words[0], words[1], "", "", words[2]}, {"node", "package"});
  for (std::size_t level = 0; level < 2; ++level) require(objective.cost(level) >= 0 && objective.limit(level) >= 0);
}

// What is behind the * is no text of these words; the machines have targets of their own.
void check_nodes(const std::string& text) {
  const std::vector<std::string> words = lines_of(text, 3);
  if (words[0].find('*') != std::string::npos) return;
  cli::NodeWords nodes;
  nodes.topologies = {words[0].empty() ? "core:4" : words[0] + "*core:4", "pack:2 core:2"};
  nodes.missing = {words[1], words[2]};
  std::erase(nodes.missing, "");
  nodes.names = {"n1", "n2"};
  std::size_t count = 0;
  for (const place::NodeRun& run : cli::read_nodes(nodes)) {
    count += run.nodes;
    require(run.nodes >= 1 && run.shape.cores >= 1 && run.shape.cores <= 4);
  }
  require(count >= 2);
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
        check_probe(text);
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
      case 'r':
        check_torus(text);
        break;
      case 'n':
        check_counts(text);
        break;
      case 'w':
        check_threads(text);
        break;
      case 'g':
        check_grid(text);
        break;
      case 'o':
        check_objective(text);
        break;
      case 'x':
        check_nodes(text);
        break;
      default:
        break;
    }
  } catch (const Error&) {
    return 0;  // refused
  }
  return 0;
}
