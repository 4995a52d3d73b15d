// SPDX-License-Identifier: BSD-3-Clause
// Of JobSums: the figures that the sums give once all ranks are there.
#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "metrics/job/job_sums.hpp"

namespace comity::metrics {
namespace {

constexpr double kNs = 1e-9;

void take_longer(Wait& wait, int rank, double seconds, bool is_first) {
  if (is_first || seconds > wait.most_s) wait = {seconds, rank, wait.least_s, wait.least_rank};
  if (is_first || seconds < wait.least_s) wait = {wait.most_s, wait.most_rank, seconds, rank};
}

void add_to_job(Job& job, const RankFigures& rank) {
  job.wall_s = std::max(job.wall_s, rank.wall_s);
  job.useful_s += rank.useful_s;
  job.computation_s += rank.computation_s;
  job.mpi_s += rank.mpi_s;
  job.asleep_s += rank.asleep_s;
}

}  // namespace

RegionFigures JobSums::figures_of(const std::string& path, const OfRegion& region,
                                  const std::vector<int>& processors) const {
  RegionFigures figures;
  figures.path = path;
  figures.visits = region.visits;
  Use sum;
  double longest_ns = 0;
  std::vector<Use> all(ranks_.size());  // a rank that was never in it has used nothing there
  for (std::size_t i = 0; i < all.size(); ++i) all[i].node = ranks_[i].node;
  for (const auto& [place, use] : region.uses) {
    const int rank = ranks_[place].rank;
    all[place] = use;
    metrics::add(sum, use);
    longest_ns = std::max(longest_ns, use.wall_ns);
    take_longer(figures.in_mpi, rank, kNs * use.mpi_ns, figures.ranks == 0);
    take_longer(figures.asleep, rank, kNs * use.asleep_ns, figures.ranks == 0);
    if (use.wall_ns > 0 && use.asleep_ns >= use.wall_ns / 2) ++figures.resting;
    ++figures.ranks;
  }
  figures.efficiency = efficiency(all, processors);
  figures.wall_s = kNs * longest_ns;
  figures.wall_sum_s = kNs * sum.wall_ns;
  figures.useful_s = kNs * sum.useful_ns;
  figures.useful_cores = longest_ns > 0 ? sum.useful_ns / longest_ns : 0;
  figures.computation_s = kNs * computation_ns(sum);
  figures.mpi_s = kNs * sum.mpi_ns;
  figures.asleep_s = kNs * sum.asleep_ns;
  figures.teams = region.teams;
  figures.teams.outside_s = std::max(0.0, figures.wall_sum_s - figures.teams.inside_s);
  return figures;
}

std::vector<NodeFigures> JobSums::figures_of_nodes(const std::vector<Use>& uses,
                                                   const std::vector<int>& processors) const {
  std::vector<NodeFigures> figures(nodes_.size());
  std::vector<std::vector<Use>> on_node(nodes_.size());
  double wall_ns = 0;
  for (const Use& use : uses) {
    on_node[static_cast<std::size_t>(use.node)].push_back(use);
    wall_ns = std::max(wall_ns, use.wall_ns);
  }
  for (std::size_t number = 0; number < nodes_.size(); ++number) {
    NodeFigures& node = figures[number];
    Use sum;
    for (const Use& use : on_node[number]) metrics::add(sum, use);
    node.node = static_cast<int>(number);
    node.host = nodes_[number].host;
    node.ranks = nodes_[number].ranks;
    node.first_rank = nodes_[number].first_rank;
    node.processors = processors[number];
    node.wall_s = kNs * sum.wall_ns;
    node.useful_s = kNs * sum.useful_ns;
    node.computation_s = kNs * computation_ns(sum);
    node.mpi_s = kNs * sum.mpi_ns;
    node.asleep_s = kNs * sum.asleep_ns;
    node.efficiency = node_efficiency(std::move(on_node[number]), processors[number], wall_ns);
  }
  return figures;
}

std::vector<TeamPlaceFigures> JobSums::figures_of_team_places() const {
  std::vector<TeamPlaceFigures> all;
  all.reserve(team_places_.size());
  for (const auto& [place, figures] : team_places_) all.emplace_back(figures).place = place;
  std::stable_sort(all.begin(), all.end(),
                   [](const TeamPlaceFigures& a, const TeamPlaceFigures& b) { return a.wall_s > b.wall_s; });
  return all;
}

std::vector<FunctionFigures> JobSums::figures_of_functions() const {
  std::vector<FunctionFigures> all;
  all.reserve(functions_.size());
  for (const auto& [key, figures] : functions_) {
    FunctionFigures& one = all.emplace_back(figures);
    one.region = key.first;
    one.function = key.second;
  }
  std::stable_sort(all.begin(), all.end(), [](const FunctionFigures& a, const FunctionFigures& b) {
    return a.time_s != b.time_s ? a.time_s > b.time_s : a.calls > b.calls;
  });
  return all;
}

std::vector<MessageFigures> JobSums::figures_of_messages() const {
  std::vector<MessageFigures> all;
  for (const auto& [pair, figures] : messages_) {
    if (figures.sends == 0 && figures.receives == 0 && figures.puts == 0 && figures.gets == 0) continue;
    MessageFigures& one = all.emplace_back(figures);
    one.from = pair.first;
    one.to = pair.second;
  }
  return all;
}

Job JobSums::job() const {
  if (ranks_.empty()) throw Error(Status::argument, "read a job's metrics: it has no rank");
  std::vector<int> processors;  // of each node: those of its ranks, each once
  processors.reserve(nodes_.size());
  for (const OfNode& node : nodes_) processors.push_back(node.processors());

  Job job;
  job.timed = counted_only_.empty();
  job.counted_only = counted_only_;
  job.paused_s = paused_s_;
  job.nodes = static_cast<int>(processors.size());
  for (const int count : processors) job.processors += count;
  for (const auto& [path, region] : regions_) job.regions.push_back(figures_of(path, region, processors));
  job.efficiency = efficiency(whole_run_, processors);
  job.per_node = figures_of_nodes(whole_run_, processors);
  const std::vector<RankEfficiency> of_ranks = rank_efficiencies(whole_run_, processors);
  job.ranks = ranks_;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    job.ranks[i].wall_s = kNs * whole_run_[i].wall_ns;
    job.ranks[i].useful_s = kNs * whole_run_[i].useful_ns;
    job.ranks[i].computation_s = kNs * computation_ns(whole_run_[i]);
    job.ranks[i].efficiency = of_ranks[i];
    job.ranks[i].mpi_s = kNs * whole_run_[i].mpi_ns;
    job.ranks[i].asleep_s = kNs * whole_run_[i].asleep_ns;
    job.ranks[i].others_mpi_s = kNs * whole_run_[i].others_mpi_ns;
    job.ranks[i].others_mpi_cpu_s = kNs * whole_run_[i].others_mpi_cpu_ns;
    add_to_job(job, job.ranks[i]);
  }
  std::stable_sort(job.regions.begin(), job.regions.end(),
                   [](const RegionFigures& a, const RegionFigures& b) { return a.wall_s > b.wall_s; });
  job.openmp_regions = figures_of_team_places();
  job.functions = figures_of_functions();
  job.messages = figures_of_messages();
  if (job.timed) job.flight = flight_;
  if (job.timed) job.flight_over_time = flight_over_time_.stretches();
  job.threads = threads_;
  job.openmp = openmp_;
  job.waits_asleep = waits_asleep_;
  for (const auto& [key, untold] : untold_) job.untold.push_back(untold);
  return job;
}

}  // namespace comity::metrics
