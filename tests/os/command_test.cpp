// SPDX-License-Identifier: BSD-3-Clause
// Programs that are run for their answer, and the child that only exists.
#include "os/process/command.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "os/kernel.hpp"
#include "os/process/idle_child.hpp"
#include "os/whole_lines.hpp"

namespace comity::os {
namespace {

constexpr std::chrono::milliseconds kLong{50'000};

// An orphan that was killed stays as a zombie where nobody waits for it, as in some containers.
bool is_running(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end + 2, 1) != "Z";
}

bool soon_gone(pid_t pid) {
  const std::int64_t deadline_ns = now_ns() + 40'000'000'000;
  while (is_running(pid) && now_ns() < deadline_ns) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return !is_running(pid);
}

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

// As the loader ends where a library is missing.
TEST(Command, ThatEndsWith127WasStarted) { EXPECT_EQ(run_command({"sh", "-c", "exit 127"}, kLong).exit_code, 127); }

TEST(Command, KilledByASignalEndsAsShellsSayIt) {
  EXPECT_EQ(run_command({"sh", "-c", "kill -9 $$"}, kLong).exit_code, 128 + SIGKILL);
}

TEST(Command, ReadsAnEmptyInput) { EXPECT_EQ(run_command({"cat"}, kLong).exit_code, 0); }

TEST(Command, HasNoLimitWithTheLongestTimeout) {
  const CommandEnd end = run_command({"sh", "-c", "sleep 0.05; echo late"}, std::chrono::milliseconds::max());
  EXPECT_FALSE(end.timed_out);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output, "late\n");
}

TEST(Command, ThatHangsIsKilledWithItsChildren) {
  const CommandEnd end = run_command({"sh", "-c", "sleep 60 & echo $!; wait"}, std::chrono::seconds(5));
  EXPECT_TRUE(end.timed_out);
  EXPECT_FALSE(end.exit_code);
  EXPECT_TRUE(soon_gone(std::stoi(end.output)));
}

TEST(Command, EndsWithTheProcessThatRunsIt) {
  const std::string note = std::string(::testing::TempDir()) + "/command-" + std::to_string(::getpid());
  const pid_t runner = ::fork();
  ASSERT_GE(runner, 0);
  if (runner == 0) {
    (void)run_command({"sh", "-c", "echo $$ >" + note + ".new && mv " + note + ".new " + note + " && exec sleep 60"},
                      kLong);
    ::_exit(0);
  }
  int command = 0;
  while (!(std::ifstream(note) >> command)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(process_exists(command));
  ::kill(runner, SIGKILL);
  ::waitpid(runner, nullptr, 0);
  EXPECT_TRUE(soon_gone(command));
  ::unlink(note.c_str());
}

TEST(Command, ThatClosesItsOutputAndStaysIsKilledToo) {
  EXPECT_TRUE(run_command({"sh", "-c", "exec >&- 2>&-; exec sleep 60"}, std::chrono::milliseconds(300)).timed_out);
}

TEST(Command, ThatTalksWithoutEndIsHeardToALimit) {
  const CommandEnd end = run_command({"sh", "-c", "head -c 1000000 /dev/zero"}, kLong);
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output.size(), std::size_t{64} << 10U);
}

TEST(Command, ThatIsHeardFurtherOnDemandTellsAll) {
  const CommandEnd end = run_command({"sh", "-c", "head -c 1000000 /dev/zero"}, kLong, 2'000'000);
  EXPECT_EQ(end.output.size(), 1'000'000U);
}

TEST(WholeLines, AreReadWholeByWhoReadsInPieces) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  std::string text;
  for (int line = 0; line < 500; ++line) text += std::string(static_cast<std::size_t>(40 + line % 97), 'x') + '\n';
  std::thread writer([&] {
    EXPECT_TRUE(write_whole_lines(ends[1], text));
    ::close(ends[1]);
  });
  std::array<char, 4096> piece{};
  std::string all;
  for (ssize_t bytes = 0; (bytes = ::read(ends[0], piece.data(), piece.size())) > 0;) {
    EXPECT_EQ(piece[static_cast<std::size_t>(bytes) - 1], '\n');
    all.append(piece.data(), static_cast<std::size_t>(bytes));
  }
  writer.join();
  ::close(ends[0]);
  EXPECT_EQ(all, text);
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
