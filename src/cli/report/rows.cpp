// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/rows.hpp"

#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/csv.hpp"

namespace comity::cli {
namespace {

using metrics::Job;

// The line of names, or that of a row: a name and its figure are written in one place, so they cannot come apart. Names are the keys
// of JSON, those inside an object behind its own.
class Line {
 public:
  enum class Of : std::uint8_t { names, figures };
  explicit Line(Of of) : of_(of) {}

  Line& text(const char* name, const std::string& value) { return field(name, csv_text(value)); }
  Line& whole(const char* name, std::optional<std::int64_t> value) {
    return field(name, value ? std::to_string(*value) : std::string());
  }
  Line& real(const char* name, std::optional<double> value) {
    if (!value) return field(name, {});
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.12g", *value);
    return field(name, digits.data());
  }
  Line& untold(const char* name) { return field(name, {}); }
  Line& inside(const char* object) {
    object_ = *object == '\0' ? std::string() : std::string(object) + '_';
    return *this;
  }
  [[nodiscard]] std::string end() const { return line_ + '\n'; }

 private:
  Line& field(const char* name, const std::string& value) {
    if (!is_first_) line_ += ',';
    line_ += of_ == Of::names ? object_ + name : value;
    is_first_ = false;
    return *this;
  }

  Of of_;
  std::string object_;
  std::string line_;
  bool is_first_ = true;
};

template <typename Figures, typename Write>
std::string lines(const std::vector<Figures>& rows, const Write& write) {
  Line names(Line::Of::names);
  write(names, Figures{});
  std::string text = names.end();
  for (const Figures& row : rows) {
    Line figures(Line::Of::figures);
    write(figures, row);
    text += figures.end();
  }
  return text;
}

std::string calls(const Job& job) {
  return lines(job.functions, [&](Line& line, const metrics::FunctionFigures& f) {
    line.text("region", f.region).text("function", f.function);
    line.whole("calls", f.calls).whole("failed", f.failed).whole("spinning", f.spinning);
    line.real("time_s", job.if_timed(f.time_s)).real("longest_s", job.if_timed(f.longest_s));
    line.whole("longest_rank", job.if_timed(f.longest_rank));
    line.real("sent_bytes", f.sent_bytes).real("received_bytes", f.received_bytes);
  });
}

void add_wait(Line& line, const char* name, const metrics::Wait& wait, const Job& job) {
  line.inside(name);
  line.real("most_s", job.if_timed(wait.most_s)).whole("most_rank", job.if_timed(wait.most_rank));
  line.real("least_s", job.if_timed(wait.least_s)).whole("least_rank", job.if_timed(wait.least_rank));
  line.inside("");
}

// Of a rank nothing is communication, of a node nothing between nodes.
enum class EfficiencyOf : std::uint8_t { nodes, node };

void add_efficiency(Line& line, const metrics::Efficiency& efficiency, EfficiencyOf of, const Job& job) {
  const metrics::Efficiency told = job.timed ? efficiency : metrics::Efficiency{};
  line.inside("efficiency").real("parallel", job.if_timed(told.parallel)).real("load_balance", told.load_balance);
  if (of == EfficiencyOf::nodes) {
    line.real("load_balance_in_nodes", told.in_nodes);
    line.real("load_balance_between_nodes", job.if_timed(told.between_nodes));
  }
  line.real("communication", told.communication);
  if (of == EfficiencyOf::nodes) line.untold("serialisation").untold("transfer");
  line.inside("");
}

void add_teams(Line& line, const metrics::TeamFigures& teams, const Job& job) {
  const auto told = [&](auto figure) {
    return job.openmp == metrics::OpenMp::told ? std::optional(figure) : std::nullopt;
  };
  line.inside("openmp").whole("parallel_regions", told(teams.teams));
  line.real("inside_s", told(teams.inside_s)).real("outside_s", told(teams.outside_s));
  line.whole("largest_team", told(teams.largest_team)).real("mean_team", told(teams.mean_team())).inside("");
}

std::string regions(const Job& job) {
  return lines(job.regions, [&](Line& line, const metrics::RegionFigures& r) {
    line.text("region", r.path).whole("visits", r.visits).whole("ranks", r.ranks).real("wall_s", r.wall_s);
    line.real("useful_s", job.if_timed(r.useful_s)).real("processors", job.if_timed(r.useful_cores));
    line.real("computation_s", job.if_timed(r.computation_s));
    line.real("mpi_s", job.if_timed(r.mpi_s)).real("asleep_s", job.if_timed(r.asleep_s));
    add_wait(line, "in_mpi", r.in_mpi, job);
    add_wait(line, "asleep", r.asleep, job);
    line.whole("asleep_half_of_it", job.if_timed(r.resting));
    add_teams(line, r.teams, job);
    add_efficiency(line, r.efficiency, EfficiencyOf::nodes, job);
  });
}

std::string openmp(const Job& job) {
  return lines(job.openmp_regions, [&](Line& line, const metrics::TeamPlaceFigures& t) {
    line.text("place", t.place).whole("count", t.count).whole("ranks", t.ranks).real("time_s", t.wall_s);
    line.whole("largest_team", t.largest_team).real("mean_team", t.mean_team()).real("thread_s", t.thread_s);
    line.real("working_s", t.parallel() ? std::optional(t.working_s) : std::nullopt);
    line.inside("efficiency").real("parallel", t.parallel()).real("load_balance", t.load_balance());
    line.real("fork_join", t.fork_join()).inside("");
  });
}

std::string ranks(const Job& job) {
  return lines(job.ranks, [&](Line& line, const metrics::RankFigures& r) {
    line.whole("rank", r.rank).whole("node", r.node).real("wall_s", r.wall_s);
    line.real("useful_s", job.if_timed(r.useful_s)).real("computation_s", job.if_timed(r.computation_s));
    line.real("mpi_s", job.if_timed(r.mpi_s)).real("asleep_s", job.if_timed(r.asleep_s));
    line.real("others_mpi_s", job.if_timed(r.others_mpi_s));
    line.real("others_mpi_cpu_s", job.if_timed(r.others_mpi_cpu_s));
    line.real("sent_bytes", r.sent_bytes).real("received_bytes", r.received_bytes);
    line.inside("efficiency").real("parallel", job.if_timed(r.efficiency.parallel));
    line.real("load_balance", job.timed ? r.efficiency.load_balance : std::nullopt).inside("");
  });
}

std::string nodes(const Job& job) {
  return lines(job.per_node, [&](Line& line, const metrics::NodeFigures& n) {
    line.whole("node", n.node).text("host", n.host).whole("ranks", n.ranks).whole("first_rank", n.first_rank);
    line.whole("processors", n.processors).real("wall_s", n.wall_s);
    line.real("useful_s", job.if_timed(n.useful_s)).real("computation_s", job.if_timed(n.computation_s));
    line.real("mpi_s", job.if_timed(n.mpi_s)).real("asleep_s", job.if_timed(n.asleep_s));
    add_efficiency(line, n.efficiency, EfficiencyOf::node, job);
  });
}

std::string messages(const Job& job) {
  return lines(job.messages, [](Line& line, const metrics::MessageFigures& m) {
    line.whole("from", m.from).whole("to", m.to).whole("sends", m.sends).whole("sent_bytes", m.sent_bytes);
    line.whole("receives", m.receives).whole("received_bytes", m.received_bytes);
    line.whole("puts", m.puts).whole("put_bytes", m.put_bytes).whole("gets", m.gets).whole("got_bytes", m.got_bytes);
  });
}

std::string flight(const Job& job) {
  return lines(job.flight_over_time, [](Line& line, const metrics::FlightStretch& s) {
    line.real("begin_s", s.begin_s).real("end_s", s.end_s);
    line.whole("most_in_flight", s.most_in_flight).whole("most_rank", s.most_rank);
    line.real("longest_gap_s", s.longest_gap_s);
    line.whole("gap_rank", s.longest_gap_s > 0 ? std::optional<std::int64_t>(s.gap_rank) : std::nullopt);
  });
}

}  // namespace

std::string rows_of(const Job& job, std::string_view table) {
  if (table == "regions") return regions(job);
  if (table == "openmp") return openmp(job);
  if (table == "ranks") return ranks(job);
  if (table == "nodes") return nodes(job);
  if (table == kFlightTable) return flight(job);
  return table == kMessagesTable ? messages(job) : calls(job);
}

}  // namespace comity::cli
