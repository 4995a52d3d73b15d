// SPDX-License-Identifier: BSD-3-Clause
// Which calls of a collective are taken for one that the library has accepted before. No MPI is called.
#include "coop/calls/accepted.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <tuple>

namespace comity::testing {
namespace {

// As MPI_Allgather: buffer, count, handle, buffer, count, handle, handle.
int gather(const void*, int, void*, void*, int, void*, void*) { return 0; }
// As MPI_Bcast: buffer, count, handle, root, handle.
int broadcast(void*, int, void*, int, void*) { return 0; }

using Gather = coop::Accepted<&gather, 4, 0>;
using Broadcast = coop::Accepted<&broadcast, 1, 3>;

std::uint64_t gather_key(const void* out, int out_count, void* in, int in_count, std::uintptr_t type) {
  static std::array<int*, 4> types{};
  auto* const handle = types.data() + type;
  return Gather::key_of_call(std::tuple<const void*, int, int**, void*, int, int**, int**>(out, out_count, handle, in,
                                                                                           in_count, handle, nullptr));
}

TEST(CoopAccepted, TellsCallsApartByWhatTheLibraryLooksAt) {
  int out = 0, other = 0, in = 0;
  const std::uint64_t usual = gather_key(&out, 1, &in, 1, 0);
  EXPECT_EQ(gather_key(&other, 7, &in, 300, 0), usual) << "counts and buffers may be others";
  EXPECT_NE(gather_key(&out, 1, &in, 1, 1), usual) << "another type";
  EXPECT_NE(gather_key(&out, 1, &in, -1, 0), usual);
  EXPECT_NE(gather_key(&out, -1, &in, 1, 0), usual);
  EXPECT_NE(gather_key(&out, 1, &in, 0, 0), usual) << "of nothing it looks at less";
  EXPECT_NE(gather_key(&out, 1, nullptr, 1, 0), usual);
  EXPECT_NE(gather_key(nullptr, 1, &in, 1, 0), usual);
  EXPECT_NE(gather_key(&in, 1, &in, 1, 0), usual) << "both are one";
  EXPECT_NE(gather_key(MPI_IN_PLACE, 1, &in, 1, 0), usual);
  EXPECT_NE(gather_key(&out, 1, MPI_IN_PLACE, 1, 0), usual);
}

TEST(CoopAccepted, KnowsARootByItsSign) {
  int buffer = 0;
  const auto key = [&](int root) {
    return Broadcast::key_of_call(std::tuple<void*, int, int**, int, int**>(&buffer, 1, nullptr, root, nullptr));
  };
  EXPECT_EQ(key(0), key(5));
  EXPECT_NE(key(0), key(-1));
}

TEST(CoopAccepted, HasAFewCallsOfEachThread) {
  for (std::uint64_t key = 1; key <= 8; ++key) Gather::note(key);
  Gather::note(8);
  for (std::uint64_t key = 1; key <= 8; ++key) EXPECT_TRUE(Gather::knows(key));
  EXPECT_FALSE(Broadcast::knows(1)) << "of another function";
  std::thread([] { EXPECT_FALSE(Gather::knows(1)); }).join();
  Gather::note(9);
  EXPECT_TRUE(Gather::knows(9));
  EXPECT_FALSE(Gather::knows(1)) << "the oldest one has made room";
}

TEST(CoopAccepted, HasArraysWhereAnArgumentIsOne) {
  EXPECT_FALSE((Gather::has_arrays<const void*, int, int**, void*>()));
  EXPECT_TRUE((Gather::has_arrays<const void*, const int*, int**>()));
  EXPECT_TRUE((Gather::has_arrays<int**, const char*, int>()));
}

}  // namespace
}  // namespace comity::testing
