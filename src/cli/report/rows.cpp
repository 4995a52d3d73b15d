// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/rows.hpp"

#include <cstdint>
#include <cstdio>
#include <optional>

namespace comity::cli {
namespace {

// One line, field by field.
class Row {
 public:
  Row& text(const std::string& value) {
    std::string quoted;
    for (const char letter : value) quoted.append(letter == '"' ? 2 : 1, letter);
    return field('"' + quoted + '"');
  }
  Row& whole(std::int64_t value) { return field(std::to_string(value)); }
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
        .real(f.time_s)
        .real(f.longest_s);
    row.whole(f.longest_rank).real(f.sent_bytes).real(f.received_bytes);
    text += row.end();
  }
  return text;
}

void add_wait(Row& row, const metrics::Wait& wait) {
  row.real(wait.most_s).whole(wait.most_rank).real(wait.least_s).whole(wait.least_rank);
}

std::string regions(const metrics::Job& job) {
  std::string text =
      "region,visits,ranks,wall_s,processors,computation_s,mpi_s,asleep_s,in_mpi_most_s,in_mpi_most_rank,"
      "in_mpi_least_s,in_mpi_least_rank,asleep_most_s,asleep_most_rank,asleep_least_s,asleep_least_rank,"
      "parallel_efficiency,load_balance,communication_efficiency\n";
  for (const metrics::RegionFigures& r : job.regions) {
    Row row;
    row.text(r.path).whole(r.visits).whole(r.ranks).real(r.wall_s).real(r.useful_cores);
    row.real(r.computation_s).real(r.mpi_s).real(r.asleep_s);
    add_wait(row, r.in_mpi);
    add_wait(row, r.asleep);
    row.real(r.efficiency.parallel).real(r.efficiency.load_balance).real(r.efficiency.communication);
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
    row.whole(r.rank).whole(r.node).real(r.wall_s).real(r.useful_s).real(r.computation_s).real(r.mpi_s);
    row.real(r.asleep_s).real(r.others_mpi_s).real(r.others_mpi_cpu_s).real(r.sent_bytes).real(r.received_bytes);
    row.real(r.efficiency.parallel).real(r.efficiency.load_balance);
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
    row.real(n.useful_s).real(n.computation_s).real(n.mpi_s).real(n.asleep_s);
    row.real(n.efficiency.parallel).real(n.efficiency.load_balance).real(n.efficiency.communication);
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
