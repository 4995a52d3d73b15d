// SPDX-License-Identifier: BSD-3-Clause
// Ranks that were told differently: an error of all, and nobody waits for ever.
#include <gtest/gtest.h>

#include <array>

#include "fork_bootstrap.hpp"
#include "node_fixture.hpp"

namespace comity::testing {
namespace {

constexpr std::array kWays{"auto", "proc", "socket", "file", "none"};

// On every rank, with every one of the parts in its sentence; the next attach works.
void expect_told_apart(ForkBootstrap& job, const node::AttachOptions& options, Status status,
                       const std::vector<std::string>& parts) {
  std::string words;
  EXPECT_EQ(status_of([&] { static_cast<void>(attach(job, options)); }, &words), status);
  for (const std::string& part : parts) EXPECT_NE(words.find(part), std::string::npos) << part << " in: " << words;
  EXPECT_EQ(attach(job)->participants(), job.candidate_size());
}

class WaysOfTwoRanks : public ::testing::TestWithParam<std::tuple<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Pairs, WaysOfTwoRanks,
                         ::testing::Combine(::testing::ValuesIn(kWays), ::testing::ValuesIn(kWays)),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param)) + "_" + std::get<1>(one.param);
                         });

TEST_P(WaysOfTwoRanks, AreTheSameOrAnErrorThatNamesBoth) {
  const auto& [first, second] = GetParam();
  const bool same = std::string(first) == second;
  const auto ends = run_ranks(2, [&, one = first, other = second](ForkBootstrap& job) {
    const node::AttachOptions options{.handover = job.job_rank() == 0 ? one : other};
    if (same) return static_cast<void>(attach(job, options));
    expect_told_apart(job, options, Status::option,
                      {std::string(one) + " on rank 0 ", std::string(other) + " on rank 1;"});
  });
  EXPECT_TRUE(all_good(ends));
}

// They are two nodes, and make their collective calls together.
TEST(WaysOfTwoKernels, BehindOneSharedSplitAreTheSameOrAnError) {
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const int kernel = job.job_rank() / 2;
    expect_told_apart(job, {.handover = kernel == 0 ? "auto" : "file", .boot_id = "kernel " + std::to_string(kernel)},
                      Status::option, {"auto on rank 0 ", "file on rank 2;"});
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(WaysOfTwoHosts, MayDiffer) {
  const auto ends = run_ranks(4,
                              [](ForkBootstrap& job) {
                                const node::AttachOptions options{.handover = job.job_rank() < 2 ? "proc" : "file"};
                                EXPECT_EQ(attach(job, options)->participants(), 2);
                              },
                              {.host = {0, 0, 1, 1}});
  EXPECT_TRUE(all_good(ends));
}

void expect_sources_told_apart(const std::vector<std::string>& sources, const std::vector<std::string>& parts) {
  const auto ends = run_ranks(static_cast<int>(sources.size()), [&](ForkBootstrap& job) {
    const auto me = static_cast<std::size_t>(job.job_rank());
    expect_told_apart(job, {.payload_source = sources[me]}, Status::topology, parts);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SourcesOfThePayload, ThatDifferAreAnErrorThatNamesTwoRanksAndTheirs) {
  expect_sources_told_apart({"", "", "FILE=/b"}, {"rank 0 by nothing", "rank 2 by FILE=/b"});
  expect_sources_told_apart({"FILE=/a", ""}, {"rank 0 by FILE=/a", "rank 1 by nothing"});
  expect_sources_told_apart({"FILE=/a", "FILE=/b", "FILE=/c"}, {"rank 0 by FILE=/a", "rank 1 by FILE=/b"});
}

TEST(SourcesOfThePayload, AreToldApartWhereverTheyDifferAndShownByTheirEnds) {
  const std::string folders(300, '/');
  expect_sources_told_apart({"FILE=" + folders + "a", "FILE=" + folders + "b"},
                            {"rank 0 by FILE=//", "../", "/a, ", "/b; "});
  expect_sources_told_apart({folders + "a" + folders, folders + "b" + folders}, {"rank 0 by ///", "rank 1 by ///"});
}

TEST(SourcesOfThePayload, OfTwoKernelsAndOfRanksThatAreNodesOfTheirOwnMayDiffer) {
  const auto ends = run_ranks(4, [](ForkBootstrap& job) {
    const std::string mine = std::to_string(job.job_rank());
    EXPECT_EQ(attach(job, {.handover = "none", .payload_source = mine})->participants(), 1);
    const std::string kernel = std::to_string(job.job_rank() / 2);
    EXPECT_EQ(attach(job, {.payload_source = kernel, .boot_id = kernel})->participants(), 2);
  });
  EXPECT_TRUE(all_good(ends));
}

}  // namespace
}  // namespace comity::testing
