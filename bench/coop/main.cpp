// SPDX-License-Identifier: BSD-3-Clause
// bench-coop: what waits in MPI cost a program that knows nothing of Comity. Runs one group of cases and prints one line of
// JSON from rank 0. Not: with Comity or without (whoever launches it decides), comparing (comity bench coop).
#include <mpi.h>

#include <array>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include "common/line.hpp"
#include "coop/cases.hpp"

namespace bench::coop {
namespace {

enum class Where { one_node, two_nodes };

struct Group {
  const char* name;
  int fewest_ranks;
  Where where;
  Found (*run)(const World& world, const Arguments& arguments);
};

constexpr std::array kGroups{
    Group{"kernel_units", 1, Where::one_node, kernel_units},
    Group{"stencil_units", 1, Where::one_node, stencil_units},
    Group{"waits", 1, Where::one_node, waits},
    Group{"idle", 2, Where::one_node, idle},
    Group{"messages", 2, Where::one_node, messages},
    Group{"oversubscribed_latency", 2, Where::one_node, oversubscribed_latency},
    Group{"remote_latency", 2, Where::two_nodes, remote_latency},
    Group{"remote_wait", 2, Where::two_nodes, remote_wait},
    Group{"oversubscribed_stencil", 1, Where::one_node, oversubscribed_stencil},
    Group{"crowded_8", 1, Where::one_node, crowded_8},
    Group{"hybrid", 1, Where::one_node, hybrid},
};

const Group& group_named(const std::string& name) {
  std::string known;
  for (const Group& group : kGroups) {
    if (name == group.name) return group;
    known += std::string(known.empty() ? "" : ", ") + group.name;
  }
  throw std::runtime_error("no group of cases '" + name + "': there are " + known);
}

void require(const Group& group, const World& world, int nodes) {
  if (world.size < group.fewest_ranks) {
    throw std::runtime_error(std::string(group.name) + " takes " + std::to_string(group.fewest_ranks) +
                             " ranks or more");
  }
  const int wanted = group.where == Where::one_node ? 1 : 2;
  if (nodes == wanted) return;
  throw std::runtime_error(std::string(group.name) + " takes ranks on " + std::to_string(wanted) +
                           " node(s), and these are on " + std::to_string(nodes));
}

int run(int count, char** words) {
  try {
    const Arguments arguments = parse_arguments("bench-coop", count, words);
    const Group& group = group_named(arguments.name);
    const World world = this_world();
    const int nodes = count_nodes();
    require(group, world, nodes);
    const Found found = group.run(world, arguments);
    if (world.rank == 0) print(world.size, nodes, found.outcomes, found.work);
    if (nodes > 1) end_even_if_finalize_hangs();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-coop: %s\n", failure.what());
    return 1;
  }
}

}  // namespace
}  // namespace bench::coop

int main(int count, char** words) {
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  const int failed = bench::coop::run(count, words);
  if (failed != 0) MPI_Abort(MPI_COMM_WORLD, failed);  // the others wait for this rank
  MPI_Finalize();
  return failed;
}
