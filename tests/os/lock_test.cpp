// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "os/files/memory_file.hpp"
#include "os/files/ofd_lock.hpp"

namespace comity::os {
namespace {

class Locks : public ::testing::Test {
 protected:
  [[nodiscard]] Descriptor fresh() const { return reopen(file_); }

  Descriptor file_ = create_memory_file("locks", 4096);
};

TEST_F(Locks, AreSeenByOtherDescriptionsAndNotByTheirOwn) {
  const OfdLock first(fresh(), 0);
  const OfdLock second(fresh(), 1);
  EXPECT_TRUE(second.held_elsewhere(0));
  EXPECT_FALSE(second.held_elsewhere(1));
  EXPECT_FALSE(second.held_elsewhere(2));
}

TEST_F(Locks, OfOneByteAreExclusive) {
  const OfdLock first(fresh(), 5);
  EXPECT_THROW(OfdLock(fresh(), 5), Error);
}

TEST_F(Locks, EndWithTheirOwner) {
  auto first = std::make_unique<OfdLock>(fresh(), 0);
  const OfdLock second(fresh(), 1);
  first.reset();
  EXPECT_FALSE(second.held_elsewhere(0));
}

TEST_F(Locks, OfAnyByteKeepTheWholeFromBeingLocked) {
  auto lock = std::make_unique<OfdLock>(fresh(), 1U << 30U);
  EXPECT_FALSE(try_lock_whole(fresh()));
  lock.reset();
  EXPECT_TRUE(try_lock_whole(fresh()));
}

TEST_F(Locks, AreLostInForkChildrenAndStayWithTheParent) {
  const OfdLock mine(fresh(), 0);
  const OfdLock probe(fresh(), 1);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(mine.lost_by_fork() && probe.lost_by_fork() ? 0 : 1);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(mine.lost_by_fork());
  EXPECT_TRUE(probe.held_elsewhere(0));
}

TEST_F(Locks, OfAKilledProcessAreGoneThoughItsForkChildLives) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    const OfdLock lock(fresh(), 0);
    const pid_t grandchild = ::fork();
    if (grandchild == 0) {
      while (true) ::pause();
    }
    static_cast<void>(!::write(ready[1], &grandchild, sizeof(grandchild)));
    while (true) ::pause();
  }
  pid_t grandchild = 0;
  ASSERT_EQ(::read(ready[0], &grandchild, sizeof(grandchild)), static_cast<ssize_t>(sizeof(grandchild)));
  const OfdLock probe(fresh(), 1);
  EXPECT_TRUE(probe.held_elsewhere(0));
  ::kill(holder, SIGKILL);
  ::waitpid(holder, nullptr, 0);
  // The grandchild drops its copy in its first instructions, which it may not have come to yet.
  const std::int64_t deadline_ns = now_ns() + 40'000'000'000;
  while (probe.held_elsewhere(0) && now_ns() < deadline_ns) ::sched_yield();
  EXPECT_FALSE(probe.held_elsewhere(0));
  ::kill(grandchild, SIGKILL);
  ::close(ready[0]);
  ::close(ready[1]);
}

}  // namespace
}  // namespace comity::os
