// SPDX-License-Identifier: BSD-3-Clause
// bench-metrics: what `comity run --metrics` costs messages, between two ranks: batches of calls that the collector sees and
// batches of the MPI's own functions in turn. The wrappers are linked in, and stand before the MPI as a preloaded library does.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "common/line.hpp"
#include "common/timing.hpp"
#include "interpose/function.hpp"
#include "interpose/loaded_mpi.hpp"
#include "interpose/subscriber.hpp"
#include "metrics/collector.hpp"

namespace {

using comity::interpose::kFunctions;
using comity::interpose::real_function;
using comity::metrics::Collector;
using comity::metrics::Detail;
using comity::metrics::Level;

constexpr int kWindow = 64;  // messages on their way at once, as in OSU's multi-pair message rate
constexpr int kWindows = 200;
constexpr int kRounds = 2000;  // of a message there and back, and of a sum
constexpr int kRateBatches = 31;
constexpr int kTag = 1;

Collector* collector = nullptr;

// The calls that are timed: by pointers that the compiler knows nothing of.
struct Calls {
  decltype(&MPI_Isend) volatile isend;
  decltype(&MPI_Irecv) volatile irecv;
  decltype(&MPI_Waitall) volatile waitall;
  decltype(&MPI_Send) volatile send;
  decltype(&MPI_Recv) volatile recv;
  decltype(&MPI_Allreduce) volatile allreduce;
};

Calls seen() { return {&MPI_Isend, &MPI_Irecv, &MPI_Waitall, &MPI_Send, &MPI_Recv, &MPI_Allreduce}; }

template <typename Function>
Function* bare_one(Function*, const char* name) {
  return reinterpret_cast<Function*>(real_function(name));
}

Calls bare() {
  return {bare_one(&MPI_Isend, "MPI_Isend"),     bare_one(&MPI_Irecv, "MPI_Irecv"),
          bare_one(&MPI_Waitall, "MPI_Waitall"), bare_one(&MPI_Send, "MPI_Send"),
          bare_one(&MPI_Recv, "MPI_Recv"),       bare_one(&MPI_Allreduce, "MPI_Allreduce")};
}

// [ns] a message: windows of 64 from rank 0 to rank 1, which answers each with four bytes.
double message_ns(const Calls& mpi, int rank) {
  static std::array<double, kWindow> data{};
  std::array<MPI_Request, kWindow> requests{};
  const double start_ns = bench::now_ns();
  for (int window = 0; window < kWindows; ++window) {
    for (std::size_t i = 0; i < kWindow; ++i) {
      if (rank == 0) {
        mpi.isend(&data[i], 1, MPI_DOUBLE, 1, kTag, MPI_COMM_WORLD, &requests[i]);
      } else {
        mpi.irecv(&data[i], 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD, &requests[i]);
      }
    }
    mpi.waitall(kWindow, requests.data(), MPI_STATUSES_IGNORE);
    int answer = 0;
    if (rank == 0) {
      mpi.recv(&answer, 1, MPI_INT, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      mpi.send(&answer, 1, MPI_INT, 0, kTag, MPI_COMM_WORLD);
    }
  }
  return (bench::now_ns() - start_ns) / (kWindows * kWindow);
}

// [ns] half of the way there and back.
double latency_ns(const Calls& mpi, int rank) {
  double ball = 0;
  const double start_ns = bench::now_ns();
  for (int round = 0; round < kRounds; ++round) {
    if (rank == 0) {
      mpi.send(&ball, 1, MPI_DOUBLE, 1, kTag, MPI_COMM_WORLD);
      mpi.recv(&ball, 1, MPI_DOUBLE, 1, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      mpi.recv(&ball, 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      mpi.send(&ball, 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD);
    }
  }
  return (bench::now_ns() - start_ns) / (2 * kRounds);
}

double allreduce_ns(const Calls& mpi, int /*rank*/) {
  double mine = 1;
  double sum = 0;
  const double start_ns = bench::now_ns();
  for (int round = 0; round < kRounds; ++round) mpi.allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return (bench::now_ns() - start_ns) / kRounds;
}

// Both ranks make the same batches; rank 0's times count.
template <typename Batch>
bench::Outcome measure(const std::string& name, int rank, Batch&& batch) {
  bench::Outcome outcome{name, "ns", "bare MPI", {}, {}};
  const Calls ours = seen();
  const Calls theirs = bare();
  (void)batch(ours, rank);
  (void)batch(theirs, rank);
  for (int i = 0; i < kRateBatches; ++i) {
    outcome.values.push_back(batch(ours, rank));
    outcome.references.push_back(batch(theirs, rank));
  }
  return outcome;
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
  MPI_Init(&count, &words);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    std::fprintf(stderr, "bench-metrics: takes two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  collector->begin(Level::single, Level::single);
  std::vector<bench::Outcome> outcomes;
  outcomes.push_back(
      measure(detail == "counts" ? "message_rate_8B_counts" : "message_rate_8B_timed", rank, message_ns));
  if (detail == "times") {
    outcomes.push_back(measure("latency_8B", rank, latency_ns));
    outcomes.push_back(measure("allreduce_8B", rank, allreduce_ns));
  }
  if (rank == 0) bench::print(size, 1, outcomes);
  MPI_Finalize();
  return 0;
}
