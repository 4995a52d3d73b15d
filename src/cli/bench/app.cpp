// SPDX-License-Identifier: BSD-3-Clause
#include "cli/bench/app.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "cli/bench/comparison.hpp"
#include "cli/bench/launch.hpp"
#include "cli/bench/progress.hpp"
#include "os/command.hpp"

namespace comity::cli::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCase = "app";
constexpr const char* kReference = "without metrics";
constexpr int kRanks = 2;
constexpr int kSteps = 200;  // nearly half a second
constexpr Goal kGoal{1.01};
constexpr double kPrecision = 0.005;
constexpr std::chrono::seconds kPatience{120};

// Where a launch leaves its result; gone with this.
class ResultFile {
 public:
  ResultFile() : path_((fs::temp_directory_path() / "comity-bench-XXXXXX").string()) {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) {
      throw Error(Status::system, "make a file in " + fs::temp_directory_path().string() + ": " +
                                      std::system_category().message(errno) +
                                      "; set TMPDIR to a folder that can be written");
    }
    ::close(descriptor);
  }
  ~ResultFile() { ::unlink(path_.c_str()); }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] nlohmann::json read() const { return nlohmann::json::parse(std::ifstream(path_), nullptr, false); }

 private:
  std::string path_;
};

std::string program_of(const std::string& mpi) { return program_beside("twomesh-" + mpi).string(); }

std::vector<std::string> words_of(const std::string& mpi, bool with_metrics, const std::string& result) {
  std::vector<std::string> words;
  if (with_metrics) words = {program_beside("comity").string(), "run", "--metrics", "--"};
  const std::vector<std::string> start = start_words(mpi, kRanks);
  words.insert(words.end(), start.begin(), start.end());
  const std::vector<std::string> run{program_of(mpi),        "--mode", "over", "--threads", "1", "--steps",
                                     std::to_string(kSteps), "--json", result};
  words.insert(words.end(), run.begin(), run.end());
  return words;
}

Measurement measure(const std::string& mpi, bool with_metrics) {
  const ResultFile result;
  const os::CommandEnd end = os::run_command(words_of(mpi, with_metrics, result.path()), kPatience);
  const nlohmann::json found = result.read();
  if (end.exit_code != 0 || !found.is_object()) {
    throw Error(Status::system, "run " + program_of(mpi) + (with_metrics ? " under comity run --metrics" : "") +
                                    ": it failed; run it by hand. It said:\n" + end.output);
  }
  const nlohmann::json& sums = found.at("checksum");
  return {found.at("total_s").get<double>(), std::nullopt, found.at("ranks").get<int>(), found.at("threads").get<int>(),
          sums.at("fields").get<std::string>() + sums.at("cg").get<std::string>()};
}

std::vector<Comparison> comparisons(const std::vector<std::string>& mpis) {
  std::vector<Comparison> rows;
  for (const std::string& mpi : mpis) {
    if (fs::exists(program_of(mpi))) rows.emplace_back(Plan{kCase, mpi, kPrecision, kGoal});
  }
  return rows;
}

}  // namespace

std::vector<Row> app_rows(const std::vector<std::string>& mpis, Nanoseconds limit) {
  Progress progress("metrics, app", limit);
  const Bench bench{kReference,
                    [](const std::string& mpi, const std::string& name) { return measure(mpi, name == kCase); }, now_ns,
                    [&](const std::vector<Comparison>& rows) {
                      std::size_t pairs = 0;
                      for (const Comparison& row : rows) pairs += row.pairs();
                      progress.show(std::to_string(pairs) + " pairs");
                    }};
  std::vector<Comparison> pairs = comparisons(mpis);
  measure_all(pairs, bench, limit);
  std::vector<Row> rows;
  rows.reserve(pairs.size());
  for (const Comparison& one : pairs) rows.push_back(one.row(kReference));
  return rows;
}

}  // namespace comity::cli::bench
