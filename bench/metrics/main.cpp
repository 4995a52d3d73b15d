// SPDX-License-Identifier: BSD-3-Clause
// bench-metrics: what `comity run --metrics` costs messages, between two ranks: batches of calls that the collector sees
// and batches of the MPI's own functions in turn. The wrappers are linked in, and stand before the MPI as a preloaded
// library does; the page that `comity top` reads is kept up to date, as in a run.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/line.hpp"
#include "common/messages.hpp"
#include "common/timing.hpp"
#include "interpose/function.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/subscriber.hpp"
#include "live/page_writer.hpp"
#include "metrics/rank/collector.hpp"

namespace {

using comity::interpose::kFunctions;
using comity::interpose::real_function;
using comity::metrics::Collector;
using comity::metrics::Detail;
using comity::metrics::Level;

Collector* collector = nullptr;

comity::live::PageWriter make_page() {
  std::array<std::string_view, kFunctions> names{};
  for (const comity::interpose::Facts& facts : comity::interpose::kFacts) names[facts.number] = facts.name;
  return comity::live::PageWriter(names);
}

template <typename Function>
Function* bare_one(Function*, const char* name) {
  return reinterpret_cast<Function*>(real_function(name));
}

bench::Calls bare() {
  return {bare_one(&MPI_Isend, "MPI_Isend"),     bare_one(&MPI_Irecv, "MPI_Irecv"),
          bare_one(&MPI_Waitall, "MPI_Waitall"), bare_one(&MPI_Send, "MPI_Send"),
          bare_one(&MPI_Recv, "MPI_Recv"),       bare_one(&MPI_Allreduce, "MPI_Allreduce")};
}

}  // namespace

comity::interpose::Subscribers comity::interpose::subscribers() {
  static Subscriber* const all[] = {collector};
  return all;
}

int main(int count, char** words) {
  const std::string_view detail = count == 2 ? words[1] : "";
  if (detail != "counts" && detail != "times") {
    std::fprintf(stderr, "bench-metrics: takes one word, counts or times\n");
    return 2;
  }
  collector = new Collector(detail == "counts" ? Detail::counts : Detail::times, kFunctions);
  comity::live::PageWriter page = make_page();
  MPI_Init(&count, &words);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    std::fprintf(stderr, "bench-metrics: takes two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  page.begin({.job = 0, .rank = static_cast<std::uint32_t>(rank), .ranks = 2, .mpi = ""});
  collector->begin(Level::single, Level::single);
  std::vector<bench::Outcome> outcomes;
  const auto measure = [&](const char* name, const bench::Exchange& exchange) {
    outcomes.push_back(bench::alternate(name, bench::direct_calls(), bare(), rank, exchange));
  };
  measure(detail == "counts" ? "message_rate_8B_counts" : "message_rate_8B_timed", bench::kWindows);
  if (detail == "times") {
    measure("latency_8B", bench::kPingPongs);
    measure("allreduce_8B", bench::kAllreduces);
  }
  if (rank == 0) bench::print(size, 1, outcomes);
  MPI_Finalize();
  return 0;
}
