// SPDX-License-Identifier: BSD-3-Clause
// Runs over their numbers of ranks, in the forms of the dissertation's tables 4.4, 4.5 and 5.3 to 5.5.
#include "memory/job/by_count.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "memory/job/mpimemu.hpp"

namespace comity::memory {
namespace {

constexpr double kMiB = 1 << 20;

Spread spread(double mean_mib, double deviation_mib = 0) {
  return {.mean = mean_mib * kMiB, .deviation = deviation_mib * kMiB};
}

RunFigures run(const std::string& name, const std::string& mpi, std::size_t ranks, double with_mpi_mib) {
  RunFigures one;
  one.name = name;
  one.mpi_library = mpi;
  one.ranks = ranks;
  one.nodes = 1;
  one.owners_known = true;
  one.mpi = spread(with_mpi_mib / 2);
  one.with_mpi = spread(with_mpi_mib, 0.25);
  one.application = spread(1);
  one.total = spread(with_mpi_mib + 3);
  one.node_with_mpi = static_cast<double>(ranks) * with_mpi_mib * kMiB;
  one.node_total = static_cast<double>(ranks) * (with_mpi_mib + 2) * kMiB;
  return one;
}

const CountLine& line_of(const CountBlock& block, const std::string& key) {
  static const CountLine kNone;
  for (const CountLine& line : block.lines) {
    if (line.key == key) return line;
  }
  ADD_FAILURE() << "no line " << key;
  return kNone;
}

double mib_at(const CountBlock& block, const std::string& key, std::size_t column) {
  const CountLine& line = line_of(block, key);
  if (column >= line.cells.size() || !line.cells[column]) return std::nan("");
  return line.cells[column]->mean / kMiB;
}

TEST(ByCount, EachProgramAndMpiHasABlockAndEachNumberOfRanksAColumn) {
  const CountTable table = over_ranks(
      {run("trivial/np8", "Open MPI v4.1.4, package: x", 8, 2), run("trivial/np1", "Open MPI v4.1.4, package: y", 1, 4),
       run("trivial/m1", "MPICH Version: 4.0.2", 1, 6), run("lulesh/np1", "MPICH Version: 4.0.2", 1, 7)});
  ASSERT_EQ(table.blocks.size(), 3U);
  EXPECT_EQ(table.blocks[0].series, "trivial");
  EXPECT_EQ(table.blocks[0].mpi_library, "Open MPI v4.1.4");
  EXPECT_EQ(table.blocks[0].counts, (std::vector<double>{1, 8}));
  EXPECT_EQ(mib_at(table.blocks[0], "with_mpi", 0), 4);
  EXPECT_EQ(mib_at(table.blocks[0], "with_mpi", 1), 2);
  EXPECT_EQ(mib_at(table.blocks[0], "end", 1), 4);
  EXPECT_EQ(table.blocks[2].series, "lulesh");
  EXPECT_TRUE(
      text_of(table).starts_with("MiB at the peak of a rank, mean +- standard deviation, over numbers of ranks\n"
                                 "  trivial, Open MPI v4.1.4            ranks:                 1                 8\n"
                                 "    mpi                                           2.00 +- 0.00      1.00 +- 0.00\n"
                                 "    mpi with what it brings                       4.00 +- 0.25      2.00 +- 0.25\n"
                                 "    application                                   1.00 +- 0.00      1.00 +- 0.00\n"
                                 "    total, resident                               7.00 +- 0.00      5.00 +- 0.00\n"
                                 "    all at the end, shared once                           6.00              4.00\n"))
      << text_of(table);
}

// As if all their ranks were one job's: of 2 and 4 with a deviation of 0 the deviation is 1.
TEST(ByCount, RepeatsCountAsOneRun) {
  std::vector<RunFigures> runs{run("np2.1", "M", 2, 2), run("np2.2", "M", 2, 4)};
  for (RunFigures& one : runs) one.with_mpi.deviation = 0;
  const CountTable table = over_ranks(runs);
  const CountLine& line = line_of(table.blocks.at(0), "with_mpi");
  ASSERT_EQ(line.cells.size(), 1U);
  EXPECT_EQ(line.cells[0]->mean, 3 * kMiB);
  EXPECT_EQ(line.cells[0]->deviation, kMiB);
}

TEST(ByCount, WhatARunDoesNotKnowIsNoFigureOfIt) {
  RunFigures unknown = run("np1", "M", 1, 2);
  unknown.owners_known = false;
  unknown.node_total = 0;
  const CountTable table = over_ranks({unknown});
  ASSERT_EQ(table.blocks.at(0).lines.size(), 1U);
  EXPECT_EQ(table.blocks[0].lines[0].key, "total");
  const CountTable both = over_ranks({unknown, run("np2", "M", 2, 2)});
  EXPECT_NE(text_of(both).find("    mpi with what it brings                                  -      2.00 +- 0.25\n"),
            std::string::npos)
      << text_of(both);
}

// Table 5.3: what a rank of the bench has more than one of the trivial program under the same MPI and with as many ranks.
TEST(ByCount, AgainstOtherRunsTheDifferenceIsTold) {
  const std::vector<RunFigures> trivial{run("trivial/np1", "Open MPI v4.1.4", 1, 7.6),
                                        run("trivial/np8", "Open MPI v4.1.4", 8, 6.5),
                                        run("trivial/m1", "MPICH Version: 4.0.2", 1, 2.2)};
  const std::vector<RunFigures> bench{run("bench/np8", "Open MPI v4.1.4", 8, 6.54),
                                      run("bench/m1", "MPICH Version: 4.0.2", 1, 2.2),
                                      run("bench/np27", "Open MPI v4.1.4", 27, 9)};
  const CountTable table = over_ranks_against(bench, trivial, "trivial");
  EXPECT_NEAR(mib_at(table.blocks.at(0), "with_mpi", 0), 0.04, 1e-9);
  EXPECT_TRUE(std::isnan(mib_at(table.blocks[0], "with_mpi", 1))) << "the trivial program has not been run with 27";
  EXPECT_EQ(mib_at(table.blocks.at(1), "with_mpi", 0), 0);
  EXPECT_NE(text_of(table).find("    mpi with what it brings                              +0.04                 -\n"),
            std::string::npos)
      << text_of(table);
  EXPECT_NE(rows_of(table).find("\"bench\",\"Open MPI v4.1.4\",8,with_mpi,41943,\n"), std::string::npos)
      << rows_of(table);
  EXPECT_THROW((void)over_ranks_against(bench, {run("a/np2", "MPICH Version: 4.0.2", 2, 1)}, "a"), Error);
}

// Table 5.5, 174.83 - 24.62 = 150.21; table 5.4 is its last column.
TEST(ByCount, ANodeThatIsFullHasSoMuchMore) {
  const CountTable table =
      over_ranks_a_node({run("np4", "Cray MPICH", 4, 24.62 / 4), run("np32", "Cray MPICH", 32, 174.83 / 32)});
  const CountBlock& block = table.blocks.at(0);
  EXPECT_EQ(table.count, "ranks_a_node");
  EXPECT_NEAR(mib_at(block, "with_mpi", 1), 5.463, 1e-3);
  EXPECT_NEAR(mib_at(block, "node_with_mpi", 0), 24.62, 1e-9);
  EXPECT_NEAR(mib_at(block, "node_with_mpi_more", 0), 150.21, 1e-9);
  EXPECT_NEAR(mib_at(block, "node_with_mpi_more", 1), 0, 1e-9);
  EXPECT_NE(text_of(table).find("ranks a node:                 4                32\n"
                                "    a rank, mpi with what it brings               6.16 +- 0.25      5.46 +- 0.25\n"
                                "    a node                                               24.62            174.83\n"
                                "      more with 32                                     +150.21             +0.00\n"),
            std::string::npos)
      << text_of(table);
}

TEST(ByCount, ByAnOlderRuleANodeHasWhatARankHasTimesTheRanks) {
  std::vector<RunFigures> runs{run("np4", "Cray MPICH", 4, 1), run("np32", "Cray MPICH", 64, 1)};
  runs[1].nodes = 2;
  for (RunFigures& one : runs) {
    one.owners_known = false;
    one.delta_method = "delta-pss";
  }
  runs[0].delta = spread(24.62 / 4);
  runs[1].delta = spread(174.83 / 32);
  const CountBlock block = over_ranks_a_node(runs).blocks.at(0);
  EXPECT_EQ(block.counts, (std::vector<double>{4, 32}));
  EXPECT_EQ(block.delta_method, "delta-pss");
  EXPECT_NEAR(mib_at(block, "node_delta_more", 0), 150.21, 1e-9);
  EXPECT_EQ(block.lines.front().name, "a rank, mpi by delta-pss");
}

TEST(ByCount, JsonAndRowsHaveAllOfIt) {
  const CountTable table = over_ranks({run("t\"x/np1", "M", 1, 2), run("t\"x/np3", "M", 3, 2)});
  const auto json = json_of(table);
  EXPECT_EQ(json["blocks"][0]["ranks"], nlohmann::ordered_json({1, 3}));
  EXPECT_EQ(json["blocks"][0]["with_mpi"]["sd_bytes"][1], 0.25 * kMiB);
  EXPECT_TRUE(json["blocks"][0]["end"]["sd_bytes"][0].is_null());
  EXPECT_TRUE(json["blocks"][0]["delta_method"].is_null());
  const std::string rows = rows_of(table);
  EXPECT_EQ(rows.substr(0, rows.find('\n')), "series,mpi_library,ranks,figure,mean_bytes,sd_bytes");
  EXPECT_NE(rows.find("\n\"t\"\"x\",\"M\",3,with_mpi,2097152,262144\n"), std::string::npos) << rows;
  EXPECT_NE(rows.find("\n\"t\"\"x\",\"M\",3,end,4194304,\n"), std::string::npos) << rows;
}

// What mpimemu prints, shortened.
std::string of_mpimemu(const char* rss = "10500, 11700, 11100.00") {
  return std::string(
             "a launcher's line\n###\n### mpimemu: 1.4.2-alpha\n### date-time: 20170301-101112\n### mpi version: 3.1\n"
             "### numpe: 8\n### num nodes: 2\n### ppn: 4\n### communication workload enabled: yes\n"
             "### samples/second: 10\n### sampling duration (seconds): 10\n###\n"
             "### item name, min (kB), max (kB), average (kB)\n"
             "Pre-Init VmRSS, 3300, 3500, 3400.00\nPost-Init VmHWM, 11000, 13000, 12000.00\nPost-Init VmRSS, ") +
         rss + "\n";
}

TEST(Mpimemu, WhatMpiInitChangedIsMpis) {
  EXPECT_TRUE(is_of_mpimemu(of_mpimemu()));
  EXPECT_FALSE(is_of_mpimemu("### date-time: 1\n"));
  const RunFigures run = figures_of_mpimemu(of_mpimemu(), "8");
  EXPECT_EQ(run.ranks, 8U);
  EXPECT_EQ(run.nodes, 2U);
  EXPECT_EQ(run.delta_method, "mpimemu");
  EXPECT_EQ(run.delta.mean, 7700.0 * 1024);
  EXPECT_EQ(run.total.most, 13000.0 * 1024);
  EXPECT_FALSE(run.owners_known);
  EXPECT_NE(
      text_of(std::vector<RunFigures>{run}).find("8: MPI's by mpimemu, what MPI_Init changed all by: 7.52 +- ?\n"),
      std::string::npos)
      << text_of(std::vector<RunFigures>{run});
  EXPECT_TRUE(rows_of(std::vector<RunFigures>{run}).ends_with(",\"mpimemu\",7884800,\n"));
  const CountTable table = over_ranks_a_node({run});
  EXPECT_NEAR(mib_at(table.blocks.at(0), "node_delta", 0), 4 * 7700.0 / 1024, 1e-9);
}

TEST(Mpimemu, WhatMakesNoSenseIsNamedWithItsLine) {
  const auto why = [](const std::string& text) -> std::string {
    try {
      (void)figures_of_mpimemu(text, "x");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why(of_mpimemu("many, 1, 2")), "line 16: \"Post-Init VmRSS\" is no number that can be: \"many\"");
  EXPECT_EQ(why(of_mpimemu("1, 2")), "line 16: an item has a name and three numbers");
  EXPECT_EQ(why("### mpimemu: 1\n### numpe: 2\n"), "line 2: nowhere does it say its \"num nodes\"");
  EXPECT_EQ(why("### mpimemu: 1\n### numpe: 2\n### num nodes: 1\n"), "line 3: it ends without \"Post-Init VmHWM\"");
}

}  // namespace
}  // namespace comity::memory
