// SPDX-License-Identifier: BSD-3-Clause
// Who of a launch lives, by a folder that shows processes as /proc does.
#include "os/process/launched_ranks.hpp"

#include <gtest/gtest.h>

#include "os/fake_cgroup.hpp"

namespace comity {
namespace {

using os::launched_ranks;
using Ranks = std::vector<int>;

// A launcher, 100, of two ranks, 110 and 111, below a shell, 50.
class LaunchedRanks : public ::testing::Test {
 protected:
  LaunchedRanks() {
    add(1, 0, "");
    add(50, 1, "HOME=/");
    add(100, 50, "HOME=/");
    add(110, 100, "PMI_RANK=0 PMI_SIZE=2 MPI_LOCALNRANKS=2");
    add(111, 100, "PMI_RANK=1 PMI_SIZE=2 MPI_LOCALNRANKS=2");
  }

  void add(int process, int parent, std::string environment, const std::string& state = "S (sleeping)") const {
    for (char& each : environment) {
      if (each == ' ') each = '\0';
    }
    folder_.write(file(process, "environ"), environment + '\0');
    folder_.write(file(process, "status"), "Name:\tp\nState:\t" + state + "\nPPid:\t" + std::to_string(parent));
  }
  void hide_environment(int process) const {
    std::filesystem::remove(folder_.root() + file(process, "environ"));
    std::filesystem::create_directory(folder_.root() + file(process, "environ"));  // cannot be read, by root neither
  }
  void remove(int process) const { std::filesystem::remove_all(folder_.root() + '/' + std::to_string(process)); }

  [[nodiscard]] Ranks living(int self = 110) const {
    const auto found = launched_ranks(self, folder_.root());
    return found ? found->living : Ranks{-1};
  }
  [[nodiscard]] int started(int self = 110) const { return launched_ranks(self, folder_.root())->started; }

 private:
  static std::string file(int process, const char* name) { return '/' + std::to_string(process) + '/' + name; }

  testing::FakeCgroup folder_;
};

constexpr int kNobodyKnows = -1;

TEST_F(LaunchedRanks, AreThoseBelowTheLauncher) {
  add(200, 1, "PMI_RANK=7 PMI_SIZE=2 MPI_LOCALNRANKS=2");  // another job's
  EXPECT_EQ(living(), (Ranks{0, 1}));
  EXPECT_EQ(started(), 2);
}

TEST_F(LaunchedRanks, LackWhoHasEnded) {
  remove(111);
  EXPECT_EQ(living(), Ranks{0});
  EXPECT_EQ(started(), 2);
}

TEST_F(LaunchedRanks, LackWhoHasEndedAndIsNotCollectedYet) {
  add(111, 100, "", "Z (zombie)");
  EXPECT_EQ(living(), Ranks{0});
}

TEST_F(LaunchedRanks, MayRunBelowScriptsOfTheirOwn) {
  add(111, 100, "PMI_RANK=1");
  add(120, 111, "PMI_RANK=1 MORE=1");
  add(105, 120, "PMI_RANK=1");  // numbers of processes come round
  EXPECT_EQ(living(120), (Ranks{0, 1}));
  EXPECT_EQ(living(110), (Ranks{0, 1}));
}

TEST_F(LaunchedRanks, OfOneJobOfALauncherOfSeveral) {
  add(110, 100, "PMIX_NAMESPACE=a PMIX_RANK=0 OMPI_COMM_WORLD_LOCAL_SIZE=2");
  add(111, 100, "PMIX_NAMESPACE=a PMIX_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2");
  add(112, 100, "PMIX_NAMESPACE=ab PMIX_RANK=2 OMPI_COMM_WORLD_LOCAL_SIZE=1");
  EXPECT_EQ(living(110), (Ranks{0, 1}));
  EXPECT_EQ(living(112), Ranks{2});
  EXPECT_EQ(started(112), 1);
}

TEST_F(LaunchedRanks, AreUnknownToAProcessWithoutARank) {
  EXPECT_EQ(living(50), Ranks{kNobodyKnows});
  EXPECT_EQ(living(4711), Ranks{kNobodyKnows});
}

TEST_F(LaunchedRanks, AreUnknownWhereTheLauncherIsNotSeen) {
  add(110, 0, "PMI_RANK=0 MPI_LOCALNRANKS=2");  // the first process of a PID namespace, or one that was put into it
  EXPECT_EQ(living(), Ranks{kNobodyKnows});
}

TEST_F(LaunchedRanks, AreUnknownWhereOneOfThemHides) {
  hide_environment(111);
  EXPECT_EQ(living(), Ranks{kNobodyKnows});
}

TEST_F(LaunchedRanks, AreUnknownWhereAProcessShowsNone) {
  add(111, 100, "overwritten by the title of the program");
  EXPECT_EQ(living(), Ranks{kNobodyKnows});
  add(111, 100, "");  // as while it becomes another program
  EXPECT_EQ(living(), Ranks{kNobodyKnows});
}

TEST_F(LaunchedRanks, AreUnknownWhereTheNumbersAreOfALauncherAroundThisOne) {
  add(110, 100, "PMIX_RANK=0 PMI_RANK=0");
  add(111, 100, "PMIX_RANK=0 PMI_RANK=1");
  EXPECT_EQ(living(), Ranks{kNobodyKnows});
  EXPECT_EQ(living(111), Ranks{kNobodyKnows});
  add(100, 50, "PMIX_RANK=0");  // the launcher is a rank's
  EXPECT_EQ(living(), Ranks{kNobodyKnows});
}

TEST_F(LaunchedRanks, LiveWhileAThreadOfTheirsDoes) {
  add(111, 100, "PMI_RANK=1", "Z (zombie)\nThreads:\t2");
  EXPECT_EQ(living(), (Ranks{0, 1}));
  add(111, 100, "", "Z (zombie)\nThreads:\t1");
  EXPECT_EQ(living(), Ranks{0});
}

TEST_F(LaunchedRanks, MayHaveALauncherThatHides) {
  hide_environment(100);
  EXPECT_EQ(living(), (Ranks{0, 1}));
}

TEST(LaunchedPlace, IsWhatOneLauncherSaysWhole) {
  for (const char* const name : {"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE",
                                 "MPI_LOCALRANKID", "MPI_LOCALNRANKS", "PMI_SIZE"})
    ::unsetenv(name);
  EXPECT_FALSE(os::launched_place());
  ::setenv("MPI_LOCALRANKID", "1", 1);
  ::setenv("MPI_LOCALNRANKS", "2", 1);
  ::setenv("OMPI_COMM_WORLD_SIZE", "8", 1);
  EXPECT_FALSE(os::launched_place());
  ::setenv("PMI_SIZE", "six", 1);
  EXPECT_FALSE(os::launched_place());
  ::setenv("PMI_SIZE", "6", 1);
  const auto place = os::launched_place();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->local_rank, 1);
  EXPECT_EQ(place->local_size, 2);
  EXPECT_EQ(place->world_size, 6);
}

TEST(VariableInAnEnvironment, IsFoundByItsWholeName) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(os::variable_in("XPMI_RANK=3\0PMI_RANKS=4\0PMI_RANK=5\0"sv, "PMI_RANK"), "5");
  EXPECT_EQ(os::variable_in("A=\0B"sv, "A"), "");
  EXPECT_EQ(os::variable_in("A=\0B"sv, "B"), std::nullopt);
  EXPECT_EQ(os::variable_in(""sv, "A"), std::nullopt);
  EXPECT_EQ(os::rank_in("PMI_RANK=x\0"sv), std::nullopt);
}

}  // namespace
}  // namespace comity
