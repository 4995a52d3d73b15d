// SPDX-License-Identifier: BSD-3-Clause
// Programs that are run for their answer, and the child that only exists.
#include "os/command.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "os/idle_child.hpp"
#include "os/kernel.hpp"

namespace comity::os {
namespace {

constexpr std::chrono::milliseconds kLong{15'000};

TEST(Command, GivesOutputAndErrorsTogetherAndTheExitCode) {
  const CommandEnd end = run_command({"sh", "-c", "echo out; echo err >&2; exit 3"}, kLong);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.output, "out\nerr\n");
  EXPECT_FALSE(end.timed_out);
}

TEST(Command, ThatDoesNotExistHasNoExitCode) {
  const CommandEnd end = run_command({"/absent/program"}, kLong);
  EXPECT_FALSE(end.exit_code);
  EXPECT_FALSE(end.timed_out);
}

TEST(Command, KilledByASignalHasNoExitCode) { EXPECT_FALSE(run_command({"sh", "-c", "kill -9 $$"}, kLong).exit_code); }

TEST(Command, ReadsAnEmptyInput) { EXPECT_EQ(run_command({"cat"}, kLong).exit_code, 0); }

TEST(Command, ThatHangsIsKilledWithItsChildren) {
  const std::int64_t start_ns = now_ns();
  const CommandEnd end = run_command({"sh", "-c", "sleep 60 & echo $!; wait"}, std::chrono::milliseconds(300));
  EXPECT_TRUE(end.timed_out);
  EXPECT_FALSE(end.exit_code);
  EXPECT_LT(now_ns() - start_ns, 10'000'000'000);
}

TEST(Command, ThatClosesItsOutputAndStaysIsKilledToo) {
  EXPECT_TRUE(run_command({"sh", "-c", "exec >&- 2>&-; exec sleep 60"}, std::chrono::milliseconds(300)).timed_out);
}

TEST(Command, ThatTalksWithoutEndIsHeardToALimit) {
  const CommandEnd end = run_command({"sh", "-c", "head -c 1000000 /dev/zero"}, kLong);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output.size(), std::size_t{64} << 10U);
}

TEST(IdleChild, ExistsAsLongAsItsObject) {
  pid_t pid = 0;
  {
    const IdleChild child;
    pid = child.pid();
    EXPECT_TRUE(process_exists(pid));
  }
  EXPECT_FALSE(process_exists(pid));
}

}  // namespace
}  // namespace comity::os
