// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/thread_end.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace comity::os {
namespace {

std::atomic<int> ended{0};

void count(void* more) { ended += *static_cast<int*>(more); }

TEST(ThreadEnd, IsTakenOfThreadsThatWereMarkedAlone) {
  ended = 0;
  int one = 1;
  const ThreadEnd end(&count);
  for (int i = 0; i < 3; ++i) std::thread([&] { end.mark_this_thread(&one); }).join();
  std::thread([] {}).join();
  EXPECT_EQ(ended, 3);
}

struct Late {
  const ThreadEnd* end;
  int turns;
};

void come_back(void* late) {
  ++ended;
  auto* const mine = static_cast<Late*>(late);
  if (--mine->turns > 0) mine->end->mark_this_thread(mine);
}

TEST(ThreadEnd, ComesAgainForWhatOthersDoBehindIt) {
  ended = 0;
  const ThreadEnd end(&come_back);
  Late late{&end, 2};
  std::thread([&] { end.mark_this_thread(&late); }).join();
  EXPECT_EQ(ended, 2);
}

TEST(ThreadEnd, OfThreadsThatOutliveItIsLeftAlone) {
  ended = 0;
  int one = 1;
  std::thread([&] {
    const ThreadEnd end(&count);
    end.mark_this_thread(&one);
  }).join();
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace comity::os
