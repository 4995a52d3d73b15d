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

TEST(GnuSpin, OfTheRuntimeThatIsInstalledEnds) {
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"}) {
    if (std::getenv(name) != nullptr) GTEST_SKIP() << name << " is set";
  }
  void* const runtime = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (runtime == nullptr) GTEST_SKIP() << "NOT TESTED: libgomp.so.1 is not installed";
  if (dlsym(runtime, "kmp_get_blocktime") != nullptr) GTEST_SKIP() << "NOT TESTED: libgomp.so.1 is LLVM's here";
  const auto function = reinterpret_cast<std::uintptr_t>(dlsym(runtime, "GOMP_parallel"));
  const auto spin = os::GnuSpin::of_runtime_at(function);
  ASSERT_TRUE(spin.has_value()) << told_by(runtime);
  spin->stop();
  const std::string told = told_by(runtime);
  EXPECT_TRUE(told.empty() || told == "GOMP_SPINCOUNT = '0'") << told;
  EXPECT_FALSE(os::GnuSpin::of_runtime_at(function).has_value());
}

}  // namespace
}  // namespace comity
