// SPDX-License-Identifier: BSD-3-Clause
#include "context/division.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "base/error.hpp"
#include "machine/loader.hpp"

namespace comity::context {
namespace {

using machine::Image;
using machine::Machine;
using machine::ObjectType;
using Lists = std::vector<std::string>;
using Numbers = std::vector<int>;

constexpr const char* kPaper = "package:2 numa:2 core:4 pu:2";
constexpr const char* kLarge = "package:2 numa:4 core:24 pu:2";

struct Case {
  const char* machine;  // a synthetic description, or a file of tests/data/machines
  const char* whole;
  ObjectType type;
  int pieces;
  Lists expected;
};

Image image_of(const std::string& machine) {
  if (!machine.ends_with(".xml")) return machine::load_synthetic(machine);
  return machine::load_xml(std::string(COMITY_TEST_DATA "/machines/") + machine);
}

Lists lists_of(const std::vector<CpuSet>& sets) {
  Lists lists;
  for (const CpuSet& set : sets) lists.push_back(set.to_list());
  return lists;
}

Lists pieces(const Case& one) {
  const Image image = image_of(one.machine);
  return lists_of(pieces_of(Machine(image), CpuSet::parse_list(one.whole), one.type, one.pieces));
}

class PiecesOf : public ::testing::TestWithParam<Case> {};

TEST_P(PiecesOf, AreWholeObjectsInLogicalOrder) { EXPECT_EQ(pieces(GetParam()), GetParam().expected); }

INSTANTIATE_TEST_SUITE_P(
    Machines, PiecesOf,
    ::testing::Values(Case{kPaper, "0-31", ObjectType::machine, 1, {"0-31"}},
                      Case{kPaper, "0-31", ObjectType::package, 0, {"0-15", "16-31"}},
                      Case{kPaper, "0-31", ObjectType::core, 3, {"0-9", "10-19", "20-31"}},
                      Case{kPaper, "0-31", ObjectType::numa, 3, {"0-7", "8-15", "16-31"}},
                      Case{kPaper, "8-11", ObjectType::core, 0, {"8-9", "10-11"}},
                      Case{kPaper, "8-11", ObjectType::pu, 4, {"8", "9", "10", "11"}},
                      // Of cores that are partly in the set, that part.
                      Case{kPaper, "1-3,31", ObjectType::core, 0, {"1", "2-3", "31"}},
                      Case{kLarge,
                           "0-383",
                           ObjectType::core,
                           8,
                           {"0-47", "48-95", "96-143", "144-191", "192-239", "240-287", "288-335", "336-383"}},
                      Case{kLarge, "48-95", ObjectType::core, 2, {"48-71", "72-95"}},
                      // Its packages have the even and the odd CPUs.
                      Case{"e5-2670.xml", "0-15", ObjectType::core, 2, {"0,2,4,6,8,10,12,14", "1,3,5,7,9,11,13,15"}},
                      Case{"e5-2670.xml", "0-3", ObjectType::core, 4, {"0", "2", "1", "3"}},
                      // A memory of each kind, with the same CPUs.
                      Case{"knl-7250.xml", "0-271", ObjectType::numa, 0, {"0-271"}}));

Status status_of(const std::function<void()>& call, const std::string& words) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    return error.status();
  }
  return Status::ok;
}

TEST(Pieces, ThatCannotBeMadeAreTold) {
  const auto refused = [](const char* whole, ObjectType type, int count, const char* words) {
    return status_of([&] { (void)pieces({kPaper, whole, type, count, {}}); }, words);
  };
  EXPECT_EQ(refused("0-3", ObjectType::core, 3, "have parts of 2"), Status::range);
  EXPECT_EQ(refused("0-31", ObjectType::machine, 2, "have parts of 1"), Status::range);
  EXPECT_EQ(refused("0-3", ObjectType::core, -1, "-1 pieces"), Status::range);
  EXPECT_EQ(refused("", ObjectType::core, 1, "no core"), Status::range);
  EXPECT_EQ(refused("40", ObjectType::core, 1, "no core"), Status::range);
  EXPECT_EQ(refused("0-31", ObjectType::l3, 1, "no object of type l3"), Status::not_found);
}

const std::vector<CpuSet> kFour{{0, 1}, {2, 3}, {4, 5}, {6, 7}};
const std::vector<CpuSet> kTwo{{0, 1, 2, 3}, {4, 5, 6, 7}};
const CpuSet kAll{0, 1, 2, 3, 4, 5, 6, 7};

Numbers in_order(Assign how, std::size_t pieces, std::size_t members) {
  return assign(how, std::vector<CpuSet>(pieces), members, {});
}

TEST(Packed, MembersAreSideBySideAndThenInBlocks) {
  EXPECT_EQ(in_order(Assign::packed, 4, 2), (Numbers{0, 1}));
  EXPECT_EQ(in_order(Assign::packed, 3, 3), (Numbers{0, 1, 2}));
  EXPECT_EQ(in_order(Assign::packed, 2, 5), (Numbers{0, 0, 0, 1, 1}));
  EXPECT_EQ(in_order(Assign::packed, 1, 3), (Numbers{0, 0, 0}));
}

TEST(Spread, MembersAreFarApartAndThenRoundAndRound) {
  EXPECT_EQ(in_order(Assign::spread, 4, 2), (Numbers{0, 2}));
  EXPECT_EQ(in_order(Assign::spread, 8, 3), (Numbers{0, 2, 5}));
  EXPECT_EQ(in_order(Assign::spread, 3, 3), (Numbers{0, 1, 2}));
  EXPECT_EQ(in_order(Assign::spread, 2, 5), (Numbers{0, 1, 0, 1, 0}));
}

Numbers close(const std::vector<CpuSet>& pieces, const std::vector<CpuSet>& places) {
  return assign(Assign::close, pieces, places.size(), places);
}

TEST(Close, MembersStayWhereTheyAre) {
  EXPECT_EQ(close(kFour, {{6}, {4}, {3}, {0}}), (Numbers{3, 2, 1, 0}));
  EXPECT_EQ(close(kTwo, {{4, 5}, {0}, {7}, {1, 2}}), (Numbers{1, 0, 1, 0}));
  EXPECT_EQ(close(kFour, {{7}}), Numbers{3}) << "fewer members than pieces";
}

TEST(Close, WhoHasOnePlaceOnlyChoosesBeforeWhoMayRunAnywhere) {
  EXPECT_EQ(close(kTwo, {kAll, {0}}), (Numbers{1, 0}));
  EXPECT_EQ(close(kFour, {kAll, kAll, kAll, {0}}), (Numbers{1, 2, 3, 0}));
  EXPECT_EQ(close(kTwo, {{3, 4, 5}, {4}}), (Numbers{0, 1})) << "of three CPUs one is in the other piece";
}

TEST(Close, WhoFindsItsPieceFullGetsTheNextOne) {
  EXPECT_EQ(close(kFour, {{0}, {1}, {4}, {5}}), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(close(kTwo, {{4}, {4}, {4}, {0}}), (Numbers{1, 1, 0, 0}));
  EXPECT_EQ(close(kFour, {{}, {9}}), (Numbers{0, 1})) << "places outside of all pieces";
}

TEST(Assign, NumbersOfMembersDifferByOneAtMost) {
  const Image image = image_of("knl-7250.xml");
  const std::vector<CpuSet> cores = pieces_of(Machine(image), CpuSet::first(272), ObjectType::core, 0);
  ASSERT_EQ(cores.size(), 68U);
  for (const std::size_t members : {1, 67, 68, 69, 100, 272}) {
    std::vector<CpuSet> places;
    for (std::size_t i = 0; i < members; ++i)
      places.push_back(CpuSet::first(1 + i * i % 272));  // all near the first cores
    for (const Assign how : {Assign::packed, Assign::spread, Assign::close}) {
      std::vector<std::size_t> on(cores.size(), 0);
      for (const int piece : assign(how, cores, members, places)) ++on.at(static_cast<std::size_t>(piece));
      const auto [fewest, most] = std::ranges::minmax(on);
      EXPECT_LE(most - fewest, 1U) << members << " members, assignment " << static_cast<int>(how);
    }
  }
}

}  // namespace
}  // namespace comity::context
