// SPDX-License-Identifier: BSD-3-Clause
// A short run of the whole benchmark: a row a case, with what belongs to it.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "bench/run.hpp"

namespace comity::cli::bench {
namespace {

// Those cases that are a call of libquo too.
const std::set<std::string> kOfLibquo{
    "push_pop_unbound", "push_pop_wide",        "push_pop_nearest", "query_counts",
    "query_counts_in",  "query_ranks",          "query_bound",      "query_cpuset",
    "query_peers",      "distribute",           "create_free",      "barrier",
    "communicator",     "query_binding_string", "query_version",    "create_free_no_mt",
    "push_unbound",     "pop_unbound",          "create",           "free"};

TEST(QuoRun, PrintsARowForEachCase) {
  std::vector<std::string> options{"--ranks", "1,2", "--time-limit", "1"};
  const char* const libquo = std::getenv("BENCH_LIBQUO");
  if (libquo != nullptr) {  // as another one beside itself too: what its rows hold is the other tests' part
    for (const char* name : {"libquo=", "original="})
      options.insert(options.end(), {"--lib", std::string(name) + libquo});
  }
  const auto found = comity::test::bench_report("quo", options);
  std::set<std::string> names;
  for (const auto& row : found["rows"]) {
    for (const char* beside : {"mpi_pools_kb", "mpi_first_calls_kb", "first_rank_own_kb"}) {
      EXPECT_EQ(row["extra"].contains(beside), row["case"] == "state") << beside << ": " << row;
    }
    if (row["ranks"] == 1) {
      if (row["case"] == "state") {
        EXPECT_NE(row["value"], 0) << "what a job of one grew by, as it is: " << row;
        // Its heap may have had room for all that a create wants: no page of its own then.
        EXPECT_TRUE(row["extra"]["first_rank_own_kb"].is_number()) << row;
      }
      continue;
    }
    names.insert(row["case"]);
    const bool has_libquo = row["extra"].contains("libquo_ns");
    EXPECT_EQ(has_libquo, libquo != nullptr && kOfLibquo.contains(row["case"])) << row;
    if (has_libquo) {
      EXPECT_GT(row["extra"]["libquo_ns"], 0) << row;
    }
    if (row["case"] != "state" && row["case"] != "state_cold") {  // a rank may add nothing to what a job of one grew by
      EXPECT_GT(row["value"], 0) << row;
    }
    if (row["case"] == "state_node") {
      EXPECT_TRUE(row["reference_value"].is_null() && row["ratio"].is_null()) << "it has none: " << row;
      EXPECT_GT(row["extra"]["segment_kb"], 1000) << row;
    } else {
      EXPECT_GT(row["reference_value"], 0) << row;
    }
    EXPECT_EQ(row["ranks"], row["case"] == "state_node" ? 192 : 2);
    if (row["case"] == "query_peers_calls") {
      EXPECT_EQ(row["value"], 2) << "a system call a rank";
      EXPECT_GT(row["extra"].value("of_threads_calls", 0.0), row["value"]) << "one a rank and one a thread: " << row;
    }
  }
  std::set<std::string> wanted{
      "create_first",      "state",       "state_cold",   "state_node",           "query_counts", "query_bound",
      "query_peers",       "distribute",  "create_free",  "create_free_beside",   "barrier",      "wake",
      "query_counts_in",   "query_ranks", "query_cpuset", "query_binding_string", "communicator", "query_version",
      "create_free_no_mt", "create",      "free"};
  if (found["machine"]["cores"] > 1)
    wanted.insert({"push_pop", "push_pop_unbound", "push_pop_wide", "push_pop_nearest", "push_unbound",
                   "pop_unbound"});  // on one core nothing moves
  if (libquo != nullptr)
    wanted.insert({"barrier_beside_original", "create_free_beside_original", "query_version_beside_original",
                   "create_free_no_mt_beside_original", "create_beside_original", "free_beside_original"});
  for (const std::string& name : wanted) EXPECT_TRUE(names.contains(name)) << name;
  if (!names.contains("query_peers_calls")) std::puts("NOT TESTED: system calls cannot be counted here (ptrace)");
  if (libquo == nullptr) std::puts("NOT TESTED: libquo beside, which was not built");
}

}  // namespace
}  // namespace comity::cli::bench
