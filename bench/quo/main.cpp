// SPDX-License-Identifier: BSD-3-Clause
// bench-quo: what each call of a context costs, held against the floor that the machine or the MPI sets. Runs all cases
// in this job and prints one line of JSON from rank 0; a job on several nodes takes only what ranks of all nodes do
// together. Not: several launches, statistics (comity bench quo).
//   bench-quo-<mpi> [PATH OF AN INSTALLED LIBQUO]     launched on all ranks
//   bench-quo-<mpi> --full-node RANKS                 one process, which starts the ranks itself, without MPI
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "common/line.hpp"
#include "quo/cases.hpp"
#include "quo/full_node.hpp"
#include "quo/original.hpp"

namespace bench::quo {
namespace {

class Run {
 public:
  Run(World world, std::string original) : world_(world), original_(std::move(original)) {}

  void all() {
    with_a_context();
    add(create_free(world_));
    add_original();
    if (world_.rank == 0) print(world_.size, nodes_, outcomes_);
  }
  [[nodiscard]] int nodes() const { return nodes_; }

 private:
  void with_a_context() {
    First first = first_create(world_);
    comity::Context& context = first.context;
    context.spread(comity::Resource::core);
    nodes_ = context.node_count();
    add(first.create);
    if (nodes_ == 1) {
      add(first.state);
      calls_of_one_rank(context);
    }
    add(create_free_beside(world_));
    if (nodes_ == 1) meetings(context);
    if (!original_.empty()) original_ns_ = measure_original(original_, world_.rank);  // what it finds bound is its base
  }

  void calls_of_one_rank(comity::Context& context) {
    alone(context, [&] { return push_pop(context); });
    alone(context, [&] { return push_pop_unbound(context); });
    alone(context, [&] { return push_pop_wide(context); });
    alone(context, [&] { return query_counts(context); });
    alone(context, [&] { return query_bound(context); });
    alone(context, [&] { return query_peers(context); });
    alone(context, [&] { return distribute(context); });
  }

  void meetings(comity::Context& context) {
    add(barrier(context, world_));
    if (world_.size > 1) add(wake(context, world_));
  }

  void add(Outcome outcome) { outcomes_.push_back(std::move(outcome)); }

  void add_original() {
    for (const auto& [name, ns] : original_ns_) {
      for (Outcome& outcome : outcomes_) {
        if (outcome.name == name) outcome.extra.emplace_back("original_ns", ns);
      }
    }
  }

  // On rank 0, while the others rest.
  template <typename Case>
  void alone(comity::Context& context, Case&& run) {
    context.quiesce();
    if (world_.rank == 0) add(run());
    context.quiesce();
  }

  World world_;
  std::string original_;
  int nodes_ = 1;
  std::vector<Outcome> outcomes_;
  std::vector<std::pair<std::string, double>> original_ns_;
};

int run(const std::string& original) {
  const World world = this_world();
  try {
    Run run(world, original);
    run.all();
    if (run.nodes() > 1) end_even_if_finalize_hangs();
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-quo: %s\n", failure.what());
    return 1;
  }
}

// Programs that are no MPI job: the full node, and the ranks that it starts.
int run_without_mpi(const std::vector<std::string>& words) {
  try {
    const auto number = [&](std::size_t place) { return std::stoi(words.at(place)); };
    if (words.at(1) == kRankWord) {
      be_rank_of_full_node(number(2), number(3), number(4));
    } else {
      print(number(2), 1, {full_node(number(2))});
    }
    return 0;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-quo: %s\n", failure.what());
    return 1;
  }
}

}  // namespace
}  // namespace bench::quo

int main(int count, char** words) {
  const std::vector<std::string> arguments(words, words + count);
  if (count > 2 && arguments[1].starts_with("--full-node")) return bench::quo::run_without_mpi(arguments);
  MPI_Init(&count, &words);
  const int failed = bench::quo::run(count > 1 ? words[1] : "");
  if (failed != 0) MPI_Abort(MPI_COMM_WORLD, failed);  // the others wait for this rank
  MPI_Finalize();
  return failed;
}
