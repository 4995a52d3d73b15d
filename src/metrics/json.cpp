// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "metrics/snapshot.hpp"
#include "metrics/text.hpp"

namespace comity::metrics {
namespace {

using Json = nlohmann::ordered_json;

Json json(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json(const Efficiency& e) {
  return {{"parallel", e.parallel},
          {"load_balance", json(e.load_balance)},
          {"load_balance_in_nodes", json(e.in_nodes)},
          {"load_balance_between_nodes", e.between_nodes},
          {"communication", json(e.communication)},
          {"serialisation", nullptr},
          {"transfer", nullptr}};
}

Json json(const RankFigures& r) {
  const Json efficiency{{"parallel", r.efficiency.parallel}, {"load_balance", json(r.efficiency.load_balance)}};
  return {{"rank", r.rank},
          {"node", r.node},
          {"wall_s", r.wall_s},
          {"useful_s", r.useful_s},
          {"computation_s", r.computation_s},
          {"mpi_s", r.mpi_s},
          {"others_mpi_s", r.others_mpi_s},
          {"others_mpi_cpu_s", r.others_mpi_cpu_s},
          {"asleep_s", r.asleep_s},
          {"sent_bytes", r.sent_bytes},
          {"received_bytes", r.received_bytes},
          {"efficiency", efficiency}};
}

// What a node has of an efficiency: nothing is between nodes there.
Json json(const NodeFigures& n) {
  const Json efficiency{{"parallel", n.efficiency.parallel},
                        {"load_balance", json(n.efficiency.load_balance)},
                        {"communication", json(n.efficiency.communication)}};
  return {{"node", n.node},
          {"host", n.host},
          {"ranks", n.ranks},
          {"first_rank", n.first_rank},
          {"processors", n.processors},
          {"wall_s", n.wall_s},
          {"useful_s", n.useful_s},
          {"computation_s", n.computation_s},
          {"mpi_s", n.mpi_s},
          {"asleep_s", n.asleep_s},
          {"efficiency", efficiency}};
}

Json json(const TeamFigures& t) {
  return {{"parallel_regions", t.teams},
          {"inside_s", t.inside_s},
          {"outside_s", t.outside_s},
          {"largest_team", t.largest_team},
          {"mean_team", t.mean_team()}};
}

Json json(const Wait& w) {
  return {{"most_s", w.most_s}, {"most_rank", w.most_rank}, {"least_s", w.least_s}, {"least_rank", w.least_rank}};
}

Json json(const RegionFigures& r, OpenMp openmp) {
  return {{"region", r.path},
          {"visits", r.visits},
          {"wall_s", r.wall_s},
          {"processors", r.useful_cores},
          {"computation_s", r.computation_s},
          {"mpi_s", r.mpi_s},
          {"asleep_s", r.asleep_s},
          {"ranks", r.ranks},
          {"in_mpi", json(r.in_mpi)},
          {"asleep", json(r.asleep)},
          {"asleep_half_of_it", r.resting},
          {"openmp", openmp == OpenMp::told ? json(r.teams) : Json(nullptr)},
          {"efficiency", json(r.efficiency)}};
}

const char* word_for(Lack lack) {
  if (lack == Lack::missing) return "missing";
  return lack == Lack::older ? "older" : "shorter";
}

Json json(const Untold& u) {
  return {{"table", u.table}, {"lack", word_for(u.lack)}, {"ranks", u.ranks}, {"first_rank", u.first_rank}};
}

const char* word_for(OpenMp openmp) {
  if (openmp == OpenMp::told) return kOpenMpTold;
  return openmp == OpenMp::silent ? kOpenMpSilent : kOpenMpAbsent;
}

Json json(const FunctionFigures& f) {
  return {{"function", f.function},     {"region", f.region},
          {"calls", f.calls},           {"failed", f.failed},
          {"spinning", f.spinning},     {"time_s", f.time_s},
          {"longest_s", f.longest_s},   {"longest_rank", f.longest_rank},
          {"sent_bytes", f.sent_bytes}, {"received_bytes", f.received_bytes}};
}

Json json(const MessageFigures& m) {
  return {{"from", m.from},         {"to", m.to},
          {"sends", m.sends},       {"sent_bytes", m.sent_bytes},
          {"receives", m.receives}, {"received_bytes", m.received_bytes},
          {"puts", m.puts},         {"put_bytes", m.put_bytes},
          {"gets", m.gets},         {"got_bytes", m.got_bytes}};
}

Json json(const std::optional<FlightFigures>& f) {
  if (!f) return nullptr;
  return {{"injections", f->injections}, {"most_in_flight", f->most_in_flight},
          {"most_rank", f->most_rank},   {"longest_gap_s", f->longest_gap_s},
          {"gap_rank", f->gap_rank},     {"gap_region", f->gap_region}};
}

template <typename Rows>
Json list(const Rows& rows) {
  Json all = Json::array();
  for (const auto& row : rows) all.push_back(json(row));
  return all;
}

}  // namespace

Json json_of(const Job& job) {
  Json regions = Json::array();
  for (const RegionFigures& region : job.regions) regions.push_back(json(region, job.openmp));
  return Json{{"verdict", verdict(job)},
              {"timed", job.timed},
              {"nodes", job.nodes},
              {"processors", job.processors},
              {"wall_s", job.wall_s},
              {"paused_s", job.paused_s},
              {"untold", list(job.untold)},
              {"efficiency", job.timed ? json(job.efficiency) : Json(nullptr)},
              {"ranks", list(job.ranks)},
              {"per_node", list(job.per_node)},
              {"waits", job.waits_asleep ? kWaitsAsleep : kWaitsSpinning},
              {"openmp", word_for(job.openmp)},
              {"regions", std::move(regions)},
              {"functions", list(job.functions)},
              {"messages", list(job.messages)},
              {"flight", json(job.flight)},
              {"threads",
               {{"asked", job.threads.asked},
                {"provided", job.threads.provided},
                {"needed", job.threads.needed},
                {"calling", job.threads.calling},
                {"verdict", job.threads.verdict}}}};
}

}  // namespace comity::metrics
