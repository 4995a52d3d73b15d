// SPDX-License-Identifier: BSD-3-Clause
// Which memories are fast where only bandwidths tell: on synthetic machines, whose nodes have no names.
#include <gtest/gtest.h>
#include <hwloc.h>
#if HWLOC_API_VERSION >= 0x00020300
#include <hwloc/memattrs.h>
#endif

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/cpu_set.hpp"
#include "machine/hwloc_details.hpp"

namespace comity::machine {
namespace {

#if HWLOC_API_VERSION >= 0x00020300

struct Told {
  int node;
  CpuSet by;                 // PUs that see it so
  hwloc_uint64_t bandwidth;  // [MiB/s]
};

struct Case {
  std::string name;
  const char* description;
  std::vector<CpuSet> nodes;  // the PUs of each, so that it is sure which is which
  std::vector<Told> told;
  std::vector<MemoryKind> kinds;

  friend void PrintTo(const Case& made_up, std::ostream* out) { *out << made_up.description; }
};

constexpr MemoryKind kDram = MemoryKind::dram;
constexpr MemoryKind kHbm = MemoryKind::hbm;

const CpuSet kFirst{0, 1};
const CpuSet kSecond{2, 3};
const CpuSet kBoth{0, 1, 2, 3};
const std::vector<CpuSet> kTwoEach{kFirst, kFirst, kSecond, kSecond};
constexpr const char* kTwoEachText = "pack:2 [numa] [numa] core:2 pu:1";
constexpr const char* kOneEachText = "pack:2 [numa] core:2 pu:1";
constexpr const char* kOneAndOneEachText = "[numa] pack:2 [numa] core:2 pu:1";

std::vector<Case> cases() {
  return {
      {"ordinary_and_fast_memory_in_each_package",
       kTwoEachText,
       kTwoEach,
       {{0, kFirst, 100}, {1, kFirst, 200}, {2, kSecond, 100}, {3, kSecond, 200}},
       {kDram, kHbm, kDram, kHbm}},
      {"the_fast_one_may_come_first",
       kTwoEachText,
       kTwoEach,
       {{0, kFirst, 400}, {1, kFirst, 100}, {2, kSecond, 199}, {3, kSecond, 100}},
       {kHbm, kDram, kDram, kDram}},
      {"a_faster_memory_of_other_pus_is_ordinary",
       kOneEachText,
       {kFirst, kSecond},
       {{0, kFirst, 100}, {1, kSecond, 400}},
       {kDram, kDram}},
      {"each_package_is_judged_by_its_own_memories",
       kTwoEachText,
       kTwoEach,
       {{0, kFirst, 100}, {1, kFirst, 150}, {2, kSecond, 400}, {3, kSecond, 800}},
       {kDram, kDram, kDram, kHbm}},
      {"what_other_pus_see_is_not_asked",
       kTwoEachText,
       kTwoEach,
       {{0, kFirst, 100}, {1, kSecond, 900}, {1, kFirst, 150}, {2, kSecond, 100}, {3, kFirst, 50}, {3, kSecond, 200}},
       {kDram, kDram, kDram, kHbm}},
      {"what_only_other_pus_see_is_not_known",
       kTwoEachText,
       kTwoEach,
       {{0, kFirst, 100}, {1, kSecond, 900}, {2, kFirst, 10}, {3, kSecond, 900}},
       {kDram, kDram, kDram, kDram}},
      {"fast_memories_beside_one_of_all_pus",
       kOneAndOneEachText,
       {kFirst, kSecond, kBoth},
       {{0, kFirst, 200}, {1, kSecond, 199}, {2, kBoth, 100}},
       {kHbm, kDram, kDram}},
      // Firmware tells bandwidths by domain of PUs: the memory of all is seen by each of them.
      {"a_memory_of_all_pus_is_asked_for_those_that_are_shared",
       kOneAndOneEachText,
       {kFirst, kSecond, kBoth},
       {{0, kFirst, 400}, {1, kSecond, 400}, {2, kFirst, 100}, {2, kSecond, 300}},
       {kHbm, kDram, kDram}},
      {"a_fast_memory_of_all_pus_as_each_domain_sees_it",
       kOneAndOneEachText,
       {kFirst, kSecond, kBoth},
       {{0, kFirst, 400}, {1, kSecond, 500}, {2, kFirst, 800}, {2, kSecond, 800}},
       {kDram, kDram, kHbm}},
      {"a_fast_memory_of_all_pus",
       kOneAndOneEachText,
       {kFirst, kSecond, kBoth},
       {{0, kFirst, 400}, {1, kSecond, 500}, {2, kBoth, 800}},
       {kDram, kDram, kHbm}},
      {"the_largest_numbers_do_not_wrap",
       kTwoEachText,
       kTwoEach,
       {{0, kFirst, 1}, {1, kFirst, UINT64_MAX}, {2, kSecond, UINT64_MAX}, {3, kSecond, UINT64_MAX / 2 + 1}},
       {kDram, kHbm, kDram, kDram}},
      {"nothing_told", kTwoEachText, kTwoEach, {}, {kDram, kDram, kDram, kDram}},
  };
}

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;

Bitmap bitmap_of(const CpuSet& cpus) {
  Bitmap bitmap(hwloc_bitmap_alloc(), &hwloc_bitmap_free);
  cpus.for_each([&](std::size_t cpu) { hwloc_bitmap_set(bitmap.get(), static_cast<unsigned>(cpu)); });
  return bitmap;
}

class MemoryKinds : public testing::TestWithParam<Case> {
 protected:
  MemoryKinds() {
    EXPECT_EQ(hwloc_topology_init(&topology_), 0);
    EXPECT_EQ(hwloc_topology_set_synthetic(topology_, GetParam().description), 0);
    EXPECT_EQ(hwloc_topology_load(topology_), 0);
    for (const Told& told : GetParam().told) {
      const Bitmap by = bitmap_of(told.by);
      hwloc_location from{};
      from.type = HWLOC_LOCATION_TYPE_CPUSET;
      from.location.cpuset = by.get();
      EXPECT_EQ(
          hwloc_memattr_set_value(topology_, HWLOC_MEMATTR_ID_BANDWIDTH, node(told.node), &from, 0, told.bandwidth), 0);
    }
  }
  ~MemoryKinds() override { hwloc_topology_destroy(topology_); }

  [[nodiscard]] hwloc_obj_t node(int index) const {
    return hwloc_get_obj_by_type(topology_, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(index));
  }

  hwloc_topology_t topology_ = nullptr;
};

TEST_P(MemoryKinds, FollowTheBandwidthsThatTheSamePusSee) {
  ASSERT_EQ(hwloc_get_nbobjs_by_type(topology_, HWLOC_OBJ_NUMANODE), static_cast<int>(GetParam().nodes.size()));
  for (std::size_t i = 0; i < GetParam().nodes.size(); ++i) {
    const hwloc_obj_t object = node(static_cast<int>(i));
    ASSERT_NE(hwloc_bitmap_isequal(object->cpuset, bitmap_of(GetParam().nodes[i]).get()), 0) << "node " << i;
    EXPECT_EQ(memory_kind(topology_, object), GetParam().kinds[i]) << "node " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, MemoryKinds, testing::ValuesIn(cases()),
                         [](const auto& machine) { return machine.param.name; });

#else

TEST(MemoryKinds, FollowTheBandwidthsThatTheSamePusSee) {
  GTEST_SKIP() << "NOT TESTED: bandwidths are known from hwloc 2.3 on";
}

#endif

}  // namespace
}  // namespace comity::machine
