// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "metrics/job/text.hpp"
#include "metrics/snapshot.hpp"

namespace comity::metrics {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json json(const std::optional<Value>& value);

Json json(double value) { return value; }
Json json(int value) { return value; }

Json json(const Efficiency& e) {
  return {{"parallel", e.parallel},
          {"load_balance", json(e.load_balance)},
          {"load_balance_in_nodes", json(e.in_nodes)},
          {"load_balance_between_nodes", e.between_nodes},
          {"communication", json(e.communication)},
          {"serialisation", nullptr},
          {"transfer", nullptr}};
}

Json json(const RankEfficiency& e) { return {{"parallel", e.parallel}, {"load_balance", json(e.load_balance)}}; }

Json json(const RankFigures& r, const Job& job) {
  const auto timed = [&](const auto& figure) { return json(job.if_timed(figure)); };
  return {{"rank", r.rank},
          {"node", r.node},
          {"wall_s", r.wall_s},
          {"useful_s", timed(r.useful_s)},
          {"computation_s", timed(r.computation_s)},
          {"mpi_s", timed(r.mpi_s)},
          {"others_mpi_s", timed(r.others_mpi_s)},
          {"others_mpi_cpu_s", timed(r.others_mpi_cpu_s)},
          {"asleep_s", timed(r.asleep_s)},
          {"sent_bytes", r.sent_bytes},
          {"received_bytes", r.received_bytes},
          {"efficiency", timed(r.efficiency)}};
}

// What a node has of an efficiency: nothing is between nodes there.
Json of_a_node(const Efficiency& e) {
  return {{"parallel", e.parallel}, {"load_balance", json(e.load_balance)}, {"communication", json(e.communication)}};
}

Json json(const NodeFigures& n, const Job& job) {
  const auto timed = [&](const auto& figure) { return json(job.if_timed(figure)); };
  return {{"node", n.node},
          {"host", n.host},
          {"ranks", n.ranks},
          {"first_rank", n.first_rank},
          {"processors", n.processors},
          {"wall_s", n.wall_s},
          {"useful_s", timed(n.useful_s)},
          {"computation_s", timed(n.computation_s)},
          {"mpi_s", timed(n.mpi_s)},
          {"asleep_s", timed(n.asleep_s)},
          {"efficiency", job.timed ? of_a_node(n.efficiency) : Json(nullptr)}};
}

Json json(const TeamFigures& t) {
  return {{"parallel_regions", t.teams},
          {"inside_s", t.inside_s},
          {"outside_s", t.outside_s},
          {"largest_team", t.largest_team},
          {"mean_team", t.mean_team()}};
}

Json json(const TeamPlaceFigures& t, const Job& /*job*/) {
  return {{"place", t.place},
          {"count", t.count},
          {"ranks", t.ranks},
          {"time_s", t.wall_s},
          {"largest_team", t.largest_team},
          {"mean_team", t.mean_team()},
          {"thread_s", t.thread_s},
          {"working_s", t.parallel() ? Json(t.working_s) : Json(nullptr)},
          {"efficiency",
           {{"parallel", json(t.parallel())},
            {"load_balance", json(t.load_balance())},
            {"fork_join", json(t.fork_join())}}}};
}

Json json(const Wait& w) {
  return {{"most_s", w.most_s}, {"most_rank", w.most_rank}, {"least_s", w.least_s}, {"least_rank", w.least_rank}};
}

Json json(const RegionFigures& r, const Job& job) {
  const auto timed = [&](const auto& figure) { return json(job.if_timed(figure)); };
  return {{"region", r.path},
          {"visits", r.visits},
          {"wall_s", r.wall_s},
          {"useful_s", timed(r.useful_s)},
          {"processors", timed(r.useful_cores)},
          {"computation_s", timed(r.computation_s)},
          {"mpi_s", timed(r.mpi_s)},
          {"asleep_s", timed(r.asleep_s)},
          {"ranks", r.ranks},
          {"in_mpi", timed(r.in_mpi)},
          {"asleep", timed(r.asleep)},
          {"asleep_half_of_it", timed(r.resting)},
          {"openmp", job.openmp == OpenMp::told ? json(r.teams) : Json(nullptr)},
          {"efficiency", timed(r.efficiency)}};
}

const char* word_for(Lack lack) {
  if (lack == Lack::missing) return "missing";
  return lack == Lack::older ? "older" : "shorter";
}

Json json(const Untold& u, const Job& /*job*/) {
  return {{"table", u.table}, {"lack", word_for(u.lack)}, {"ranks", u.ranks}, {"first_rank", u.first_rank}};
}

const char* word_for(OpenMp openmp) {
  if (openmp == OpenMp::told) return kOpenMpTold;
  return openmp == OpenMp::silent ? kOpenMpSilent : kOpenMpAbsent;
}

Json json(const FunctionFigures& f, const Job& job) {
  const auto timed = [&](const auto& figure) { return json(job.if_timed(figure)); };
  return {{"function", f.function},
          {"region", f.region},
          {"calls", f.calls},
          {"failed", f.failed},
          {"spinning", f.spinning},
          {"time_s", timed(f.time_s)},
          {"longest_s", timed(f.longest_s)},
          {"longest_rank", timed(f.longest_rank)},
          {"sent_bytes", f.sent_bytes},
          {"received_bytes", f.received_bytes}};
}

Json json(const MessageFigures& m, const Job& /*job*/) {
  return {{"from", m.from},         {"to", m.to},
          {"sends", m.sends},       {"sent_bytes", m.sent_bytes},
          {"receives", m.receives}, {"received_bytes", m.received_bytes},
          {"puts", m.puts},         {"put_bytes", m.put_bytes},
          {"gets", m.gets},         {"got_bytes", m.got_bytes}};
}

Json json(const FlightFigures& f) {
  return {{"injections", f.injections}, {"most_in_flight", f.most_in_flight},
          {"most_rank", f.most_rank},   {"longest_gap_s", f.longest_gap_s},
          {"gap_rank", f.gap_rank},     {"gap_region", f.gap_region}};
}

Json json(const FlightStretch& s, const Job& /*job*/) {
  return {{"begin_s", s.begin_s},
          {"end_s", s.end_s},
          {"most_in_flight", s.most_in_flight},
          {"most_rank", s.most_rank},
          {"longest_gap_s", s.longest_gap_s},
          {"gap_rank", s.longest_gap_s > 0 ? Json(s.gap_rank) : Json(nullptr)}};
}

template <typename Value>
Json json(const std::optional<Value>& value) {
  return value ? json(*value) : Json(nullptr);
}

template <typename Rows>
Json list(const Rows& rows, const Job& job) {
  Json all = Json::array();
  for (const auto& row : rows) all.push_back(json(row, job));
  return all;
}

}  // namespace

Json json_of(const Job& job) {
  return Json{{"verdict", verdict(job)},
              {"timed", job.timed},
              {"counted_only", job.counted_only},
              {"nodes", job.nodes},
              {"processors", job.processors},
              {"wall_s", job.wall_s},
              {"useful_s", json(job.if_timed(job.useful_s))},
              {"computation_s", json(job.if_timed(job.computation_s))},
              {"mpi_s", json(job.if_timed(job.mpi_s))},
              {"asleep_s", json(job.if_timed(job.asleep_s))},
              {"paused_s", job.paused_s},
              {"untold", list(job.untold, job)},
              {"efficiency", json(job.if_timed(job.efficiency))},
              {"ranks", list(job.ranks, job)},
              {"per_node", list(job.per_node, job)},
              {"waits", job.waits_asleep ? kWaitsAsleep : kWaitsSpinning},
              {"openmp", word_for(job.openmp)},
              {"regions", list(job.regions, job)},
              {"openmp_regions", list(job.openmp_regions, job)},
              {"functions", list(job.functions, job)},
              {"messages", list(job.messages, job)},
              {"flight", json(job.flight)},
              {"flight_over_time", list(job.flight_over_time, job)},
              {"threads",
               {{"asked", job.threads.asked},
                {"provided", job.threads.provided},
                {"needed", job.threads.needed},
                {"calling", job.threads.calling},
                {"verdict", job.threads.verdict}}}};
}

}  // namespace comity::metrics
