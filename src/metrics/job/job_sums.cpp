// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/job/job_sums.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/error.hpp"
#include "metrics/shortening.hpp"
#include "metrics/snapshot.hpp"
#include "record/merge/incomplete.hpp"
#include "record/merge/names.hpp"

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
  const int node = whole(fact(rank, record::kNodeFact));
  if (node >= kMostNodes) {
    throw Error(Status::argument, "read a rank's metrics: its node cannot be number " + std::to_string(node));
  }
  return node;
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

const Table* JobSums::table_if_any(const Content& rank, const char* name) {
  const bool is_any = rank.tables.contains(name) || record::found_no_room(rank.facts, record::the_table(name));
  return is_any ? table_of(rank, name) : nullptr;
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
  if (fact(rank, "metrics.detail") != "times") counted_only_.push_back(number);
  paused_s_ = std::max(paused_s_, kNs * static_cast<double>(whole<std::int64_t>(fact(rank, "metrics.paused_ns"))));
  add_node(rank);
  add_regions(rank);
  add_teams(rank);
  add_team_places(rank);
  add_functions(rank);
  add_peers(rank);
  add_flight(rank);
  flight_over_time_.add(number, rank);
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

// Not there: the runtime tells of none, or an earlier version has recorded.
void JobSums::add_team_places(const Content& rank) {
  const Table* const found = table_if_any(rank, kTeamPlacesTable);
  if (found == nullptr) return;
  const Table& rows = *found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto seconds = [&](const char* name) { return kNs * static_cast<double>(rows.integer(row, name)); };
    TeamPlaceFigures& figures = team_places_[rows.text(row, "place")];
    count(figures.count, rows.integer(row, "count"));
    ++figures.ranks;
    figures.wall_s += seconds("wall_ns");
    figures.thread_s += seconds("thread_ns");
    figures.largest_team = std::max(figures.largest_team, static_cast<int>(rows.integer(row, "largest_team")));
    figures.measured_s += seconds("measured_ns");
    figures.working_s += seconds("working_ns");
    figures.busiest_s += seconds("busiest_ns");
  }
}

void JobSums::add_functions(const Content& rank) {
  const auto waits = rank.facts.find(kWaitsFact);
  if (waits != rank.facts.end() && waits->second == kWaitsAsleep) waits_asleep_ = true;
  const Table* const found = table_of(rank, kCallsTable);
  if (found == nullptr) return;
  const Table& rows = *found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto column = [&](const char* name) { return static_cast<double>(rows.integer(row, name)); };
    FunctionFigures& figures = functions_[{rows.text(row, "region"), rows.text(row, "function")}];
    count(figures.calls, rows.integer(row, "calls"));
    count(figures.failed, rows.integer(row, "failed"));
    count(figures.spinning, rows.integer_or(row, "spinning", 0));  // records of an earlier version lack it
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
  const Table* const found = table_if_any(rank, kFlightTable);
  if (found == nullptr || found->rows() == 0) return;
  const Table& row = *found;
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

Job job_of(const std::vector<Content>& ranks) {
  JobSums sums;
  for (const Content& rank : ranks) sums.add(rank);
  return sums.job();
}

}  // namespace comity::metrics
