// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/rows.hpp"

#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/csv.hpp"

namespace comity::cli {
namespace {

// One line, field by field.
class Row {
 public:
  Row& text(const std::string& value) { return field(csv_text(value)); }
  Row& whole(std::optional<std::int64_t> value) { return field(value ? std::to_string(*value) : std::string()); }
  Row& real(std::optional<double> value) {
    if (!value) return field({});
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "%.12g", *value);
    return field(digits.data());
  }
  [[nodiscard]] std::string end() const { return line_ + '\n'; }

 private:
  Row& field(const std::string& value) {
    line_.append(is_first_ ? "" : ",").append(value);
    is_first_ = false;
    return *this;
  }

  std::string line_;
  bool is_first_ = true;
};

std::string calls(const metrics::Job& job) {
  std::string text = "region,function,calls,failed,spinning,time_s,longest_s,longest_rank,sent_bytes,received_bytes\n";
  for (const metrics::FunctionFigures& f : job.functions) {
    Row row;
    row.text(f.region)
        .text(f.function)
        .whole(f.calls)
        .whole(f.failed)
        .whole(f.spinning)
        .real(job.if_timed(f.time_s))
        .real(job.if_timed(f.longest_s));
    row.whole(job.if_timed(f.longest_rank)).real(f.sent_bytes).real(f.received_bytes);
    text += row.end();
  }
  return text;
}

void add_wait(Row& row, const metrics::Wait& wait, const metrics::Job& job) {
  row.real(job.if_timed(wait.most_s)).whole(job.if_timed(wait.most_rank));
  row.real(job.if_timed(wait.least_s)).whole(job.if_timed(wait.least_rank));
}

// Parallel efficiency and load balance, and of more than a rank the communication efficiency.
template <typename Efficiency>
void add_efficiency(Row& row, const Efficiency& efficiency, const metrics::Job& job) {
  const Efficiency told = job.timed ? efficiency : Efficiency{};
  row.real(job.if_timed(told.parallel)).real(told.load_balance);
  if constexpr (requires { told.communication; }) row.real(told.communication);
}

std::string regions(const metrics::Job& job) {
  std::string text =
      "region,visits,ranks,wall_s,processors,computation_s,mpi_s,asleep_s,in_mpi_most_s,in_mpi_most_rank,"
      "in_mpi_least_s,in_mpi_least_rank,asleep_most_s,asleep_most_rank,asleep_least_s,asleep_least_rank,"
      "parallel_efficiency,load_balance,communication_efficiency\n";
  for (const metrics::RegionFigures& r : job.regions) {
    Row row;
    row.text(r.path).whole(r.visits).whole(r.ranks).real(r.wall_s);
    for (const double figure : {r.useful_cores, r.computation_s, r.mpi_s, r.asleep_s}) row.real(job.if_timed(figure));
    add_wait(row, r.in_mpi, job);
    add_wait(row, r.asleep, job);
    add_efficiency(row, r.efficiency, job);
    text += row.end();
  }
  return text;
}

std::string ranks(const metrics::Job& job) {
  std::string text =
      "rank,node,wall_s,useful_s,computation_s,mpi_s,asleep_s,others_mpi_s,others_mpi_cpu_s,sent_bytes,received_bytes,"
      "parallel_efficiency,load_balance\n";
  for (const metrics::RankFigures& r : job.ranks) {
    Row row;
    row.whole(r.rank).whole(r.node).real(r.wall_s);
    for (const double figure : {r.useful_s, r.computation_s, r.mpi_s, r.asleep_s, r.others_mpi_s, r.others_mpi_cpu_s}) {
      row.real(job.if_timed(figure));
    }
    row.real(r.sent_bytes).real(r.received_bytes);
    add_efficiency(row, r.efficiency, job);
    text += row.end();
  }
  return text;
}

std::string nodes(const metrics::Job& job) {
  std::string text =
      "node,host,ranks,first_rank,processors,wall_s,useful_s,computation_s,mpi_s,asleep_s,parallel_efficiency,"
      "load_balance,communication_efficiency\n";
  for (const metrics::NodeFigures& n : job.per_node) {
    Row row;
    row.whole(n.node).text(n.host).whole(n.ranks).whole(n.first_rank).whole(n.processors).real(n.wall_s);
    for (const double figure : {n.useful_s, n.computation_s, n.mpi_s, n.asleep_s}) row.real(job.if_timed(figure));
    add_efficiency(row, n.efficiency, job);
    text += row.end();
  }
  return text;
}

std::string messages(const metrics::Job& job) {
  std::string text = "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n";
  for (const metrics::MessageFigures& m : job.messages) {
    Row row;
    row.whole(m.from).whole(m.to).whole(m.sends).whole(m.sent_bytes).whole(m.receives).whole(m.received_bytes);
    row.whole(m.puts).whole(m.put_bytes).whole(m.gets).whole(m.got_bytes);
    text += row.end();
  }
  return text;
}

}  // namespace

std::string rows_of(const metrics::Job& job, std::string_view table) {
  if (table == "regions") return regions(job);
  if (table == "ranks") return ranks(job);
  if (table == "nodes") return nodes(job);
  return table == kMessagesTable ? messages(job) : calls(job);
}

}  // namespace comity::cli
