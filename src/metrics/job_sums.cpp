// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job_sums.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "metrics/shortening.hpp"
#include "metrics/snapshot.hpp"
#include "record/incomplete.hpp"
#include "record/names.hpp"

namespace comity::metrics {
namespace {

constexpr double kNs = 1e-9;

using record::Content;
using record::Table;

const std::string& fact(const Content& rank, const char* key) {
  const auto found = rank.facts.find(key);
  if (found == rank.facts.end()) {
    throw Error(Status::argument, std::string("read a rank's metrics: the fact \"") + key +
                                      "\" is missing; was the record made with --metrics?");
  }
  return found->second;
}

template <typename Number = int>
Number whole(const std::string& text) {
  Number number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size() || number < 0) {
    throw Error(Status::argument, "read a rank's metrics: \"" + text + "\" is no number");
  }
  return number;
}

// Nodes are numbered from 0 on, and ranks too, so this is far above what a job has.
constexpr int kMostNodes = 1 << 20;

int node_number(const Content& rank) {
  const int node = whole(fact(rank, "node"));
  if (node >= kMostNodes) {
    throw Error(Status::argument, "read a rank's metrics: its node cannot be number " + std::to_string(node));
  }
  return node;
}

void take_longer(Wait& wait, int rank, double seconds, bool is_first) {
  if (is_first || seconds > wait.most_s) wait = {seconds, rank, wait.least_s, wait.least_rank};
  if (is_first || seconds < wait.least_s) wait = {wait.most_s, wait.most_rank, seconds, rank};
}

int level_of(const Content& rank) {
  for (Level needed : {Level::multiple, Level::serialized, Level::funneled}) {
    if (fact(rank, "threads.needed") == name_of(needed)) return static_cast<int>(needed);
  }
  return 0;
}

// What stands in a file may be anything, so the sum stops at the end of its numbers.
void count(std::int64_t& sum, std::int64_t more) {
  if (__builtin_add_overflow(sum, more, &sum)) sum = std::numeric_limits<std::int64_t>::max();
}

std::string host_of(const Content& rank) {
  const auto found = rank.facts.find(record::kHostFact);
  return found == rank.facts.end() ? "" : found->second;
}

}  // namespace

const Table* JobSums::table_of(const Content& rank, const char* name) {
  const auto found = rank.tables.find(name);
  const auto note = [&](Lack lack) {
    const auto [noted, is_first] = untold_.try_emplace({name, lack}, Untold{name, lack, 0, ranks_.back().rank});
    ++noted->second.ranks;
  };
  if (found == rank.tables.end()) {
    note(Lack::missing);
    return nullptr;
  }
  if (record::found_no_room(rank.facts, record::the_table(name))) note(Lack::older);
  if (is_short(found->second)) note(Lack::shorter);
  return &found->second;
}

void JobSums::add(const Content& rank) {
  if (!holds_snapshot(rank)) {
    throw Error(Status::argument, "read a rank's metrics: they are not there, or not all; was it killed in MPI_Init?");
  }
  const int number = whole(fact(rank, "rank"));
  const bool is_first = ranks_.empty();
  RankFigures& me = ranks_.emplace_back();
  me.rank = number;
  me.node = node_number(rank);
  if (is_first) timed_ = fact(rank, "metrics.detail") == "times";
  paused_s_ = std::max(paused_s_, kNs * static_cast<double>(whole<std::int64_t>(fact(rank, "metrics.paused_ns"))));
  add_node(rank);
  add_regions(rank);
  add_teams(rank);
  add_functions(rank);
  add_peers(rank);
  add_flight(rank);
  add_threads(rank, is_first);
}

void JobSums::add_node(const Content& rank) {
  const auto number = static_cast<std::size_t>(ranks_.back().node);
  if (nodes_.size() <= number) nodes_.resize(number + 1);
  OfNode& node = nodes_[number];
  if (node.ranks++ == 0) {
    node.first_rank = ranks_.back().rank;
    node.host = host_of(rank);
  }
  node.cpus |= CpuSet::parse_list(fact(rank, "node_cpus"));
  const auto regions = rank.tables.find(kRegionsTable);
  if (regions != rank.tables.end()) {
    node.used_processors = std::max(node.used_processors, used_processors(regions->second));
  }
}

void JobSums::add_regions(const Content& rank) {
  const Table& rows = *table_of(rank, kRegionsTable);  // a snapshot has it
  whole_run_.push_back(use_of_run(rows, ranks_.back().node));
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    OfRegion& region = regions_[rows.text(row, "region")];
    region.uses.emplace_back(ranks_.size() - 1, use_of(rows, row, ranks_.back().node));
    region.visits = std::max(region.visits, rows.integer(row, "visits"));
  }
}

void JobSums::add_teams(const Content& rank) {
  if (fact(rank, "openmp") == kOpenMpTold) openmp_ = OpenMp::told;
  if (fact(rank, "openmp") == kOpenMpSilent && openmp_ == OpenMp::absent) openmp_ = OpenMp::silent;
  const Table* const found = table_of(rank, kOpenMpTable);
  if (found == nullptr) return;
  const Table& rows = *found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    TeamFigures& teams = regions_[rows.text(row, "region")].teams;
    teams.teams = std::max(teams.teams, rows.integer(row, "teams"));
    teams.inside_s += kNs * static_cast<double>(rows.integer(row, "team_ns"));
    teams.thread_s += kNs * static_cast<double>(rows.integer(row, "team_thread_ns"));
    teams.largest_team = std::max(teams.largest_team, static_cast<int>(rows.integer(row, "largest_team")));
  }
}

void JobSums::add_functions(const Content& rank) {
  const Table* const found = table_of(rank, kCallsTable);
  if (found == nullptr) return;
  const Table& rows = *found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto column = [&](const char* name) { return static_cast<double>(rows.integer(row, name)); };
    FunctionFigures& figures = functions_[{rows.text(row, "region"), rows.text(row, "function")}];
    count(figures.calls, rows.integer(row, "calls"));
    count(figures.failed, rows.integer(row, "failed"));
    figures.time_s += kNs * column("time_ns");
    figures.sent_bytes += column("sent_bytes");
    figures.received_bytes += column("received_bytes");
    if (kNs * column("longest_ns") > figures.longest_s) {
      figures.longest_s = kNs * column("longest_ns");
      figures.longest_rank = ranks_.back().rank;
    }
  }
}

void JobSums::add_peers(const Content& rank) {
  const Table* const found = table_of(rank, kPeersTable);
  if (found == nullptr) return;
  const Table& peers = *found;
  RankFigures& me = ranks_.back();
  for (std::size_t row = 0; row < peers.rows(); ++row) {
    const auto column = [&](const char* name) { return peers.integer(row, name); };
    me.sent_bytes += static_cast<double>(column("sent_bytes")) + static_cast<double>(column("put_bytes"));
    me.received_bytes += static_cast<double>(column("received_bytes")) + static_cast<double>(column("got_bytes"));
    if (messages_wanted_ == Messages::untold) continue;
    const int peer = static_cast<int>(column("peer"));
    MessageFigures& out = messages_[{me.rank, peer}];
    count(out.sends, column("sends"));
    count(out.sent_bytes, column("sent_bytes"));
    count(out.puts, column("puts"));
    count(out.put_bytes, column("put_bytes"));
    MessageFigures& in = messages_[{peer, me.rank}];
    count(in.receives, column("receives"));
    count(in.received_bytes, column("received_bytes"));
    count(in.gets, column("gets"));
    count(in.got_bytes, column("got_bytes"));
  }
}

// Not there: calls were counted only, or an earlier version has recorded.
void JobSums::add_flight(const Content& rank) {
  const auto found = rank.tables.find(kFlightTable);
  if (found == rank.tables.end() || found->second.rows() == 0) return;
  const Table& row = found->second;
  const int number = ranks_.back().rank;
  if (!flight_) flight_.emplace();
  count(flight_->injections, row.integer(0, "injections"));
  if (row.integer(0, "most_in_flight") > flight_->most_in_flight) {
    flight_->most_in_flight = row.integer(0, "most_in_flight");
    flight_->most_rank = number;
  }
  const double gap_s = kNs * static_cast<double>(row.integer(0, "longest_gap_ns"));
  if (gap_s > flight_->longest_gap_s) {
    flight_->longest_gap_s = gap_s;
    flight_->gap_rank = number;
    flight_->gap_region = row.text(0, "gap_region");
  }
}

// A rank that calls from more threads decides what the job needs.
void JobSums::add_threads(const Content& rank, bool is_first) {
  threads_.calling = std::max(threads_.calling, whole(fact(rank, "threads.calling")));
  const int level = level_of(rank);
  if (!is_first && level <= level_needed_) return;
  level_needed_ = level;
  threads_.asked = fact(rank, "threads.asked");
  threads_.provided = fact(rank, "threads.provided");
  threads_.needed = fact(rank, "threads.needed");
  threads_.verdict = fact(rank, "threads.verdict");
}

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
  job.timed = timed_;
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
    job.wall_s = std::max(job.wall_s, job.ranks[i].wall_s);
  }
  std::stable_sort(job.regions.begin(), job.regions.end(),
                   [](const RegionFigures& a, const RegionFigures& b) { return a.wall_s > b.wall_s; });
  job.functions = figures_of_functions();
  job.messages = figures_of_messages();
  job.flight = flight_;
  job.threads = threads_;
  job.openmp = openmp_;
  for (const auto& [key, untold] : untold_) job.untold.push_back(untold);
  return job;
}

Job job_of(const std::vector<Content>& ranks) {
  JobSums sums;
  for (const Content& rank : ranks) sums.add(rank);
  return sums.job();
}

}  // namespace comity::metrics
