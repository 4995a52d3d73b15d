// SPDX-License-Identifier: BSD-3-Clause
// A sleep on descriptors is ended from outside, and by no stranger.
#include "os/files/wake_socket.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "os/files/poll.hpp"

namespace comity::os {
namespace {

using namespace std::chrono_literals;

constexpr WakeKey kKey{0x0123456789abcdef, 0xfedcba9876543210};

WakeName name_of(std::uint64_t number) { return {.of = static_cast<std::uint64_t>(now_ns()), .number = number}; }

PollEnd poll_it(const WakeSocket& socket, Nanoseconds time = 0ns) {
  std::array<pollfd, 1> watched{to_read(socket.number())};
  return poll_until(watched, deadline_after(time));
}

TEST(WakeSocket, WakesOnceHoweverOftenItIsWoken) {
  const WakeName name = name_of(1);
  WakeSocket socket(name, kKey);
  EXPECT_TRUE(Waker::reaches(name));
  EXPECT_EQ(poll_it(socket, 1ms), PollEnd::timed_out);
  const Waker waker;
  for (int i = 0; i < 1000; ++i) waker.wake(name, kKey);  // more than its queue holds
  EXPECT_EQ(poll_it(socket, 10s), PollEnd::ready);
  socket.drain();
  EXPECT_EQ(poll_it(socket), PollEnd::timed_out);
  waker.wake(name, kKey);
  EXPECT_EQ(poll_it(socket, 10s), PollEnd::ready) << "and again";
}

TEST(WakeSocket, TakesNothingOfWhoDoesNotHaveItsKey) {
  const WakeName name = name_of(2);
  const WakeSocket socket(name, kKey);
  const Waker stranger;
  for (std::size_t word = 0; word < kKey.size(); ++word) {
    for (const std::uint64_t bit : {std::uint64_t{1}, std::uint64_t{1} << 40U}) {
      WakeKey guess = kKey;
      guess[word] ^= bit;
      stranger.wake(name, guess);
    }
  }
  EXPECT_EQ(poll_it(socket), PollEnd::timed_out);
  stranger.wake(name, kKey);
  EXPECT_EQ(poll_it(socket), PollEnd::ready);
}

TEST(WakeSocket, IsReachedByItsNameAlone) {
  const WakeName name = name_of(3);
  {
    const WakeSocket socket(name, kKey);
    EXPECT_FALSE(Waker::reaches({.of = name.of, .number = 4}));
    EXPECT_THROW(WakeSocket(name, kKey), Error) << "it is taken";
    Waker().wake({.of = name.of, .number = 4}, kKey);
    EXPECT_EQ(poll_it(socket), PollEnd::timed_out);
  }
  EXPECT_FALSE(Waker::reaches(name)) << "nothing is left of it";
}

TEST(PollUntil, SaysAtOnceThatTheKernelRefusesSoMany) {
  std::vector<pollfd> many(static_cast<std::size_t>(::sysconf(_SC_OPEN_MAX)) + 1,
                           {.fd = -1, .events = 0, .revents = 0});
  EXPECT_EQ(poll_until(many, kNever), PollEnd::refused);
}

}  // namespace
}  // namespace comity::os
