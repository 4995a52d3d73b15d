// SPDX-License-Identifier: BSD-3-Clause
#include "metrics/snapshot.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "metrics/rank/use.hpp"
#include "os/code/symbol.hpp"
#include "record/merge/names.hpp"

namespace comity::metrics {
namespace {

using record::ColumnKind;
using record::Summarise;
using record::Table;

constexpr const char* kLastFact = "threads.verdict";  // facts are written in their order

std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// Sums of all threads' cells for one region and function.
struct Calls {
  std::uint64_t calls = 0, failed = 0, time_ns = 0, longest_ns = 0, sent_bytes = 0, received_bytes = 0;

  void add(const Cell& cell) {
    calls += cell.calls.value();
    failed += cell.failed.value();
    time_ns += cell.time_ns.value();
    longest_ns = std::max(longest_ns, cell.longest_ns.value());
    sent_bytes += cell.sent_bytes.value();
    received_bytes += cell.received_bytes.value();
  }
};

struct InMpi {
  std::uint64_t main_ns = 0;    // of MPI's main thread
  std::uint64_t others_ns = 0;  // of all other threads, summed up
};

struct Exchanged {
  std::uint64_t sends = 0, sent_bytes = 0, receives = 0, received_bytes = 0;
  std::uint64_t puts = 0, put_bytes = 0, gets = 0, got_bytes = 0;

  void add(const Peer& peer) {
    sends += peer.sends.value();
    sent_bytes += peer.sent_bytes.value();
    receives += peer.receives.value();
    received_bytes += peer.received_bytes.value();
    puts += peer.puts.value();
    put_bytes += peer.put_bytes.value();
    gets += peer.gets.value();
    got_bytes += peer.got_bytes.value();
  }
};

struct Sums {
  std::map<std::pair<Region, std::size_t>, Calls> calls;
  std::map<Region, InMpi> in_mpi;
  std::map<std::int32_t, Exchanged> exchanged;
};

Sums add_up(const Collector& collector) {
  Sums sums;
  collector.books().each([&](const Book& book) {
    book.each_page([&](Region region, const Page& page) {
      InMpi& in_mpi = sums.in_mpi[region];
      (book.thread() == collector.main_thread() ? in_mpi.main_ns : in_mpi.others_ns) += page.time_ns();
      page.each([&](std::size_t function, const Cell& cell) { sums.calls[{region, function}].add(cell); });
    });
    book.peers().each([&](const Peer& peer) { sums.exchanged[peer.rank.load(std::memory_order_relaxed)].add(peer); });
  });
  return sums;
}

Table regions_table(const Collector& collector, const Sums& sums) {
  Table table(kRegionsTable, {{"region", ColumnKind::text},
                              {"visits", ColumnKind::integer},
                              {"wall_ns", ColumnKind::integer},
                              {"cpu_ns", ColumnKind::integer},
                              {"main_cpu_ns", ColumnKind::integer},
                              {"main_mpi_ns", ColumnKind::integer},
                              {"others_mpi_ns", ColumnKind::integer},
                              {"others_mpi_cpu_ns", ColumnKind::integer}});
  collector.stopwatch().each([&](Region region, const Lap& lap) {
    const auto found = sums.in_mpi.find(region);
    const InMpi in_mpi = found == sums.in_mpi.end() ? InMpi{} : found->second;
    table.add_row({collector.regions().path(region), number(lap.visits.value()), number(lap.wall_ns.value()),
                   number(lap.process_cpu_ns.value()), number(lap.main_cpu_ns.value()), number(in_mpi.main_ns),
                   number(in_mpi.others_ns), number(lap.others_inside_ns.value())});
  });
  return table;
}

// One row, of which the record's index makes sums by node and by job.
Table nodes_table(const Table& regions, int node) {
  const Use all = use_of_run(regions, node);
  const auto whole_ns = [](double ns) { return static_cast<std::int64_t>(ns); };
  Table table(kNodesTable, {{"node", ColumnKind::text},
                            {"wall_ns", ColumnKind::integer},
                            {"useful_ns", ColumnKind::integer},
                            {"mpi_ns", ColumnKind::integer},
                            {"asleep_ns", ColumnKind::integer}});
  table.add_row({std::to_string(node), whole_ns(all.wall_ns), whole_ns(all.useful_ns), whole_ns(all.mpi_ns),
                 whole_ns(all.asleep_ns)});
  return table;
}

Table openmp_table(const Collector& collector) {
  Table table(kOpenMpTable, {{"region", ColumnKind::text},
                             {"teams", ColumnKind::integer},
                             {"team_ns", ColumnKind::integer},
                             {"team_thread_ns", ColumnKind::integer},
                             {"largest_team", ColumnKind::integer}});
  collector.stopwatch().each([&](Region region, const Lap& lap) {
    if (lap.teams.value() + lap.team_ns.value() == 0) return;
    table.add_row({collector.regions().path(region), number(lap.teams.value()), number(lap.team_ns.value()),
                   number(lap.team_thread_ns.value()), number(lap.largest_team.value())});
  });
  return table;
}

Table team_places_table(const Collector& collector) {
  Table table(kTeamPlacesTable, {{"place", ColumnKind::text},
                                 {"count", ColumnKind::integer},
                                 {"wall_ns", ColumnKind::integer},
                                 {"thread_ns", ColumnKind::integer},
                                 {"largest_team", ColumnKind::integer},
                                 {"measured_ns", ColumnKind::integer},
                                 {"working_ns", ColumnKind::integer},
                                 {"busiest_ns", ColumnKind::integer}});
  collector.teams().each([&](const TeamPlace& place) {
    table.add_row({place.name, number(place.count.value()), number(place.wall_ns.value()),
                   number(place.thread_ns.value()), number(place.largest_team.value()),
                   number(place.measured_ns.value()), number(place.working_ns.value()),
                   number(place.busiest_ns.value())});
  });
  return table;
}

// A runtime that does not call its tools is known by a function that every one has.
std::string openmp_of(const Collector& collector) {
  if (collector.does_openmp_tell()) return kOpenMpTold;
  return os::find_symbol("omp_get_max_threads") != nullptr ? kOpenMpSilent : kOpenMpAbsent;
}

Table calls_table(const Collector& collector, std::span<const interpose::Facts> functions, const Place& place,
                  const Sums& sums) {
  Table table(kCallsTable, {{"region", ColumnKind::text},
                            {"function", ColumnKind::text},
                            {"calls", ColumnKind::integer},
                            {"failed", ColumnKind::integer},
                            {"spinning", ColumnKind::integer},
                            {"time_ns", ColumnKind::integer},
                            {"longest_ns", ColumnKind::integer},
                            {"sent_bytes", ColumnKind::integer},
                            {"received_bytes", ColumnKind::integer}});
  for (const auto& [where, calls] : sums.calls) {
    const std::string_view name = functions[where.second].name;
    const bool spins = place.spins_in != nullptr && place.spins_in(name);
    table.add_row({collector.regions().path(where.first), std::string(name), number(calls.calls), number(calls.failed),
                   number(spins ? calls.calls : 0), number(calls.time_ns), number(calls.longest_ns),
                   number(calls.sent_bytes), number(calls.received_bytes)});
  }
  return table;
}

Table peers_table(const Sums& sums) {
  Table table(kPeersTable,
              {{"peer", ColumnKind::integer},
               {"sends", ColumnKind::integer},
               {"sent_bytes", ColumnKind::integer},
               {"receives", ColumnKind::integer},
               {"received_bytes", ColumnKind::integer},
               {"puts", ColumnKind::integer},
               {"put_bytes", ColumnKind::integer},
               {"gets", ColumnKind::integer},
               {"got_bytes", ColumnKind::integer}},
              Summarise::no);
  for (const auto& [rank, peer] : sums.exchanged) {
    table.add_row({std::int64_t{rank}, number(peer.sends), number(peer.sent_bytes), number(peer.receives),
                   number(peer.received_bytes), number(peer.puts), number(peer.put_bytes), number(peer.gets),
                   number(peer.got_bytes)});
  }
  return table;
}

Table flight_table(const Collector& collector) {
  Table table(kFlightTable, {{"gap_region", ColumnKind::text},
                             {"injections", ColumnKind::integer},
                             {"most_in_flight", ColumnKind::integer},
                             {"most_at_ns", ColumnKind::integer},
                             {"longest_gap_ns", ColumnKind::integer},
                             {"gap_end_ns", ColumnKind::integer}});
  const Flight::Figures figures = collector.flight().figures();
  table.add_row({collector.regions().path(figures.gap_region), figures.injections, figures.most_in_flight,
                 figures.most_at_ns, figures.longest_gap_ns, figures.gap_end_ns});
  return table;
}

}  // namespace

bool holds_snapshot(const record::Content& content) {
  return content.facts.contains("rank") && content.facts.contains(kLastFact) && content.tables.contains(kRegionsTable);
}

record::Content snapshot(const Collector& collector, std::span<const interpose::Facts> functions, const Place& place) {
  const Sums sums = add_up(collector);
  const bool timed = collector.detail() == Detail::times;
  record::Content content;
  content.facts = {{"rank", std::to_string(place.rank)},
                   {record::kNodeFact, std::to_string(place.node)},
                   {record::kHostFact, place.host},
                   {"binding", place.binding.to_list()},
                   {"node_cpus", place.node_cpus.to_list()},
                   {"metrics.detail", timed ? "times" : "counts"},
                   {"metrics.paused_ns", std::to_string(collector.stopwatch().paused_ns())},
                   {"openmp", openmp_of(collector)},
                   {kWaitsFact, place.waits_asleep ? kWaitsAsleep : kWaitsSpinning},
                   {"threads.calling", std::to_string(collector.thread_use().calling())},
                   {"threads.asked", std::string(name_of(collector.thread_use().asked()))},
                   {"threads.provided", std::string(name_of(collector.thread_use().provided()))},
                   {"threads.needed", std::string(name_of(collector.thread_use().needed(timed)))},
                   {kLastFact, collector.thread_use().sentence(timed)}};
  const Table regions = regions_table(collector, sums);
  const auto put = [&](Table table) { content.tables.emplace(table.name(), std::move(table)); };
  for (Table table : {calls_table(collector, functions, place, sums), peers_table(sums), openmp_table(collector)}) {
    put(std::move(table));
  }
  if (collector.does_openmp_tell()) put(team_places_table(collector));
  if (timed) put(nodes_table(regions, place.node));
  if (timed) put(flight_table(collector));
  put(regions);
  return content;
}

}  // namespace comity::metrics
