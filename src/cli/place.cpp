// SPDX-License-Identifier: BSD-3-Clause
// `comity place`: which rank of a job should run on which core of which node, and how much crosses each level then.
#include "cli/place.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <optional>

#include "cli/arguments.hpp"
#include "cli/json_text.hpp"
#include "cli/place/job.hpp"
#include "cli/place/nodes.hpp"
#include "cli/place/picture.hpp"
#include "cli/place/progress.hpp"
#include "cli/place/report.hpp"
#include "os/environment.hpp"

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
    Example{"comity report out --csv=messages > traffic.csv",
            "the traffic of a recorded run; then: comity place --graph traffic.csv --nodes 4"},
    Example{"comity place --grid 8x4 --node-topology \"3*core:8\" --node-topology \"2*core:6\"",
            "unequal nodes; with --without 1=3 core 3 of the second one is broken"},
    Example{"comity place --grid 5x16 --nodes 20 --json | jq -c .mapping", "the place of each rank, for a script"},
};

constexpr Manual kManual{
    "place", "",
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
    "with fewer ranks than places fills the first ones.",
    kExamples};

struct Request {
  bool json = false;
  GridWords grid;
  std::string graph_file;
  std::string threads = "1";
  NodeWords nodes;
  ObjectiveWords objective;
  std::string picture;
};

void add_job_options(CLI::App& options, Request& request) {
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
  options.add_option("--threads", request.threads, "cores that each rank takes, 1 unless told")->type_name("COUNT");
}

void add_node_options(CLI::App& options, Request& request) {
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
                  "a node, counted from 0, lacks these of its cores; may be given several times")
      ->type_name("NODE=CORES")
      ->allow_extra_args(false);
}

void add_objective_options(CLI::App& options, Request& request) {
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

void require_one_job(const Request& request) {
  const bool grid = !request.grid.extents.empty(), graph = !request.graph_file.empty();
  if (grid && graph) throw UsageError("--grid and --graph both name a job; give one of them");
  if (!grid && !graph) throw UsageError("place needs a job: comity place --grid 5x16, or --graph FILE");
  if (graph && (request.grid.closed || !request.grid.halo.empty() || !request.grid.diagonal.empty())) {
    throw UsageError("--periodic, --halo and --diagonal are about a grid; the file of --graph says what is exchanged");
  }
}

std::vector<std::string> level_names(const place::Site& site) {
  std::vector<std::string> names;
  for (const place::Level& level : site.levels()) names.push_back(level.name);
  return names;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  if (file && (file << text).flush()) return;
  throw Error(Status::system, "write the picture " + path + ": this file cannot be written; check --svg");
}

int answer(const Request& request) {
  std::optional<place::Grid> grid;
  if (request.graph_file.empty()) grid = read_grid(request.grid);
  const auto threads = number_in<std::uint32_t>(request.threads, 1, 4096, "--threads takes 1 to 4096");
  const place::Site site(read_nodes(request.nodes), threads);
  const place::Objective objective = read_objective(request.objective, level_names(site));
  const place::Graph graph = grid ? place::graph_of(*grid) : read_graph(request.graph_file);
  place::Answer found;
  {
    PlaceProgress progress;
    found = place::mapped(
        graph, grid ? &*grid : nullptr, site, objective,
        [&](std::string_view step, std::size_t number, std::size_t of) { progress.show(step, number, of); });
  }
  const Placed placed{graph, grid ? &*grid : nullptr, site, found};
  if (!request.picture.empty()) write_file(request.picture, placed_svg(placed));
  const std::string text =
      request.json ? json_text(placed_json(placed)) : placed_text(Screen::of_standard_output(os::environment), placed);
  std::fputs(text.c_str(), stdout);
  const std::string exceeded = exceeded_text(placed, objective);
  if (exceeded.empty()) return kGood;
  std::fprintf(stderr, "comity place: --at-most: %s\n", exceeded.c_str());
  return kFindings;
}

}  // namespace

int place_command(std::span<const std::string> words) {
  Request request;
  Arguments arguments(kManual);
  arguments.add_json_flag(request.json);
  CLI::App& options = arguments.options();
  add_job_options(options, request);
  add_node_options(options, request);
  add_objective_options(options, request);
  options.add_option("--svg", request.picture, "also draw the mapping there, of a grid of one or two dimensions")
      ->type_name("FILE");
  if (arguments.parse(words) == Next::stop) return kGood;
  require_one_job(request);
  return answer(request);
}

}  // namespace comity::cli
