// SPDX-License-Identifier: BSD-3-Clause
// bench-quo: what each call of a context costs, held against the floor that the machine or the MPI sets. Runs all cases
// in this job and prints one line of JSON from rank 0; a job on several nodes takes only what ranks of all nodes do
// together. Not: several launches, statistics (comity bench quo).
//   bench-quo-<mpi> [NAME=PATH OF AN INSTALLED LIBQUO]...     launched on all ranks; NAME_ns is what its calls cost
//   bench-quo-<mpi> --full-node RANKS                 one process, which starts the ranks itself, without MPI
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/line.hpp"
#include "quo/cases.hpp"
#include "quo/full_node.hpp"
#include "quo/libquo.hpp"

namespace bench::quo {
namespace {

class Run {
 public:
  Run(World world, std::vector<std::string> libraries) : world_(world), libraries_(std::move(libraries)) {}

  void all() {
    with_a_context();
    add(create_free(world_));
    add(create_free_no_mt(world_));
    add(create_and_free(world_));
    for (const std::string& library : libraries_) {
      keep(library, measure_libquo_create(path_of(library), world_.rank));
    }
    add_libraries();
    if (world_.rank == 0) print(world_.size, nodes_, outcomes_);
  }
  [[nodiscard]] int nodes() const { return nodes_; }

 private:
  // What a call of a libquo took, held beside the case of that name.
  struct OfLibrary {
    std::string name, key;
    double ns;
  };

  void with_a_context() {
    First first = first_create(world_);
    comity::Context& context = first.context;
    nodes_ = context.node_count();
    take_a_core(context);
    add(first.create);
    if (nodes_ == 1) {
      add(first.state);
      add(first.cold);
      calls_of_one_rank(context);
    }
    add(create_free_beside(world_));
    if (nodes_ == 1) meetings(context);
    const auto unbound = [&](const Step& step) {
      context.pop();
      step();
      take_a_core(context);
    };
    for (const std::string& library : libraries_) {  // from the same binding, which is their base
      keep(library, measure_libquo(path_of(library), world_.rank, unbound));
    }
  }

  // Hosts that are emulated on one machine share its cores: a spread would take the same one on each.
  void take_a_core(comity::Context& context) const {
    if (nodes_ == 1) return context.spread(comity::Resource::core);
    context.push(comity::Resource::core, own_core(context));
  }
  // Where a spread puts this rank, on one node.
  [[nodiscard]] int own_core(const comity::Context& context) const {
    return world_.rank % context.count(comity::Resource::core);
  }

  void calls_of_one_rank(comity::Context& context) {
    alone(context, [&] { return push_pop(context); });
    alone(context, [&] { return push_pop_unbound(context); });
    alone(context, [&] { return push_and_pop_unbound(context); });
    alone(context, [&] { return push_pop_wide(context); });
    alone(context, [&] { return push_pop_nearest(context); });
    alone(context, [&] { return query_peers_calls(context); });
    at_once(context, [&] { return query_counts(context); });
    at_once(context, [&] { return query_counts_in(context); });
    at_once(context, [&] { return query_ranks(context); });
    at_once(context, [&] { return query_version(); });
    at_once(context, [&] { return query_bound(context, own_core(context)); });
    at_once(context, [&] { return query_cpuset(context); });
    at_once(context, [&] { return query_binding_string(context); });
    at_once(context, [&] { return query_peers(context); });
    at_once(context, [&] { return distribute(context); });
  }

  void meetings(comity::Context& context) {
    add(barrier(context, world_));
    if (world_.size > 1) add(wake(context, world_));
    add(communicator(context));
  }

  void add(Outcome outcome) { outcomes_.push_back(std::move(outcome)); }
  void add(Halves halves) {
    add(std::move(halves.call));
    add(std::move(halves.undo));
  }

  static std::string path_of(const std::string& library) {
    const std::size_t sign = library.find('=');
    if (sign == std::string::npos) throw std::runtime_error("a library is NAME=PATH, not " + library);
    return library.substr(sign + 1);
  }

  void keep(const std::string& library, const LibraryTimes& times) {
    const std::string key = library.substr(0, library.find('=')) + "_ns";
    for (const auto& [name, ns] : times) of_libraries_.push_back({name, key, ns});
  }

  void add_libraries() {
    for (const OfLibrary& one : of_libraries_) {
      for (Outcome& outcome : outcomes_) {
        if (outcome.name == one.name) outcome.extra.emplace_back(one.key, one.ns);
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

  // On all ranks, each for itself.
  template <typename Case>
  void at_once(comity::Context& context, Case&& run) {
    context.quiesce();
    const Outcome outcome = run();
    if (world_.rank == 0) add(outcome);
    context.quiesce();
  }

  World world_;
  std::vector<std::string> libraries_;
  int nodes_ = 1;
  std::vector<Outcome> outcomes_;
  std::vector<OfLibrary> of_libraries_;
};

int run(const std::vector<std::string>& libraries) {
  const World world = this_world();
  try {
    Run run(world, libraries);
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
  const int failed = bench::quo::run(std::vector<std::string>(words + 1, words + count));
  if (failed != 0) MPI_Abort(MPI_COMM_WORLD, failed);  // the others wait for this rank
  MPI_Finalize();
  return failed;
}
