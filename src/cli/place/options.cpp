// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/options.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "cli/place/in_place/measure.hpp"
#include "cli/place/in_place/verify.hpp"

namespace comity::cli {
namespace {

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
                  "what ranks exchange that touch at an edge or corner only, nothing unless told; inside a program "
                  "COMITY_PLACE_DIAGONAL")
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
          "the job that this runs in unless told, but for a plan that counts its nodes and is not launched. Fewer "
          "slots than cores: only so many ranks go there")
      ->type_name("FILE");
  options
      .add_option("--output", request.output,
                  "write what this launcher needs: openmpi4, openmpi5, mpich, slurm, cray, aprun or pals")
      ->type_name("LAUNCHER");
  options.add_option("--to", request.folder, "the folder for the files of --output, which is made")->type_name("DIR");
  options.add_flag(
      "--verify", request.verify,
      "run COMMAND, a launch line, with a probe in the program's place, for " +
          std::to_string(kLongestVerification.count()) +
          " s at most, and compare where its threads are with the plan; the exit code is 1 where that is not "
          "as planned");
  options
      .add_option("--measure", request.measure,
                  "run COMMAND, a launch line, with a program that measures in the program's place, for " +
                      std::to_string(kLongestMeasurement.count()) + " s at most, and write there what exchanges cost")
      ->type_name("FILE");
}

void add_objective_options(CLI::App& options, PlaceRequest& request) {
  options
      .add_option("--objective", request.objective.aim,
                  "what is to be small: worst (unless told), sum, time, or hops on a torus")
      ->type_name("WORD");
  options
      .add_option("--cost", request.objective.costs,
                  "time: what crossing a level costs; a tenth of the level before unless told. Orders inside a program "
                  "have it from COMITY_PLACE_COSTS, told likewise")
      ->type_name("LEVEL=NUMBER,..");
  options
      .add_option(
          "--partitioner", request.partitioner,
          "whose divisions of the job may take part beside ours: all on the PATH (unless told, and up to 20,000 "
          "ranks), gpart of Scotch, kaffpa of KaHIP, or none")
      ->type_name("WORD");
  options
      .add_option(
          "--costs-from", request.objective.measured,
          "time: what crossing a level costs as measured (--measure), more than staying inside all levels; --cost "
          "tells of some better")
      ->type_name("FILE");
  options
      .add_option("--message-bytes", request.objective.message,
                  "time: which size of exchange of --costs-from counts, 8192 unless told")
      ->type_name("BYTES");
  options
      .add_option("--at-most", request.objective.at_most,
                  "the worst of a level shall not exceed this, whatever it costs elsewhere; the exit code is 1 where "
                  "that was not "
                  "reached")
      ->type_name("LEVEL=NUMBER,..");
}

}  // namespace

void add_place_options(CLI::App& options, PlaceRequest& request) {
  add_job_options(options, request);
  add_node_options(options, request);
  add_objective_options(options, request);
  add_network_options(options, request);
  add_launch_options(options, request);
  options
      .add_option("--svg", request.picture,
                  "also draw the mapping there, of a grid of one or two dimensions, besides those of one cell; above "
                  "20,000 ranks the outlines of "
                  "nodes alone")
      ->type_name("FILE");
}

void reject_options_of_plans(const CLI::App& options) {
  // A network tells switches apart, and of a torus the hosts tell which node each is.
  constexpr std::array<std::string_view, 5> kOfMeasurements{"--json", "--measure", "--network", "--torus", "--hosts"};
  for (const CLI::Option* option : options.get_options()) {
    const std::string name = option->get_name();
    const bool fits = std::find(kOfMeasurements.begin(), kOfMeasurements.end(), name) != kOfMeasurements.end();
    if (option->count() == 0 || fits) continue;
    throw UsageError("--measure measures, and places nothing; leave " + name + " out, and plan with --costs-from then");
  }
}

}  // namespace comity::cli
