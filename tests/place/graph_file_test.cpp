// SPDX-License-Identifier: BSD-3-Clause
#include "place/job/graph_file.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "place/hosts.hpp"

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
  const Graph graph = parse_graph("# halo of a run\nranks 4\r\n\n0 1 1500 # east\n 2\t1\n", "job.graph").graph;
  EXPECT_EQ(graph.ranks(), 4U);
  EXPECT_EQ(graph.edges(), 2U);
  EXPECT_EQ(graph.degree_weight(1), 1501);
  EXPECT_EQ(graph.degree_weight(3), 0);
}

TEST(GraphFile, MayBeginWithAByteOrderMark) {
  EXPECT_EQ(parse_graph("\xEF\xBB\xBFranks 2\n0 1\n", "g").graph.edges(), 1U);
}

TEST(GraphFile, AddsUpWhatStandsTwice) {
  const Graph graph = parse_graph("ranks 2\n0 1 3\n1 0 4\n0 1", "job.graph").graph;
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_EQ(graph.total_weight(), 8);
}

TEST(GraphFile, ReadsTheTrafficOfARecordedRun) {
  const Graph graph = parse_graph(
                          "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n"
                          "0,1,2,100,2,100,0,0,0,0\n1,0,1,0,1,50,1,7,1,3\n2,2,1,9,1,9,0,0,0,0\n3,0,1,0,0,0,0,0,0,0\n",
                          "traffic.csv")
                          .graph;
  EXPECT_EQ(graph.ranks(), 4U);
  EXPECT_EQ(graph.edges(), 1U);
  EXPECT_EQ(graph.total_weight(), 160);
}

// Such lines were left out without a word, and the ranks that only they name with them.
TEST(GraphFile, OfTrafficTellsWhatHasNoSecondRank) {
  const FileGraph read = parse_graph(
      "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n"
      "0,1,1,10,1,10,0,0,0,0\n1,-3,1,700,0,0,0,0,0,0\n4,-3,1,5,0,0,0,2,0,0\n",
      "traffic.csv");
  EXPECT_EQ(read.graph.ranks(), 5U);
  EXPECT_EQ(read.graph.total_weight(), 10);
  EXPECT_EQ(read.left_out, 707);
}

// Neither rank is told of these, and they were taken for what a rank keeps to itself.
TEST(GraphFile, OfTrafficTellsWhatHasNoRankAtAll) {
  const FileGraph read = parse_graph(
      "from,to,sends,sent_bytes,receives,received_bytes,puts,put_bytes,gets,got_bytes\n"
      "0,1,1,10,1,10,0,0,0,0\n-3,-3,1,30,1,20,0,0,0,0\n1,1,1,5,1,5,0,0,0,0\n-3,-3,1,0,1,0,0,0,0,0\n",
      "traffic.csv");
  EXPECT_EQ(read.graph.ranks(), 2U);
  EXPECT_EQ(read.graph.total_weight(), 10);
  EXPECT_EQ(read.left_out, 30);
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

// ---- lists of hosts

std::string host_refusal(const std::string& text) {
  try {
    (void)parse_hosts(text, "hosts.txt");
  } catch (const comity::Error& error) {
    return error.what();
  }
  return "";
}

TEST(Hosts, StandInWordsAndLinesOfAnyLauncher) {
  const std::vector<Host> both{{"n1", 8}, {"n2", 4}};
  EXPECT_EQ(parse_hosts("n1:8,n2:4", "text"), both);
  EXPECT_EQ(parse_hosts("# two\nn1 slots=8 max_slots=9\r\nn2 slots=4 # half\n", "text"), both);
  EXPECT_EQ(parse_hosts("n1\nn1\nn2\n", "text"), (std::vector<Host>{{"n1", 2}, {"n2"}}));
  EXPECT_EQ(parse_hosts("n2:1\nn1:3\nn2:2\n", "text"), (std::vector<Host>{{"n2", 3}, {"n1", 3}}));
  EXPECT_EQ(parse_hosts("10.77.0.1 10.77.0.2", "text").back().name, "10.77.0.2");
}

TEST(Hosts, StandInBracketsAsSlurmWritesThem) {
  const std::vector<Host> hosts = parse_hosts("n[09-11,3],gpu[1-2]-ib[0]:2", "text");
  std::string names;
  for (const Host& host : hosts) names += host.name + ' ';
  EXPECT_EQ(names, "n09 n10 n11 n3 gpu1-ib0 gpu2-ib0 ");
  EXPECT_EQ(hosts.back().slots, 2U);
}

TEST(Hosts, NumbersOfSlurmAreToldForEachNode) {
  EXPECT_EQ(parse_counts("4(x2),8", "text"), (std::vector<std::uint32_t>{4, 4, 8}));
  EXPECT_EQ(parse_counts("64", "text"), std::vector<std::uint32_t>{64});
  EXPECT_EQ(parse_counts("1(x1000000)", "text").size(), 1'000'000U);
  for (const char* text :
       {"", "4,", ",4", "0", "4(x0)", "4(x2", "4(2)", "4(x2)8", "(x2)", "-1", "4 ,4", "16777217", "1(x1000000),1"}) {
    try {
      (void)parse_counts(text, "SLURM_X");
      ADD_FAILURE() << text;
    } catch (const comity::Error& error) {
      EXPECT_EQ(error.what(),
                std::string("SLURM_X: a number for each node is written as in 4(x2),8, not \"") + text + '"');
    }
  }
}

TEST(Hosts, WithoutSenseAreRefusedByTheirLine) {
  EXPECT_EQ(host_refusal(" \n# none\n"), "hosts.txt names no host; write one a line, as in node1:8");
  EXPECT_EQ(host_refusal("n1\nn2:0"), "hosts.txt, line 2: a host has 1 to 16777216 slots, not 0");
  EXPECT_EQ(
      host_refusal("fe80::1"),
      "hosts.txt: \"fe80::1\" looks like an IPv6 address, or has slots twice; write the name of the host, as in n1:8");
  EXPECT_EQ(host_refusal("n1:x"), "hosts.txt: how many slots a host has is a number, not \"x\"");
  EXPECT_EQ(host_refusal("slots=4"), "hosts.txt: slots= stands behind the name of its host");
  EXPECT_EQ(host_refusal("n1 cpu=4"), "hosts.txt: \"cpu=\" is no setting of a host; there are slots and max_slots");
  for (const char* word : {"slots", "max_slots", "max-slots"}) {
    EXPECT_EQ(host_refusal(std::string("n1 ") + word),
              "hosts.txt: " + std::string(word) + " is a setting of a host and has a number, as in slots=8");
  }
  for (const char* text : {"n1,,n2", ",n1", "n1, ,n2"}) {
    EXPECT_EQ(host_refusal(text), "hosts.txt: a name is missing before a comma") << text;
  }
  EXPECT_EQ(host_refusal("n1,"), "hosts.txt: a name is missing behind the last comma");
  EXPECT_EQ(parse_hosts("n1, n2,\nn3", "text").size(), 3U);
  EXPECT_EQ(host_refusal(std::string(2'000'000, 'x')),
            "hosts.txt: \"" + std::string(197, 'x') + "...\" is no name of a host");
  EXPECT_EQ(host_refusal("n[1-"), "hosts.txt: \"n[1-\" has a [ without its ]");
  EXPECT_EQ(host_refusal("n[3-1]"), "hosts.txt: \"3-1\" is no range of hosts");
  EXPECT_NE(host_refusal("n[1-99999999]").find("\"1-99999999\" are more hosts than a list may have, "),
            std::string::npos);
  EXPECT_EQ(host_refusal("n;reboot"), "hosts.txt: \"n;reboot\" is no name of a host");
  EXPECT_EQ(host_refusal("-oProxyCommand"), "hosts.txt: \"-oProxyCommand\" is no name of a host");
  EXPECT_NE(host_refusal("n[0-1000000]"), "");
  EXPECT_NE(host_refusal("n[1][1][1][1][1]"), "");
}

}  // namespace
