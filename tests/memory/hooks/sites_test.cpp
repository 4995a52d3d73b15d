// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/code/sites.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace comity::memory::hooks {
namespace {

TEST(MemorySites, KeepThePlaceOfANumber) {
  const auto all = std::make_unique<Sites>();
  const SiteNumber first = all->number_of({"/lib/libone.so", 0x1234, Component::mpi}, 7);
  const SiteNumber second = all->number_of({"", 0x1234, Component::application}, 8);
  EXPECT_NE(first, second);
  EXPECT_GE(first, kMostComponents);
  EXPECT_EQ(all->number_of({std::string("/lib/libone.so"), 0x1234, Component::mpi}, 9), first)
      << "loaded again, elsewhere";
  EXPECT_EQ(all->address(first), 9U);
  EXPECT_EQ(Sites::component_of(first), Component::mpi);
  EXPECT_EQ(Sites::component_of(second), Component::application);
  const CodePlace place = all->read(first);
  EXPECT_EQ(place.object, "/lib/libone.so");
  EXPECT_EQ(place.offset, 0x1234U);
  EXPECT_EQ(place.component, Component::mpi);
  EXPECT_EQ(all->count(), kMostComponents + 2);
}

TEST(MemorySites, HaveANumberForEachPathThatLedToThem) {
  const auto all = std::make_unique<Sites>();
  const SiteNumber place = all->number_of({"/lib/libone.so", 0x1234, Component::mpi}, 7);
  const SiteNumber outer = all->number_of({"", 0x10, Component::application}, 8);
  const SiteNumber other = all->number_of({"", 0x20, Component::application}, 9);
  const SiteNumber by_outer = all->called_by(place, outer);
  const SiteNumber by_other = all->called_by(place, other);
  EXPECT_EQ(all->called_by(place, outer), by_outer);
  EXPECT_NE(by_outer, by_other);
  EXPECT_NE(by_outer, place);
  EXPECT_EQ(all->number_of({"/lib/libone.so", 0x1234, Component::mpi}, 17), place);
  for (const SiteNumber site : {by_outer, by_other}) {
    EXPECT_EQ(all->read(site).object, "/lib/libone.so");
    EXPECT_EQ(all->read(site).offset, 0x1234U);
    EXPECT_EQ(Sites::component_of(site), Component::mpi);
    EXPECT_EQ(all->address(site), 7U);
  }
  EXPECT_EQ(all->caller_of(by_outer), outer);
  EXPECT_EQ(all->caller_of(place), kNoCaller);
  EXPECT_EQ(all->called_by(unnumbered(Component::blas), outer), unnumbered(Component::blas));
  EXPECT_EQ(all->called_by(place, unnumbered(Component::blas)), place);
}

// Then a path is told by its place alone.
TEST(MemorySites, SayWhenTheyAreFullOfPaths) {
  const auto all = std::make_unique<Sites>();
  const SiteNumber place = all->number_of({"/lib/libone.so", 0x1234, Component::mpi}, 7);
  std::vector<SiteNumber> callers;
  for (std::uint64_t i = 0; i < 12'000; ++i) callers.push_back(all->number_of({"", 16 * i, Component::application}, 1));
  std::size_t told = 0;
  for (const SiteNumber caller : callers) {
    const SiteNumber site = all->called_by(place, caller);
    if (site != place) ++told;
    EXPECT_EQ(all->caller_of(site), site == place ? kNoCaller : caller);
    EXPECT_EQ(all->read(site).offset, 0x1234U);
  }
  EXPECT_GT(told, 2000U);
  EXPECT_LT(told, callers.size());
}

TEST(MemorySites, TellThoseWithoutANumberByTheirComponent) {
  for (std::size_t i = 0; i < kMostComponents; ++i) {
    EXPECT_EQ(Sites::component_of(unnumbered(static_cast<Component>(i))), static_cast<Component>(i));
  }
}

// A number is never another place's, and where there is none left the component is right still.
TEST(MemorySites, SayWhenTheyAreFull) {
  const auto all = std::make_unique<Sites>();
  std::vector<SiteNumber> numbers;
  for (std::uint64_t i = 0; i < 40'000; ++i) {
    numbers.push_back(all->number_of({"/lib/libone.so", 16 * i, Component::fabric}, 1));
    ASSERT_EQ(Sites::component_of(numbers.back()), Component::fabric);
  }
  EXPECT_EQ(all->count(), kMostSites);
  EXPECT_EQ(numbers.back(), unnumbered(Component::fabric));
  std::size_t told = 0;
  for (std::uint64_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == unnumbered(Component::fabric)) continue;
    ++told;
    ASSERT_EQ(all->read(numbers[i]).offset, 16 * i);
    ASSERT_EQ(all->number_of({"/lib/libone.so", 16 * i, Component::fabric}, 1), numbers[i]);
  }
  EXPECT_GT(told, kMostSites / 2);
}

TEST(MemorySites, SayWhenThereIsNoRoomForNames) {
  const auto all = std::make_unique<Sites>();
  for (int i = 0; i < 2000; ++i) {
    const std::string name = "/lib/" + std::to_string(i) + std::string(200, 'x');
    const SiteNumber site = all->number_of({name, 16, Component::mpi}, 1);
    ASSERT_EQ(Sites::component_of(site), Component::mpi);
    if (site != unnumbered(Component::mpi)) {
      ASSERT_EQ(all->read(site).object, name);
    }
  }
}

TEST(MemorySites, TellTheSameOfThreadsThatBringThemAtOnce) {
  const auto all = std::make_unique<Sites>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::string object = "/lib/lib" + std::to_string(i % 40) + ".so";
        const CodePlace place = all->read(all->number_of({object, i, Component::mpi}, 1));
        ASSERT_EQ(place.object, object);
        ASSERT_EQ(place.offset, i);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace comity::memory::hooks
