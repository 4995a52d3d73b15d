// SPDX-License-Identifier: BSD-3-Clause
// Which divisions are kept to work on, and from which of them it is begun.
#include "place/candidates.hpp"

#include <gtest/gtest.h>

namespace {

using namespace comity::place;

// A chain of three ranks, and three more that all exchange with one another.
const Graph& chain_and_ring() {
  static const Graph graph(6, std::vector<Edge>{{0, 1, 3}, {1, 2, 3}, {3, 4, 2}, {4, 5, 2}, {3, 5, 3}});
  return graph;
}

const std::vector<Domain> kTogether(6, 0);                 // nothing crosses
const std::vector<Domain> kChainParted{0, 1, 2, 0, 0, 0};  // sum 6, worst 6
const std::vector<Domain> kRingParted{0, 0, 0, 0, 1, 2};   // sum 7, worst 5
const std::vector<Domain> kRingParted2{1, 1, 1, 1, 2, 0};  // as much, with the nodes in another order
const std::vector<Domain> kBothParted{0, 1, 2, 0, 1, 2};   // sum 13, worst 10

Candidates candidates(Aim aim, std::size_t most, Candidates::Keep keep = Candidates::Keep::of_both_aims) {
  return {chain_and_ring(), 3, {aim}, most, keep};
}

std::vector<std::string> names_of(const std::vector<Division>& divisions) {
  std::vector<std::string> names;
  for (const Division& division : divisions) names.push_back(division.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(Candidates, AreTheBestByTheObjectiveAndByEachAim) {
  for (const Aim aim : {Aim::worst, Aim::sum}) {
    Candidates kept = candidates(aim, 2);
    kept.consider("both", kBothParted);
    kept.consider("ring", kRingParted);
    kept.consider("chain", kChainParted);
    EXPECT_EQ(names_of(kept.best()), aim == Aim::worst ? (Names{"ring", "chain"}) : (Names{"chain", "ring"}));
    EXPECT_EQ(names_of(kept.best_by(Wanted::least_worst)), (Names{"ring", "chain"}));
    EXPECT_EQ(names_of(kept.best_by(Wanted::least_sum)), (Names{"chain", "ring"}));
    EXPECT_EQ(kept.best_by(Wanted::least_sum).front().cut, (Crossing{6, 6}));
    EXPECT_EQ(kept.best_by(Wanted::least_worst).front().cut, (Crossing{7, 5}));
  }
}

TEST(Candidates, AreNoMoreThanToldAndTheLastOnesGo) {
  Candidates kept = candidates(Aim::sum, 2, Candidates::Keep::asked);
  kept.consider("both", kBothParted);
  kept.consider("ring", kRingParted);
  EXPECT_EQ(names_of(kept.best()), (Names{"ring", "both"}));
  kept.consider("chain", kChainParted);
  EXPECT_EQ(names_of(kept.best()), (Names{"chain", "ring"}));
  kept.consider("both again", kBothParted);
  EXPECT_EQ(names_of(kept.best()), (Names{"chain", "ring"}));
}

TEST(Candidates, StandBehindThoseThatAreAsGood) {
  Candidates kept = candidates(Aim::worst, 2);
  kept.consider("ring", kRingParted);
  kept.consider("another", kRingParted2);
  EXPECT_EQ(names_of(kept.best()), (Names{"ring", "another"}));
  kept.consider("third", {2, 2, 2, 2, 0, 1});  // for which there is no place
  EXPECT_EQ(names_of(kept.best()), (Names{"ring", "another"}));
}

TEST(Candidates, AreKeptOnce) {
  Candidates kept = candidates(Aim::worst, 3);
  kept.consider("ring", kRingParted);
  kept.consider("another", kRingParted2);
  kept.consider("ring again", kRingParted);
  EXPECT_EQ(names_of(kept.best()), (Names{"ring", "another"}));
  EXPECT_EQ(names_of(kept.best_by(Wanted::least_sum)), (Names{"ring", "another"}));
}

TEST(Candidates, AreBegunFromTheBestByEachAim) {
  Candidates kept = candidates(Aim::sum, 3);
  kept.consider("chain", kChainParted);
  EXPECT_EQ(names_of(kept.to_begin_from()), Names{"chain"});
  kept.consider("chain again", kChainParted);
  EXPECT_EQ(names_of(kept.to_begin_from()), Names{"chain"});
  kept.consider("ring", kRingParted);
  EXPECT_EQ(names_of(kept.to_begin_from()), (Names{"ring", "chain"}));
}

TEST(Candidates, AreBegunFromTheNextWhereOneIsTheBestByBoth) {
  Candidates kept = candidates(Aim::worst, 3);
  kept.consider("ring", kRingParted);
  kept.consider("together", kTogether);
  EXPECT_EQ(names_of(kept.to_begin_from()), (Names{"together", "ring"}));
  kept.consider("chain", kChainParted);
  EXPECT_EQ(names_of(kept.to_begin_from()), (Names{"together", "chain"}));
}

}  // namespace
