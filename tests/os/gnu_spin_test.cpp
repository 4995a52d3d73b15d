// SPDX-License-Identifier: BSD-3-Clause
// Idle threads of GNU's OpenMP are let sleep by its own two numbers, and by nothing that only looks like them.
#include "os/threads/gnu_spin.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace comity {
namespace {

using Words = std::vector<std::uint64_t>;
using Places = std::optional<os::GnuSpinPlaces>;

Places places_in(Words variables) { return os::places_of_gnu_spin(variables); }

TEST(GnuSpin, IsWhereBothNumbersStandNearOneAnother) {
  EXPECT_EQ(places_in({7, 100, 300'000, 7}), Places({2, 1}));
  EXPECT_EQ(places_in({300'000, 0, 100}), Places({0, 2}));
  EXPECT_EQ(places_in({100, 7, 7, 7, 7, 7, 7, 7, 7, 300'000, 100}), Places({9, 10}));
}

TEST(GnuSpin, IsWhereTheNumberStandsThatItWasTold) {
  EXPECT_EQ(places_in({7, 251, 7}), Places({1, std::nullopt}));
  EXPECT_EQ(places_in({251, 100}), Places({0, std::nullopt})) << "for a crowd it is no larger then";
  EXPECT_EQ(places_in({251, 7, 251}), std::nullopt);
}

TEST(GnuSpin, IsNowhereWithoutBoth) {
  for (const Words& variables : {Words{}, Words{100}, Words{300'000}, Words{0, 0}, Words{300'000, 1000},
                                 Words{300'000, 7, 7, 7, 7, 7, 7, 7, 7, 100}}) {
    EXPECT_EQ(places_in(variables), std::nullopt);
  }
}

TEST(GnuSpin, IsNowhereIfItMayBeInTwoPlaces) {
  EXPECT_EQ(places_in({100, 300'000, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 300'000}), std::nullopt);
  EXPECT_EQ(places_in({100, 300'000, 100}), std::nullopt);
}

TEST(GnuSpin, IsNotThatOfAnotherLibrary) {
  void* const library = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_FALSE(os::GnuSpin::of_runtime_at(reinterpret_cast<std::uintptr_t>(dlsym(library, "cos"))).has_value());
  EXPECT_FALSE(os::GnuSpin::of_runtime_at(0).has_value());
}

// What the runtime itself tells of the number.
std::string told_by(void* runtime) {
  const auto tell = reinterpret_cast<void (*)(int)>(dlsym(runtime, "omp_display_env"));
  if (tell == nullptr) return {};
  ::testing::internal::CaptureStderr();
  tell(1);
  const std::string all = ::testing::internal::GetCapturedStderr();
  const std::size_t start = all.find("GOMP_SPINCOUNT");
  return start == std::string::npos ? std::string() : all.substr(start, all.find('\n', start) - start);
}

class OfTheRuntime : public ::testing::Test {
 protected:
  void SetUp() override {
    runtime_ = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (runtime_ == nullptr) GTEST_SKIP() << "NOT TESTED: libgomp.so.1 is not installed";
    if (dlsym(runtime_, "kmp_get_blocktime") != nullptr) GTEST_SKIP() << "NOT TESTED: libgomp.so.1 is LLVM's here";
  }
  [[nodiscard]] std::optional<os::GnuSpin> spin() const {
    return os::GnuSpin::of_runtime_at(reinterpret_cast<std::uintptr_t>(dlsym(runtime_, "GOMP_parallel")));
  }
  void expect_told(const std::string& count) const {
    const std::string told = told_by(runtime_);
    EXPECT_TRUE(told.empty() || told == "GOMP_SPINCOUNT = '" + count + "'") << told;
  }

  void* runtime_ = nullptr;
};

TEST_F(OfTheRuntime, ThatNobodyHasToldSpinsEndAndMayBegin) {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
    if (std::getenv(name) != nullptr) GTEST_SKIP() << name << " is set";
  }
  const auto found = spin();
  ASSERT_TRUE(found.has_value()) << told_by(runtime_);
  found->stop();
  expect_told("0");
  EXPECT_FALSE(spin().has_value());
  found->look(70'000);
  expect_told("70000");
}

// In a process of its own, which was told when the runtime was loaded: see the entries.
TEST_F(OfTheRuntime, ThatWeHaveToldSpinsEndAndMayBegin) {
  const char* const told = std::getenv("GOMP_SPINCOUNT");
  if (told == nullptr) return;  // that is the other entry
  ASSERT_EQ(std::to_string(os::GnuSpin::kTold), told);
  const auto found = spin();
  ASSERT_TRUE(found.has_value()) << told_by(runtime_);
  found->stop();
  expect_told("0");
  found->look(9);
  expect_told("9");
}

TEST(GnuSpin, LooksLongerInMoreTime) {
  using namespace std::chrono_literals;
  const std::uint64_t in_10_us = os::GnuSpin::looks_in(10us);
  const std::uint64_t in_1_ms = os::GnuSpin::looks_in(1ms);
  EXPECT_GT(in_10_us, 10U) << "a look takes less than a microsecond";
  EXPECT_LT(in_10_us, 100'000U) << "and more than a tenth of a nanosecond";
  EXPECT_GT(in_1_ms, in_10_us);
}

}  // namespace
}  // namespace comity
