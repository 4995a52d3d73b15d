// SPDX-License-Identifier: BSD-3-Clause
// A short run of `comity bench` as a user makes one, and its report. The MPI stands in BENCH_MPI, so that one program serves the
// entries of all.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "os/process/command.hpp"

namespace comity::test {

inline std::string bench_mpi() {
  const char* const mpi = std::getenv("BENCH_MPI");
  if (mpi == nullptr) throw std::runtime_error("BENCH_MPI is not set: openmpi or mpich");
  return mpi;
}

// `setting`: of the environment, NAME=VALUE; "": none.
inline os::CommandEnd run_bench(const std::string& name, const std::vector<std::string>& options,
                                const std::string& setting = "") {
  std::vector<std::string> words;
  if (!setting.empty()) words = {"env", setting};
  words.insert(words.end(), {BENCH_COMMAND, "bench", name, "--json", "--mpi", bench_mpi()});
  words.insert(words.end(), options.begin(), options.end());
  return os::run_command(words, std::chrono::seconds(50));
}

// What it reports; a run that fails, or reports nothing, fails the test and is an empty object.
inline nlohmann::json bench_report(const std::string& name, const std::vector<std::string>& options,
                                   const std::string& setting = "") {
  const os::CommandEnd end = run_bench(name, options, setting);
  EXPECT_EQ(end.exit_code, 0) << end.output;
  const std::size_t start = end.output.find("{\n");
  nlohmann::json report =
      start == std::string::npos ? nlohmann::json() : nlohmann::json::parse(end.output.substr(start), nullptr, false);
  EXPECT_TRUE(report.is_object()) << end.output;
  return report.is_object() ? report : nlohmann::json::object();
}

inline std::map<std::string, nlohmann::json> rows_by_case(const nlohmann::json& report) {
  std::map<std::string, nlohmann::json> rows;
  for (const nlohmann::json& row : report.value("rows", nlohmann::json::array())) rows[row["case"]] = row;
  return rows;
}

}  // namespace comity::test
