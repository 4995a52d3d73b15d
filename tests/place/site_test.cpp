// SPDX-License-Identifier: BSD-3-Clause
#include "place/site.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "machine/loader.hpp"

namespace {

using namespace comity;
using namespace comity::place;

using Borders = std::vector<Place>;

TEST(Site, NodesAndPackagesAreRunsOfCores) {
  const Site site({{2, node_shape("pack:2 core:4")}});
  ASSERT_EQ(site.levels().size(), 2U);
  EXPECT_EQ(site.levels()[0].name, "node");
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 8, 16}));
  EXPECT_EQ(site.levels()[1].name, "package");
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 4, 8, 12, 16}));
  EXPECT_EQ(site.domain_of(1)[9], 2U);
}

TEST(Site, HardwareThreadsOfACoreAreOnePlace) { EXPECT_EQ(Site({{1, node_shape("pack:2 core:4 pu:2")}}).places(), 8U); }

TEST(Site, LevelsThatCutAlikeAreToldOnceAndCoarserOnesComeFirst) {
  const NodeShape shape = node_shape("pack:2 [numa] l3:2 core:2");
  ASSERT_EQ(shape.levels.size(), 2U);
  EXPECT_EQ(shape.levels[0].name, "package");
  EXPECT_EQ(shape.levels[1].name, "l3");
  EXPECT_EQ(shape.levels[1].first, (Borders{0, 2, 4, 6, 8}));
  EXPECT_EQ(node_shape("numa:4 core:2").levels.front().name, "numa");
}

TEST(Site, NodesMayBeUnequal) {
  const Site site({{1, node_shape("pack:2 core:2")}, {2, node_shape("core:3")}});
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 4, 7, 10}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 2, 4, 7, 10}));
}

TEST(Site, CoresMayBeMissing) {
  const NodeShape whole = node_shape("pack:2 core:4");
  EXPECT_EQ(without_cores(whole, {1, 6, 7}).levels.front().first, (Borders{0, 3, 5}));
  EXPECT_TRUE(without_cores(whole, {4, 5, 6, 7}).levels.empty());
  EXPECT_THROW((void)without_cores(whole, {8}), Error);
  EXPECT_THROW((void)without_cores(whole, CpuSet::first(8)), Error);
}

TEST(Site, RanksWithThreadsStayInsideADomainAsLongAsItHasRoom) {
  const Site site({{2, node_shape("pack:2 core:6")}}, 4);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 2, 4}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 1, 2, 3, 4}));
  EXPECT_EQ(site.core(0), 0U);
  EXPECT_EQ(site.core(1), 6U);
  EXPECT_EQ(site.core(2), 12U);
}

TEST(Site, RanksWiderThanADomainSpreadOverSeveral) {
  const Site site({{2, node_shape("pack:4 core:2")}}, 4);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 2, 4}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 1, 2, 3, 4}));
  EXPECT_EQ(site.core(1), 4U);
}

TEST(Site, NodesTooNarrowForARankAreLeftOut) {
  const Site site({{3, node_shape("core:2")}, {1, node_shape("core:4")}}, 3);
  EXPECT_EQ(site.places(), 1U);
  EXPECT_EQ(site.core(0), 6U);
}

TEST(Site, WithoutPlacesIsRefused) {
  EXPECT_THROW(Site(std::vector<NodeRun>{}), Error);
  EXPECT_THROW(Site({{0, node_shape("core:2")}}), Error);
  EXPECT_THROW(Site({{2, node_shape("core:2")}}, 3), Error);
  EXPECT_THROW(Site({{2, node_shape("core:2")}}, 0), Error);
  EXPECT_THROW(Site({{1U << 24, node_shape("core:2")}}), Error);
  EXPECT_THROW((void)node_shape("nonsense:2"), Error);
}

TEST(Site, OfFewerRanksIsItsFirstPlaces) {
  const Site site = Site({{2, node_shape("pack:2 core:4")}}).first(10);
  EXPECT_EQ(site.levels()[0].first, (Borders{0, 8, 10}));
  EXPECT_EQ(site.levels()[1].first, (Borders{0, 4, 8, 10}));
  EXPECT_EQ(site.core(9), 9U);
  EXPECT_EQ(Site({{2, node_shape("pack:2 core:4")}}).first(8).nodes(), 1U);
}

TEST(Site, OfRecordedMachinesHoldsAllTheirCores) {
  for (const char* name : {"gpu-node", "knl-7250", "hybrid", "forbidden"}) {
    const machine::Image image = machine::load_xml(std::string(COMITY_TEST_DATA "/machines/") + name + ".xml");
    const machine::Machine machine(image);
    const NodeShape shape = node_shape(machine);
    EXPECT_EQ(shape.cores, static_cast<std::uint32_t>(machine.count(machine::ObjectType::core))) << name;
    EXPECT_EQ(Site({{3, shape}}).places(), 3 * shape.cores) << name;
  }
}

TEST(Site, CoresAreSeatedWhereTheMachineHasThem) {
  const NodeShape shape = node_shape("pack:2 [numa] core:2 pu:2");
  const CoreSeat seat = shape.seat(3);
  EXPECT_EQ(seat.number, 3U);
  EXPECT_EQ(seat.package, 1U);
  EXPECT_EQ(seat.in_package, 1U);
  EXPECT_EQ(seat.cpus, (CpuSet{6, 7}));
  EXPECT_EQ(seat.numa, 1);
  const CoreSeat behind_a_gap = without_cores(shape, {2}).seat(2);
  EXPECT_EQ(behind_a_gap.number, 2U);
  EXPECT_EQ(behind_a_gap.in_package, 1U);
  EXPECT_EQ(behind_a_gap.cpus, (CpuSet{6, 7}));
}

TEST(Site, SpreadRanksHaveCoresOfEachPackageAndNothingPartsThem) {
  const NodeShape shape = spread(node_shape("pack:2 l3:2 core:2"), 4);
  EXPECT_TRUE(shape.levels.empty());
  std::vector<std::uint32_t> numbers;
  for (const CoreSeat& seat : shape.seats) numbers.push_back(seat.number);
  EXPECT_EQ(numbers, (std::vector<std::uint32_t>{0, 1, 4, 5, 2, 3, 6, 7}));
  EXPECT_EQ(spread(node_shape("pack:2 core:3"), 4).cores, 4U);
  EXPECT_THROW((void)spread(node_shape("pack:2 core:4"), 3), Error);
  EXPECT_EQ(spread(node_shape("core:4"), 3).cores, 4U);
}

}  // namespace
