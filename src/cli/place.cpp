// SPDX-License-Identifier: BSD-3-Clause
// `comity place`: which rank of a job should run on which core of which node, and how much crosses each level then.
#include "cli/place.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <optional>

#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/text_file.hpp"
#include "cli/place/hosts.hpp"
#include "cli/place/launching.hpp"
#include "cli/place/network.hpp"
#include "cli/place/picture.hpp"
#include "cli/place/probe.hpp"
#include "cli/place/progress.hpp"
#include "cli/place/report.hpp"
#include "os/environment.hpp"
#include "place/division/uneven.hpp"

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
};

constexpr Manual kManual{
    "place", "[-- COMMAND...]",
    "Say which rank should run where so that little crosses the costly boundaries: nodes first, then what divides a "
    "node (packages, NUMA nodes, shared caches). Ranks are cells of a grid in row-major order, as in MPI_Cart_create, "
    "or those of any graph. Beside each figure stands a bound that no mapping can fall below, and what the launchers' "
    "own orders would give.\n"
    "The objective is worst (the node with most exchanges first, then the sum), sum, or time: the worst of each "
    "level times its cost, added up.\n"
    "A graph file begins with the line `ranks N`; each further line has two ranks and, where it is not 1, a weight. A "
    "table of `comity report --csv=messages` will do too.\n"
    "In the JSON a rank's place is the number of cores of the nodes before its own, and then of its (first) core. A "
    "job "
    "with fewer ranks than places may leave any of them empty; nothing is proven then.\n"
    "With --output the files that a launcher needs to do so are written, and the line that starts COMMAND with them is "
    "printed. The hosts are those of --hosts, or of the job that this runs in (Slurm, PBS).\n"
    "With --verify COMMAND is a launch line. It is run with a probe where the program stands (or where {} stands, "
    "behind "
    "wrappers that nobody knows): every thread of the program's OpenMP runtime tells its host, its CPUs and where its "
    "memory is.",
    kExamples};

void add_job_options(CLI::App& options, PlaceRequest& request) {
  options.add_option("--grid", request.grid.extents, "the extents of a grid of ranks, 1 to 4 with x between them")
      ->type_name("NXM");
  options
      .add_option_function<std::vector<std::string>>(
          "--periodic",
          [&request](const std::vector<std::string>& words) {
            request.grid.closed = words.empty() ? "" : words.front();
          },
          "whether each dimension closes to a ring, 1 or 0 with commas between them; without a value all do")
      ->type_name("[FLAG,..]")
      ->expected(0, 1);
  options.add_option("--halo", request.grid.halo, "what neighbours in each dimension exchange, 1 unless told")
      ->type_name("WEIGHT,..");
  options
      .add_option("--diagonal", request.grid.diagonal,
                  "what ranks exchange that touch at an edge or corner only, nothing unless told")
      ->type_name("WEIGHT");
  options.add_option("--graph", request.graph_file, "the ranks and exchanges of this file instead of a grid")
      ->type_name("FILE");
  options
      .add_option("--traffic", request.traffic_folder,
                  "the ranks of a recorded run (comity run --record DIR) and the bytes that they sent one another")
      ->type_name("DIR");
  options
      .add_option("--threads", request.threads,
                  "cores that each rank takes, 1 unless told; a number for each rank where they differ, as in 8,4,4 or "
                  "2*8,12*4")
      ->type_name("COUNT");
  options
      .add_option("--thread-placement", request.thread_placement,
                  "together: a rank's cores lie in one domain (unless told); spread: it has as many in each package")
      ->type_name("WORD");
}

void add_node_options(CLI::App& options, PlaceRequest& request) {
  options.add_option("--nodes", request.nodes.count, "how many nodes, 1 unless told")->type_name("COUNT");
  options
      .add_option("--node-topology", request.nodes.topologies,
                  "what a node is made of, as for lstopo -i; the machine that runs this unless told. COUNT*TEXT, given "
                  "several times, names unequal nodes")
      ->type_name("TEXT")
      ->allow_extra_args(false);
  options.add_option("--node-xml", request.nodes.xml_files, "the same from a file made with lstopo --of xml")
      ->type_name("FILE")
      ->allow_extra_args(false);
  options
      .add_option("--without", request.nodes.missing,
                  "a node, counted from 0 or named as in the list of hosts, lacks these of its cores, which others "
                  "have or nobody; may be "
                  "given several times")
      ->type_name("NODE=CORES")
      ->allow_extra_args(false);
}

void add_network_options(CLI::App& options, PlaceRequest& request) {
  options
      .add_option(
          "--network", request.network,
          "what lies between the nodes: a tree of switches, as Slurm's topology.conf tells it, or JSON; unless told "
          "all nodes are equally far from one another")
      ->type_name("FILE");
  options
      .add_option("--torus", request.torus,
                  "the nodes are cells of a torus, in row-major order, of so many in each direction")
      ->type_name("NXM");
}

void add_launch_options(CLI::App& options, PlaceRequest& request) {
  options
      .add_option(
          "--hosts", request.hosts,
          "the hosts that the nodes are, in their order: a file, or words as in n1:8,n2:8 or n[01-16]; those of "
          "the job that this runs in unless told. Fewer slots than cores: only so many ranks go there")
      ->type_name("FILE");
  options
      .add_option("--output", request.output,
                  "write what this launcher needs: openmpi4, openmpi5, mpich, slurm, cray, aprun or pals")
      ->type_name("LAUNCHER");
  options.add_option("--to", request.folder, "the folder for the files of --output, which is made")->type_name("DIR");
  options.add_flag("--verify", request.verify,
                   "run COMMAND, a launch line, with a probe in the program's place, and compare where its threads are "
                   "with the plan; the exit code is 1 where that is not as planned");
}

void add_objective_options(CLI::App& options, PlaceRequest& request) {
  options.add_option("--objective", request.objective.aim, "what is to be small: worst (unless told), sum or time")
      ->type_name("WORD");
  options
      .add_option("--cost", request.objective.costs,
                  "time: what crossing a level costs; a tenth of the level before unless told")
      ->type_name("LEVEL=NUMBER,..");
  options
      .add_option("--at-most", request.objective.at_most,
                  "the worst of a level shall not exceed this, whatever it costs elsewhere; the exit code is 1 where "
                  "that was not "
                  "reached")
      ->type_name("LEVEL=NUMBER,..");
}

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
    throw UsageError("--thread-placement takes together or spread, not \"" + request.thread_placement + '"' +
                     hint(request.thread_placement, kPlacements));
  }
  std::vector<std::uint32_t> threads = read_threads(request.threads);
  const bool uneven = std::adjacent_find(threads.begin(), threads.end(), std::not_equal_to<>()) != threads.end();
  if (uneven && request.thread_placement == "spread") {
    throw UsageError("--thread-placement spread needs equal numbers of threads; leave it out, or give one number");
  }
  return threads;
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

// A tree of switches names them too.
std::vector<place::Host> hosts_of(const PlaceRequest& request, const std::optional<place::Network>& network) {
  const bool named_by_network = network && !network->hosts.empty();
  std::vector<place::Host> hosts;
  if (!request.hosts.empty() || !request.output.empty() || request.verify || named_by_network) {
    hosts = read_hosts(request.hosts, os::environment);
  }
  if (!hosts.empty() || !named_by_network) return hosts;
  for (const std::string& name : network->hosts) hosts.push_back({name});
  return hosts;
}

std::vector<place::NodeRun> nodes_of(const PlaceRequest& request, const std::vector<place::Host>& hosts,
                                     const std::optional<place::Network>& network, std::uint32_t threads) {
  NodeWords words = request.nodes;
  words.names.reserve(hosts.size());
  for (const place::Host& host : hosts) words.names.push_back(host.name);
  words.hosts = hosts.empty() && network ? network->order.size() : hosts.size();
  std::vector<place::NodeRun> nodes = read_nodes(words);
  if (!hosts.empty()) nodes = with_slots(nodes, hosts, threads);
  if (request.thread_placement == "together") return nodes;
  for (place::NodeRun& run : nodes) run.shape = place::spread(run.shape, threads);
  return nodes;
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

void print(const PlaceRequest& request, const Placed& placed, const std::optional<place::Network>& network,
           const std::optional<LaunchFiles>& launch) {
  const bool torus = network && !network->torus.empty();
  std::string text;
  if (request.json) {
    nlohmann::ordered_json json = placed_json(placed);
    if (torus) json["hops"] = hops_json(*network, placed.graph, placed.plan);
    if (launch) json["launch"] = launch_json(*launch);
    text = json_text(json);
  } else {
    text = placed_text(Screen::of_standard_output(os::environment), placed);
    if (torus) text += hops_text(*network, placed.graph, placed.plan);
    if (launch) text += launch_text(*launch);
  }
  std::fputs(text.c_str(), stdout);
}

place::Answer find(const place::Graph& graph, const place::Grid* grid, const place::Site& site,
                   const std::vector<std::uint32_t>& threads, const place::Objective& objective) {
  if (threads.size() > 1) return place::mapped_uneven(graph, site, threads, objective);
  PlaceProgress progress;
  return place::mapped(graph, grid, site, objective, [&](std::string_view step, std::size_t number, std::size_t of) {
    progress.show(step, number, of);
  });
}

place::Graph graph_of(const PlaceRequest& request, const std::optional<place::Grid>& grid) {
  if (grid) return place::graph_of(*grid);
  return request.traffic_folder.empty() ? read_graph(request.graph_file) : read_traffic(request.traffic_folder);
}

int answer(const PlaceRequest& request) {
  std::optional<place::Grid> grid;
  if (!request.grid.extents.empty()) grid = read_grid(request.grid);
  std::vector<std::uint32_t> threads = threads_of(request);
  const place::Graph graph = graph_of(request, grid);
  require_one_a_rank(threads, graph.ranks());
  const bool uneven = threads.size() > 1;
  const std::uint32_t width = uneven ? 1 : threads.front();  // of a place
  std::optional<place::Network> network = read_network(request.network, request.torus);
  const std::vector<place::Host> hosts = hosts_of(request, network);
  const std::vector<place::NodeRun> nodes = nodes_of(request, hosts, network, width);
  if (network) fit_network(*network, hosts, nodes, request.network);
  const std::vector<std::uint32_t> order = network ? network->order : std::vector<std::uint32_t>{};
  const place::Site site =
      network ? place::Site(place::in_order(nodes, order), width, network->levels, order) : place::Site(nodes, width);
  const place::Objective objective = read_objective(request.objective, level_names(site));
  const place::Answer found = find(graph, grid ? &*grid : nullptr, site, threads, objective);
  const place::Plan plan(nodes, order, site, found.mapping, threads);
  if (request.verify) return verify_launch(request, plan, hosts);
  const Placed placed{graph, grid ? &*grid : nullptr, site, found, plan, uneven};
  if (!request.picture.empty()) write_text_file(request.picture, placed_svg(placed), "the picture", "--svg");
  std::optional<LaunchFiles> launch;
  if (!request.output.empty()) launch = write_launch(request, plan, hosts);
  print(request, placed, network, launch);
  const std::string exceeded = exceeded_text(placed, objective);
  if (exceeded.empty()) return kGood;
  std::fprintf(stderr, "comity place: --at-most: %s\n", exceeded.c_str());
  return kFindings;
}

}  // namespace

int place_command(std::span<const std::string> words) {
  if (!words.empty() && words.front() == kProbeWord) return run_probe(words.subspan(1));
  PlaceRequest request;
  Arguments arguments(kManual);
  arguments.add_json_flag(request.json);
  CLI::App& options = arguments.options();
  add_job_options(options, request);
  add_node_options(options, request);
  add_objective_options(options, request);
  add_network_options(options, request);
  add_launch_options(options, request);
  options.add_option("--svg", request.picture, "also draw the mapping there, of a grid of one or two dimensions")
      ->type_name("FILE");
  const auto own_end = std::find(words.begin(), words.end(), "--");
  if (own_end != words.end()) request.command.assign(own_end + 1, words.end());
  if (arguments.parse({words.begin(), own_end}) == Next::stop) return kGood;
  require_one_job(request);
  require_one_launch(request);
  return answer(request);
}

}  // namespace comity::cli
