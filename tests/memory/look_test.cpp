// SPDX-License-Identifier: BSD-3-Clause
// What is told of a program that grows by known amounts: which component has them, within 1 % or 64 KiB, and that the sum
// is the kernel's.
#include "memory/look.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "memory/grower.hpp"
#include "memory/huge_pages.hpp"

namespace comity::memory {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMargin = 64 << 10;

std::int64_t signed_bytes(std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); }

Components rules() {
  Components components;
  EXPECT_FALSE(components.add("grown = libtest_memory_grown.so"));
  return components;
}

// Looks before and behind a step.
class Growth {
 public:
  explicit Growth(const char* program = TEST_GROWER)
      : components_(rules()), grower_(program), looker_(grower_.process(), components_) {
    EXPECT_TRUE(grower_.ready());
  }

  // False: the machine refuses.
  bool grow(const std::string& name, unsigned mib) {
    before_ = look();
    answer_ = grower_.step(name, mib);
    after_ = look();
    return answer_ == "done";
  }

  [[nodiscard]] const std::string& answer() const { return answer_; }
  [[nodiscard]] const Attribution& after() const { return after_; }
  [[nodiscard]] const Components& components() const { return components_; }

  [[nodiscard]] std::int64_t of(Component component, std::uint64_t os::PageUse::*field = &os::PageUse::rss) const {
    return signed_bytes(after_.of(component).use.*field) - signed_bytes(before_.of(component).use.*field);
  }

  // All that grew but this component, of what others do not map too: code that runs for the first time becomes resident.
  [[nodiscard]] std::int64_t elsewhere(Component component) const {
    std::int64_t sum = 0;
    for (std::size_t id = 0; id < kMostComponents; ++id) {
      const auto each = static_cast<Component>(id);
      if (each == component) continue;
      sum += signed_bytes(after_.of(each).use.uss()) - signed_bytes(before_.of(each).use.uss());
    }
    return sum;
  }

  [[nodiscard]] const SegmentUse* segment(std::string_view start) const {
    const auto found = std::find_if(after_.segments.begin(), after_.segments.end(),
                                    [&](const SegmentUse& each) { return each.name.starts_with(start); });
    return found == after_.segments.end() ? nullptr : &*found;
  }

 private:
  Attribution look() {
    auto told = looker_.attribution();
    EXPECT_TRUE(told);
    if (!told) std::abort();
    EXPECT_LE(std::abs(told->rss_residual()), signed_bytes(told->total.rss / 100));
    return *told;
  }

  Components components_;
  Grower grower_;
  Looker looker_;
  std::string answer_;
  Attribution before_;
  Attribution after_;
};

void expect_about(std::int64_t bytes, std::int64_t expected, std::int64_t margin) {
  EXPECT_LE(std::abs(bytes - expected), margin) << bytes << " bytes, expected " << expected;
}

void expect_growth(const std::string& step, unsigned mib, Component component) {
  Growth growth;
  SCOPED_TRACE(step);
  ASSERT_TRUE(growth.grow(step, mib)) << step << ": " << growth.answer();
  expect_about(growth.of(component), mib * kMiB, std::max(kMargin, mib * kMiB / 100));
  expect_about(growth.elsewhere(component), 0, 2 * kMargin);
}

TEST(Look, PrivateMappingsAreAnonymous) { expect_growth("private", 16, Component::anonymous); }
TEST(Look, WhatThePopulateFlagBroughtIsCounted) { expect_growth("populated", 8, Component::anonymous); }
TEST(Look, BlocksOfMallocAreTheHeap) { expect_growth("heap", 8, Component::heap); }
TEST(Look, BlocksOfMallocInAThreadAreTheHeapToo) { expect_growth("arena", 8, Component::heap); }
TEST(Look, TheMainStackIsAStack) { expect_growth("stack", 4, Component::stack); }
TEST(Look, AThreadsStackIsAStack) { expect_growth("thread_stack", 8, Component::stack); }
TEST(Look, AMappedFileIsAFile) { expect_growth("file", 8, Component::file); }
TEST(Look, ASegmentOfUnknownMakerIsShared) { expect_growth("memfd", 8, Component::shared); }
TEST(Look, ASegmentWithoutAFileIsShared) { expect_growth("sysv", 8, Component::shared); }
TEST(Look, ASegmentThatMpiNamedIsMpis) { expect_growth("named", 8, Component::mpi); }
TEST(Look, WhatTheProgramHasWithoutAFileIsItsOwn) { expect_growth("bss", 4, Component::application); }

// So much that others, who map and leave the same libraries meanwhile, cannot make a percent of it.
TEST(Look, TheSumOfSharesIsTheKernels) {
  Growth growth;
  ASSERT_TRUE(growth.grow("private", 200)) << growth.answer();
  EXPECT_LE(std::abs(growth.after().pss_residual()), signed_bytes(growth.after().total.pss / 100));
}

TEST(Look, WhatIsMappedAndNotTouchedIsVirtualAlone) {
  Growth growth;
  ASSERT_TRUE(growth.grow("untouched", 16));
  expect_about(growth.of(Component::anonymous), 0, kMargin);
  EXPECT_GE(growth.after().of(Component::anonymous).virtual_bytes, 16U * kMiB);
}

TEST(Look, WhatIsGivenBackIsGone) {
  Growth growth;
  ASSERT_TRUE(growth.grow("returned", 16));
  expect_about(growth.of(Component::anonymous), 0, kMargin);
}

TEST(Look, LockedMemoryIsToldAsSuch) {
  Growth growth;
  if (!growth.grow("locked", 4)) GTEST_SKIP() << "NOT TESTED: this user may lock less than 4 MiB: " << growth.answer();
  expect_about(growth.of(Component::anonymous), 4 * kMiB, kMargin);
  expect_about(growth.of(Component::anonymous, &os::PageUse::locked), 4 * kMiB, kMargin);
}

TEST(Look, TransparentHugePagesAreCountedOnce) {
  Growth growth;
  ASSERT_TRUE(growth.grow("huge", 8)) << growth.answer();
  expect_about(growth.of(Component::anonymous), 8 * kMiB, kMargin);
  EXPECT_EQ(growth.after().sum().anon_huge, growth.after().total.anon_huge);
}

TEST(Look, PagesOfHugetlbStandBesideTheResidentTotal) {
  const HugePages pages(2);
  Growth growth;
  if (!growth.grow("hugetlb", 4))
    GTEST_SKIP() << "NOT TESTED: no pages of hugetlbfs are free here: " << growth.answer();
  EXPECT_EQ(growth.of(Component::hugetlb, &os::PageUse::private_hugetlb), 4 * kMiB);
  expect_about(growth.of(Component::hugetlb), 0, kMargin);
}

TEST(Look, ASegmentIsNamedAndItsPagesAreSharedOut) {
  Growth growth;
  ASSERT_TRUE(growth.grow("peer", 8)) << growth.answer();
  const SegmentUse* const segment = growth.segment("/memfd:both");
  ASSERT_NE(segment, nullptr);
  EXPECT_EQ(segment->maker, Component::shared);
  EXPECT_EQ(segment->use.rss, 8U * kMiB);
  expect_about(signed_bytes(segment->use.pss), 4 * kMiB, kMargin);  // half is the other's
  EXPECT_EQ(segment->use.uss(), 0U);
}

TEST(Look, WhatALibraryHasWithoutAFileIsItsOwn) {
  Growth growth;
  ASSERT_TRUE(growth.grow("library", 8)) << growth.answer();
  const Component grown = growth.components().find("grown").value_or(Component::unknown);
  expect_about(growth.of(grown), 8 * kMiB, 2 * kMargin);  // and its file's pages
}

TEST(Look, WhatIsMappedBehindALibraryIsNotItsOwn) {
  Growth growth;
  ASSERT_TRUE(growth.grow("library", 8)) << growth.answer();
  ASSERT_TRUE(growth.grow("behind_library", 16)) << growth.answer();
  const Component grown = growth.components().find("grown").value_or(Component::unknown);
  expect_about(growth.of(grown), 0, kMargin);
  expect_about(growth.of(Component::anonymous), 16 * kMiB, 3 * kMargin);
}

TEST(Look, TheProgramAndItsLibrariesAreTold) {
  Growth growth;
  ASSERT_TRUE(growth.grow("private", 1));
  EXPECT_GT(growth.after().of(Component::application).use.rss, 0U);
  EXPECT_GT(growth.after().of(Component::libc).use.rss, 0U);
  EXPECT_GT(growth.after().of(Component::kernel).virtual_bytes, 0U);
  EXPECT_FALSE(growth.after().statically_linked);
}

TEST(Look, PagesLieOnTheNodesOfTheKernel) {
  Growth growth;
  ASSERT_TRUE(growth.grow("private", 16));
  const os::NodeBytes& nodes = growth.after().of(Component::anonymous).nodes;
  if (nodes.empty()) GTEST_SKIP() << "NOT TESTED: this kernel knows no nodes";
  std::uint64_t bytes = 0;
  for (const auto& [node, here] : nodes) bytes += here;
  expect_about(signed_bytes(bytes), signed_bytes(growth.after().of(Component::anonymous).use.rss), kMargin);
}

#ifdef TEST_STATIC_GROWER
TEST(Look, AProgramThatIsLinkedStaticallyIsToldToo) {
  Growth growth(TEST_STATIC_GROWER);
  ASSERT_TRUE(growth.grow("private", 8)) << growth.answer();
  EXPECT_TRUE(growth.after().statically_linked);
  expect_about(growth.of(Component::anonymous), 8 * kMiB, kMargin);
  ASSERT_TRUE(growth.grow("bss", 4));
  expect_about(growth.of(Component::application), 4 * kMiB, kMargin);
  ASSERT_TRUE(growth.grow("heap", 8));
  expect_about(growth.of(Component::heap), 8 * kMiB, kMiB / 8);
}
#endif

TEST(Look, AProcessThatHasEndedTellsNothingMore) {
  const Components components;
  Grower grower(TEST_GROWER);
  Looker looker(grower.process(), components);
  EXPECT_TRUE(looker.attribution());
  grower.end();
  EXPECT_FALSE(looker.attribution());
  EXPECT_FALSE(looker.totals());
}

}  // namespace
}  // namespace comity::memory
