// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/quiesce.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "cli/bench/measure/launch.hpp"
#include "cli/bench/show/progress.hpp"

namespace comity::cli::bench {
namespace {

constexpr const char* kName = "quiesce";
constexpr const char* kReference = "ideal";
constexpr int kSamples = 3;  // a launch, after one that warms up: their median shrugs off one disturbance
constexpr double kGoalPrecision = 0.01;
constexpr double kPrecision = 0.05;
constexpr Goal kGoal{1.02};
constexpr const char* kNote =
    "The reference is the same kernel without other ranks. undecided: the 95 % interval of the ratio is wider than "
    "this "
    "row's limit (comity 1 %, others 5 %). CPU: what one waiter burns of its core. sd: of the case's times.";

// A launch that takes this long hangs: waiters that burn cores slow the kernel by a factor of a few.
std::chrono::milliseconds patience(double kernel_seconds) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * (60.0 + 20.0 * (kSamples + 1) * kernel_seconds)));
}

class Program {
 public:
  Program(int cores, double kernel_seconds) : cores_(cores), kernel_seconds_(kernel_seconds) {}

  // Finds out how much work takes the wanted time; all measurements do that much.
  void calibrate(const std::string& mpi) {
    const std::string line =
        run(mpi, 1, {"--case", kReference, "--samples", "1", "--seconds", std::to_string(kernel_seconds_)});
    units_ = nlohmann::json::parse(line).at("units").get<int>();
  }

  [[nodiscard]] Measurement measure(const std::string& mpi, const std::string& name) const {
    const int ranks = name == kReference ? 1 : cores_;
    return read_measurement(
        run(mpi, ranks, {"--case", name, "--samples", std::to_string(kSamples), "--units", std::to_string(units_)}));
  }

 private:
  [[nodiscard]] std::string run(const std::string& mpi, int ranks, const std::vector<std::string>& arguments) const {
    return run_for_json_line(launch_words(kName, mpi, ranks, arguments), patience(kernel_seconds_));
  }

  int cores_;
  double kernel_seconds_;
  int units_ = 0;
};

std::string how_far(const std::vector<Comparison>& rows) {
  const auto narrow = std::count_if(rows.begin(), rows.end(), [](const Comparison& row) { return row.narrow(); });
  std::size_t pairs = 0;
  for (const Comparison& row : rows) pairs += row.pairs();
  return std::to_string(pairs) + " pairs, " + std::to_string(narrow) + " of " + std::to_string(rows.size()) +
         " rows done";
}

}  // namespace

std::vector<Comparison> quiesce_rows(const std::vector<std::string>& mpis) {
  std::vector<Comparison> rows;
  for (const std::string& mpi : mpis) {
    rows.emplace_back(Plan{"comity", mpi, kGoalPrecision, kGoal, false});
    rows.emplace_back(Plan{"mpi_barrier_world", mpi, kPrecision, std::nullopt});
    rows.emplace_back(Plan{"mpi_barrier_shared", mpi, kPrecision, std::nullopt});
  }
  return rows;
}

Measurement read_measurement(const std::string& json_line) {
  const nlohmann::json line = nlohmann::json::parse(json_line);
  const int ranks = line.at("ranks").get<int>();
  std::vector<double> seconds, waiter_cpu_seconds;
  for (const auto& sample : line.at("samples")) {
    seconds.push_back(sample.at("seconds").get<double>());
    waiter_cpu_seconds.push_back(sample.at("waiters_cpu_seconds").get<double>() / std::max(1, ranks - 1));
  }
  return {median(seconds), median(waiter_cpu_seconds), ranks, line.at("threads").get<int>(),
          line.at("checksum").get<std::string>()};
}

Report quiesce(const Options& options) {
  const Host host = this_host();
  if (host.cores < 2) {
    throw Error(Status::unsupported,
                "bench quiesce on one core: with one rank a core nobody is left to wait; "
                "allow this process two cores or more");
  }
  const std::int64_t start_ns = now_ns();
  Program program(host.cores, options.kernel_seconds);
  program.calibrate(options.mpis.front());
  Progress progress(kName, options.time_limit);
  const Bench bench{kReference,
                    [&](const std::string& mpi, const std::string& name) { return program.measure(mpi, name); }, now_ns,
                    [&](const std::vector<Comparison>& rows) { progress.show(how_far(rows)); }};
  std::vector<Comparison> comparisons = quiesce_rows(options.mpis);
  measure_all(comparisons, bench, options.time_limit - Nanoseconds(now_ns() - start_ns));
  Report report{kName, host, {}, {{"sd", "sd", "s"}, {"CPU", "waiter_cpu_percent", "%"}}, kNote};
  for (const Comparison& comparison : comparisons) report.rows.push_back(comparison.row(kReference));
  return report;
}

}  // namespace comity::cli::bench
