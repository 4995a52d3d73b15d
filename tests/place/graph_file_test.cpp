// SPDX-License-Identifier: BSD-3-Clause
#include "place/graph_file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace {

using namespace comity::place;

std::string refusal(const std::string& text) {
  try {
    (void)parse_graph(text, "job.graph");
  } catch (const comity::Error& error) {
    return error.what();
  }
  return "";
}

TEST(GraphFile, HoldsRanksAndWhatTheyExchange) {
  const Graph graph = parse_graph("# halo of a run\nranks 4\r\n\n0 1 1500 # east\n 2\t1\n", "job.graph");
  EXPECT_EQ(graph.ranks(), 4U);
  EXPECT_EQ(graph.edges(), 2U);
  EXPECT_EQ(graph.degree_weight(1), 1501);
  EXPECT_EQ(graph.degree_weight(3), 0);
}

TEST(GraphFile, AddsUpWhatStandsTwice) {
  const Graph graph = parse_graph("ranks 2\n0 1 3\n1 0 4\n0 1", "job.graph");
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_EQ(graph.total_weight(), 8);
}

TEST(GraphFile, ReadsTheTrafficOfARecordedRun) {
  const Graph graph = parse_graph(
      "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n"
      "0,1,2,100,2,100,0,0,0,0\n1,0,1,0,1,50,1,7,1,3\n2,2,1,9,1,9,0,0,0,0\n3,0,1,0,0,0,0,0,0,0\n",
      "traffic.csv");
  EXPECT_EQ(graph.ranks(), 4U);
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_EQ(graph.total_weight(), 160);
}

TEST(GraphFile, WithoutSenseIsRefusedByLine) {
  EXPECT_EQ(refusal(""), "job.graph: the line \"ranks N\" is missing; it comes before the edges");
  EXPECT_EQ(refusal("0 1\nranks 2\n"), "job.graph, line 1: an edge before the line \"ranks N\"; write that first");
  EXPECT_EQ(refusal("ranks 0\n"),
            "job.graph, line 1: how many ranks there are is a number from 1 to 16777216, not \"0\"");
  EXPECT_EQ(refusal("ranks 2\n\n0 2\n"), "job.graph, line 3: a rank of this graph is a number from 0 to 1, not \"2\"");
  EXPECT_EQ(refusal("ranks 2\n1 1\n"), "job.graph, line 2: rank 1 exchanges with itself; leave the line out");
  EXPECT_EQ(refusal("ranks 2\nranks 3\n"), "job.graph, line 2: a second line \"ranks N\"; one says how many there are");
  EXPECT_NE(refusal("ranks 2\n0 1 0\n").find("a weight is a number from 1"), std::string::npos);
  EXPECT_NE(refusal("ranks 2\n0 1 1.5\n").find("not \"1.5\""), std::string::npos);
  EXPECT_NE(refusal("ranks 2\n0\n").find("this line has 1 word"), std::string::npos);
  EXPECT_NE(refusal("ranks 2\n0 1 1152921504606846976\n0 1\n").find("line 3: all weights together"), std::string::npos);
  EXPECT_NE(refusal("from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n1,2\n")
                .find("line 2: a line of messages has 10 columns, not 2"),
            std::string::npos);
}

}  // namespace
