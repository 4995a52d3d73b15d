// SPDX-License-Identifier: BSD-3-Clause
// A process that becomes another program: it keeps its number, gets its variables, and its end is the program's.
#include "os/process/become.hpp"

#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

namespace comity::os {
namespace {

constexpr int kReturned = 99;

// The wait status of a child that becomes the words.
int status_of(const std::vector<std::string>& words, const std::vector<Variable>& variables = {}) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      become(words, variables);
    } catch (const Error&) {
      ::_exit(kReturned);
    }
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(Become, EndsAsTheProgramFoundOnThePath) {
  const int status = status_of({"sh", "-c", "exit 3"});
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 3);
}

TEST(Become, DiesByTheSignalOfTheProgram) {
  const int status = status_of({"sh", "-c", "kill -KILL $$"});
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(Become, GivesTheVariablesOnceAndKeepsTheOthers) {
  ::setenv("COMITY_TEST_KEPT", "kept", 1);
  ::setenv("COMITY_TEST_CHANGED", "before", 1);
  const std::string script =
      "test \"$COMITY_TEST_KEPT $COMITY_TEST_CHANGED\" = 'kept a b=c' && "
      "test $(env | grep -c COMITY_TEST_CHANGED) = 1";
  EXPECT_EQ(status_of({"sh", "-c", script}, {{"COMITY_TEST_CHANGED", "a b=c"}}), 0);
}

TEST(Become, ThrowsForAProgramThatIsNotThere) {
  EXPECT_EQ(WEXITSTATUS(status_of({"/absent/program"})), kReturned);
  try {
    become({"/absent/program"}, {});
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("start /absent/program: No such file"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace comity::os
