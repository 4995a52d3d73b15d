// SPDX-License-Identifier: BSD-3-Clause
// `comity place`: which rank of a job should run on which core of which node, and how much crosses each level then.
#include "cli/place.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <optional>

#include "cli/common/arguments.hpp"
#include "cli/common/text_file.hpp"
#include "cli/place/crew.hpp"
#include "cli/place/finding.hpp"
#include "cli/place/hosts.hpp"
#include "cli/place/in_place/probe.hpp"
#include "cli/place/launching.hpp"
#include "cli/place/network.hpp"
#include "cli/place/options.hpp"
#include "cli/place/picture.hpp"
#include "cli/place/progress.hpp"
#include "cli/place/report.hpp"
#include "cli/place/room.hpp"
#include "os/environment.hpp"
#include "os/memory/own_memory.hpp"

namespace comity::cli {
namespace {

constexpr std::array kExamples{
    Example{"comity place --grid 5x16 --nodes 10 --node-topology \"pack:2 core:4\"",
            "80 ranks as 5x16 on ten nodes with two packages of four cores"},
    Example{"comity place --grid 5x16 --nodes 20 --at-most package=2",
            "on nodes like this one, none of which may have more than two exchanges between its packages"},
    Example{"comity place --grid 64x64x64 --periodic 1,1,0 --halo 8,8,2 --nodes 2048",
            "closed in two dimensions, with a smaller halo in the third"},
    Example{"comity place --grid 2x5 --threads 8 --nodes 10 --svg mapping.svg",
            "ranks of eight threads each, and a picture of where they run"},
    Example{"comity place --traffic out --nodes 4", "what the ranks of a run sent that `comity run --record out` kept"},
    Example{"comity place --grid 8x4 --node-topology \"3*core:8\" --node-topology \"2*core:6\"",
            "unequal nodes; with --without 1=3 core 3 of the second one is broken"},
    Example{"comity place --grid 5x16 --nodes 20 --json | jq -c .mapping", "the place of each rank, for a script"},
    Example{"comity place --grid 2x2 --threads 4 --thread-placement spread --nodes 2",
            "ranks of four threads, each of which has cores of all packages"},
    Example{"comity place --grid 16x16 --network topology.conf --node-topology core:16",
            "on the nodes of a tree of switches, whose upper levels come first"},
    Example{"comity place --grid 8x4 --hosts list --output openmpi4 --to launch -- ./app",
            "files for a launcher in launch/, on the hosts of a list, and the line that starts ./app with them"},
    Example{"comity place --grid 8x4 --hosts list --verify -- srun -n 32 ./app",
            "does that line put ranks, threads and memory where the plan wants them?"},
    Example{"comity place --measure costs.json -- mpirun -n 32 {}",
            "what do exchanges cost here, between nodes and inside them? Start a rank a core"},
    Example{"comity place --grid 8x4 --nodes 4 --objective time --costs-from costs.json",
            "the least time of exchanges of 8 KiB, by what was measured"},
};

constexpr Manual kManual{
    "place", "[-- COMMAND...]",
    "Say which rank should run where so that little crosses the costly boundaries: nodes first, then what divides a "
    "node (packages, NUMA nodes, shared caches). Ranks are cells of a grid in row-major order, as in MPI_Cart_create, "
    "or those of any graph. Beside each figure stands a bound that no mapping can fall below, and what the launchers' "
    "own orders would give.\n"
    "The objective is worst (the node with most exchanges first, then the sum), sum, or time: the worst of each "
    "level times its cost, added up; on a torus also hops, the links that exchanges take.\n"
    "A graph file begins with the line `ranks N`; each further line has two ranks and, where it is not 1, a weight. A "
    "table of `comity report --csv=messages` will do too.\n"
    "In the JSON a rank's place is the number of cores of the nodes before its own, and then of its (first) core. A "
    "job "
    "with fewer ranks than places may leave any of them empty; what is proven holds for all of these.\n"
    "With --output the files that a launcher needs to do so are written, and the line that starts COMMAND with them is "
    "printed. The hosts are those of --hosts, or of the job that this runs in (Slurm, PBS).\n"
    "With --verify COMMAND is a launch line. It is run with a probe where the program stands (or where {} stands, "
    "behind "
    "wrappers that nobody knows): every thread of the program's OpenMP runtime tells its host, its CPUs and where its "
    "memory is.\n"
    "With --measure COMMAND is a launch line too. It is run with a program where its own stands that times exchanges "
    "of "
    "pairs of ranks, each on a core of its own, one pair at a time; what they cost by what lies between them is "
    "written "
    "to the file, which --costs-from takes. With --network it tells switches apart.",
    kExamples};

void require_one_job(const PlaceRequest& request) {
  const bool grid = !request.grid.extents.empty();
  const int jobs = (grid ? 1 : 0) + (request.graph_file.empty() ? 0 : 1) + (request.traffic_folder.empty() ? 0 : 1);
  if (jobs > 1) throw UsageError("--grid, --graph and --traffic each name a job; give one of them");
  if (jobs == 0) throw UsageError("place needs a job: comity place --grid 5x16, --graph FILE, or --traffic DIR");
  if (!grid && (request.grid.closed || !request.grid.halo.empty() || !request.grid.diagonal.empty())) {
    throw UsageError("--periodic, --halo and --diagonal are about a grid; --graph and --traffic say what is exchanged");
  }
}

std::vector<std::string> level_names(const place::Site& site) {
  std::vector<std::string> names;
  for (const place::Level& level : site.levels()) names.push_back(level.name);
  return names;
}

// One number where all ranks have it.
std::vector<std::uint32_t> threads_of(const PlaceRequest& request) {
  constexpr std::array<std::string_view, 2> kPlacements{"together", "spread"};
  if (std::find(kPlacements.begin(), kPlacements.end(), request.thread_placement) == kPlacements.end()) {
    throw UsageError("--thread-placement takes together or spread, not " + in_quotes(request.thread_placement) +
                     hint(request.thread_placement, kPlacements));
  }
  return read_threads(request.threads);
}

// A number for each rank must be one for each rank that there is.
void require_one_a_rank(std::vector<std::uint32_t>& threads, std::size_t ranks) {
  if (threads.size() == 1) return;
  if (threads.size() != ranks) {
    throw UsageError("--threads tells of " + std::to_string(threads.size()) + " ranks, but there are " +
                     std::to_string(ranks));
  }
  const bool even = std::adjacent_find(threads.begin(), threads.end(), std::not_equal_to<>()) == threads.end();
  if (even) threads.resize(1);
}

// A plan that is not launched here may be one for another machine: so many nodes as its words say, not those of the job that it is made in.
bool is_for_other_nodes(const PlaceRequest& request, const std::optional<place::Network>& network) {
  const bool is_launched = !request.output.empty() || request.verify;
  const bool by_torus = network && !network->torus.empty();
  return request.hosts.empty() && !is_launched && (count_nodes(request.nodes) || by_torus);
}

// A tree of switches names them too.
std::vector<place::Host> hosts_of(const PlaceRequest& request, const std::optional<place::Network>& network) {
  const bool named_by_network = network && !network->hosts.empty();
  std::vector<place::Host> hosts;
  if (named_by_network || !is_for_other_nodes(request, network)) hosts = read_hosts(request.hosts, os::environment);
  if (!hosts.empty() || !named_by_network) return hosts;
  for (const std::string& name : network->hosts) hosts.push_back({name});
  return hosts;
}

Room room_of(const PlaceRequest& request, const std::vector<place::Host>& hosts,
             const std::optional<place::Network>& network, const std::vector<std::uint32_t>& threads) {
  NodeWords words = request.nodes;
  words.names = place::names_of(hosts);
  words.hosts = hosts.empty() && network ? network->order.size() : hosts.size();
  return {read_nodes(words), hosts, threads, request.thread_placement == "spread"};
}

// A tree is cut down to the job's hosts; a torus is as large as it is.
void fit_network(place::Network& network, const std::vector<place::Host>& hosts,
                 const std::vector<place::NodeRun>& nodes, const std::string& file) {
  if (!network.hosts.empty()) {
    network = place::network_of(network, hosts, file);
    return;
  }
  std::size_t count = 0;
  for (const place::NodeRun& run : nodes) count += run.nodes;
  if (count == network.order.size()) return;
  throw Error(Status::argument, "the torus has " + std::to_string(network.order.size()) + " nodes, but the job has " +
                                    std::to_string(count) + "; they must be as many");
}

std::string answer_text(const PlaceRequest& request, const Placed& placed, const std::optional<place::Network>& network,
                        const std::optional<LaunchFiles>& launch, const place::Portions& portions) {
  const bool torus = network && !network->torus.empty();
  if (request.json) {
    nlohmann::ordered_json more = nlohmann::ordered_json::object();
    if (torus) more["hops"] = hops_json(*network, placed);
    if (launch) more["launch"] = launch_json(*launch);
    return placed_json_text(placed, more, portions);
  }
  std::string text = placed_text(Screen::of_standard_output(os::environment), placed);
  if (torus) text += hops_text(*network, placed);
  if (launch) text += launch_text(*launch);
  return text;
}

// Says it where --at-most was not reached.
int tell_excess(const Placed& placed) {
  const std::string exceeded = exceeded_text(placed);
  if (exceeded.empty()) return kGood;
  std::fprintf(stderr, "comity place: --at-most: %s\n", exceeded.c_str());
  return kFindings;
}

place::Graph graph_of(const PlaceRequest& request, const std::optional<place::Grid>& grid) {
  if (grid) return place::graph_of(*grid);
  return request.traffic_folder.empty() ? read_graph(request.graph_file) : read_traffic(request.traffic_folder);
}

int answer(const PlaceRequest& request) {
  os::keep_free_memory();
  std::optional<PlaceProgress> progress(std::in_place);
  progress->show("reading the job");
  std::optional<place::Grid> grid;
  if (!request.grid.extents.empty()) grid = read_grid(request.grid);
  std::vector<std::uint32_t> threads = threads_of(request);
  place::Graph graph = graph_of(request, grid);
  graph.lend(crew_of_threads());
  require_one_a_rank(threads, graph.ranks());
  const bool uneven = threads.size() > 1;
  std::optional<place::Network> network = read_network(request.network, request.torus);
  const std::vector<place::Host> hosts = hosts_of(request, network);
  Room room = room_of(request, hosts, network, threads);
  if (network) fit_network(*network, hosts, room.nodes(), request.network);
  const std::vector<std::uint32_t> order = network ? network->order : std::vector<std::uint32_t>{};
  const place::Site site = room.site_for(graph.ranks(), network);
  const place::Objective objective = read_objective(request.objective, level_names(site));
  const place::Network* const torus = network && !network->torus.empty() ? &*network : nullptr;
  if (objective.aim == place::Aim::hops && torus == nullptr) {
    throw UsageError("--objective hops counts links of a torus; name one with --torus, or another objective");
  }
  const place::Answer found = find(
      {graph, grid ? &*grid : nullptr, site, threads, objective, torus, partition_by(request.partitioner)}, *progress);
  const place::Plan plan(room.nodes(), order, site, found.mapping, threads);
  const Placed placed{graph, grid ? &*grid : nullptr, site, objective, found, plan, uneven};
  if (request.verify) {
    progress.reset();  // that has one of its own
    return std::max(verify_launch(request, plan, hosts), tell_excess(placed));
  }
  if (!request.picture.empty()) {
    progress->show("drawing the picture");
    write_text_file(request.picture, placed_svg(placed), "the picture", "--svg");
  }
  std::optional<LaunchFiles> launch;
  if (!request.output.empty()) {
    progress->show("writing the launcher's files");
    launch = write_launch(request, plan, hosts);
  }
  const place::Portions writing = [&](std::size_t number, std::size_t of) {
    progress->show("writing the answer", number, of);
  };
  writing(0, 1);
  const std::string text = answer_text(request, placed, network, launch, writing);
  progress.reset();
  std::fputs(text.c_str(), stdout);
  return tell_excess(placed);
}

// Nodes of a network that a list of hosts names, where the network does not.
PartHosts parting_of(const PlaceRequest& request, const std::optional<place::Network>& network) {
  if (!network) return [](const std::string&, const std::string&) { return std::vector<std::string>{}; };
  if (!network->hosts.empty()) return parting_in(*network, network->hosts);
  const std::vector<place::Host> hosts = read_hosts(request.hosts, os::environment);
  if (hosts.size() != network->order.size()) {
    throw UsageError("--measure on a torus needs the host of each of its nodes; give --hosts");
  }
  std::vector<std::string> names;
  for (const std::uint32_t node : network->order) names.push_back(hosts[node].name);
  return parting_in(*network, names);
}

int measure(const PlaceRequest& request) {
  const std::optional<place::Network> network = read_network(request.network, request.torus);
  if (!request.hosts.empty() && (!network || network->torus.empty())) {
    throw UsageError("--hosts tells --measure the nodes of a torus; name that with --torus, or leave --hosts out");
  }
  return measure_costs(request, parting_of(request, network));
}

}  // namespace

int place_command(std::span<const std::string> words) {
  if (!words.empty() && words.front() == kProbeWord) return run_probe(words.subspan(1));
  PlaceRequest request;
  Arguments arguments(kManual);
  arguments.add_json_flag(request.json);
  add_place_options(arguments.options(), request);
  const auto own_end = std::find(words.begin(), words.end(), "--");
  if (own_end != words.end()) request.command.assign(own_end + 1, words.end());
  if (arguments.parse({words.begin(), own_end}) == Next::stop) return kGood;
  require_one_launch(request);
  if (!request.measure.empty()) {
    reject_options_of_plans(arguments.options());
    return measure(request);
  }
  require_one_job(request);
  return answer(request);
}

}  // namespace comity::cli
