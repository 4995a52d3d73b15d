// SPDX-License-Identifier: BSD-3-Clause
// How a look at ranks is shown: as it is, within 80 columns, and what is not in it.
#include "cli/top/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace comity::cli {
namespace {

ThreadLook thread(pid_t id, Doing doing, std::string call = {}) {
  ThreadLook look;
  look.activity = {.id = id, .own_number = id, .name = "solver", .state = 'S', .cpu = 1, .cpus = {0, 1}, .cpu_ns = 0};
  look.doing = doing;
  look.call = std::move(call);
  return look;
}

RankLook rank(int number, std::vector<ThreadLook> threads) {
  RankLook look;
  look.process = 4711 + number;
  look.phase = live::Phase::in_run;
  look.rank = number;
  look.command = "/opt/bin/solver --steps 4";
  look.memory_bytes = 1 << 20;
  look.threads = std::move(threads);
  return look;
}

Look look_at(std::vector<RankLook> ranks) {
  Look look;
  look.jobs.push_back({0xABCDEF0123456789, 8, "Open MPI v4.1.4, package: Debian", std::move(ranks)});
  return look;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) longest = std::max(longest, line.size());
  return longest;
}

TEST(TopTable, ShowsARankALine) {
  ThreadLook waiting = thread(4712, Doing::in_mpi, "MPI_Recv");
  waiting.call_s = 12.34;
  waiting.region = "step/solve";
  RankLook receiver = rank(1, {waiting});
  receiver.cpu_share = 0.987;
  EXPECT_EQ(ranks_text({}, look_at({rank(0, {thread(4711, Doing::computing)}), receiver})),
            "job abcdef01: 2 of 8 ranks; Open MPI v4.1.4; solver --steps 4\n"
            "  rank  pid   bound  on  CPU%  memory  doing      for     region\n"
            "  0     4711  0-1    1   -     1 MiB   computing\n"
            "  1     4712  0-1    1   99    1 MiB   MPI_Recv   12.3 s  step/solve\n");
}

TEST(TopTable, ARankComputesWhereAnyThreadDoesOutsideMpi) {
  EXPECT_EQ(rank(0, {thread(1, Doing::asleep), thread(2, Doing::computing)}).doing(), Doing::computing);
  EXPECT_EQ(rank(0, {thread(1, Doing::in_mpi, "MPI_Recv"), thread(2, Doing::computing)}).doing(), Doing::in_mpi);
  EXPECT_EQ(rank(0, {thread(1, Doing::asleep), thread(2, Doing::in_mpi, "MPI_Recv")}).doing(), Doing::asleep);
  EXPECT_EQ(rank(0, {thread(1, Doing::stopped), thread(2, Doing::computing)}).doing(), Doing::stopped);
}

TEST(TopTable, AStoppedRankIsToldWithItsCall) {
  const std::string text = ranks_text({}, look_at({rank(0, {thread(1, Doing::stopped, "MPI_Recv")})}));
  EXPECT_NE(text.find("stopped in MPI_Recv"), std::string::npos) << text;
}

TEST(TopTable, SaysThatARankIsBeforeOrAfterMpi) {
  RankLook early = rank(0, {thread(1, Doing::asleep)});
  early.phase = live::Phase::before_init;
  early.rank = std::nullopt;
  Look look = look_at({early});
  look.jobs.front().job = 0;
  look.jobs.front().ranks = 0;
  EXPECT_NE(ranks_text({}, look).find("(before MPI_Init)"), std::string::npos);
  const auto json = look_json(look).at("jobs").at(0);
  EXPECT_TRUE(json.at("job").is_null());
  EXPECT_TRUE(json.at("size").is_null());
  EXPECT_TRUE(json.at("ranks").at(0).at("rank").is_null());
}

TEST(TopTable, FitsInto80Columns) {
  ThreadLook wide = thread(1, Doing::in_mpi, "MPI_Neighbor_alltoallw_init");
  wide.call_s = 1e6;
  wide.region = std::string(100, 'r');
  wide.activity.cpus = {0, 2, 4, 6, 8, 10, 12, 14, 16, 100, 102, 104};
  RankLook one = rank(0, {wide});
  one.command = std::string(300, 'c');
  EXPECT_LE(longest_line(ranks_text({}, look_at({one}))), kColumns);
  EXPECT_LE(longest_line(threads_text({}, look_at({one}))), kColumns);
}

TEST(TopTable, ShowsAThreadALineAndTheMainOneMarked) {
  RankLook one = rank(0, {thread(7, Doing::asleep), thread(8, Doing::in_mpi, "MPI_Wait")});
  one.main = 1;
  one.untold_threads = 3;
  const std::string text = threads_text({}, look_at({one}));
  EXPECT_NE(text.find("  7       solver    0-1    1   -     asleep\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  8       solver *  0-1    1   -     MPI_Wait\n"), std::string::npos) << text;
  EXPECT_NE(text.find("3 threads more call MPI"), std::string::npos) << text;
}

TEST(TopTable, SaysWhatIsNotInIt) {
  Look look;
  look.unreadable.push_back({4711, "it has version 9"});
  look.refused = 2;
  const std::string text = ranks_text({}, look);
  EXPECT_NE(text.find("comity run --metrics"), std::string::npos) << text;
  EXPECT_NE(text.find("process 4711 is not shown: it has version 9"), std::string::npos) << text;
  EXPECT_NE(text.find("2 processes of yours may not be looked at"), std::string::npos) << text;
  const auto json = look_json(look);
  EXPECT_EQ(json.at("refused"), 2);
  EXPECT_EQ(json.at("unreadable").at(0).at("pid"), 4711);
}

TEST(TopTable, JsonTellsEachThread) {
  ThreadLook waiting = thread(4711, Doing::in_mpi, "MPI_Recv");
  waiting.call_s = 2.5;
  RankLook one = rank(3, {waiting, thread(4720, Doing::asleep)});
  one.cpu_share = 0.5;
  const auto told = look_json(look_at({one})).at("jobs").at(0);
  EXPECT_EQ(told.at("job"), "abcdef0123456789");
  EXPECT_EQ(told.at("size"), 8);
  const auto& json = told.at("ranks").at(0);
  EXPECT_EQ(json.at("state"), "mpi");
  EXPECT_EQ(json.at("call"), "MPI_Recv");
  EXPECT_EQ(json.at("call_s"), 2.5);
  EXPECT_EQ(json.at("cpuset"), "0-1");
  EXPECT_EQ(json.at("cpu_percent"), 50);
  EXPECT_EQ(json.at("threads").size(), 2U);
  EXPECT_EQ(json.at("threads").at(1).at("state"), "asleep");
  EXPECT_TRUE(json.at("threads").at(1).at("call").is_null());
}

}  // namespace
}  // namespace comity::cli
