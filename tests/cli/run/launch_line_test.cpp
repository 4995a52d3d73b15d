// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/launch_line.hpp"

#include <gtest/gtest.h>

#include "base/shell.hpp"
#include "cli/run/words.hpp"

namespace comity::cli::launch {
namespace {

using testing::is_program;
using testing::line;
using testing::words;

struct Split {
  const char* name;
  Family family;
  const char* line;
  std::vector<std::string> programs;  // of each part, with its arguments
};

void PrintTo(const Split& row, std::ostream* stream) { *stream << row.line; }

class LaunchLines : public ::testing::TestWithParam<Split> {};

TEST_P(LaunchLines, TellOptionsFromPrograms) {
  const Split& row = GetParam();
  const LaunchLine found = take_apart(row.family, words(row.line), is_program);
  std::vector<std::string> programs;
  for (const Part& part : found.parts) programs.push_back(line(part.program));
  EXPECT_EQ(programs, row.programs);
  EXPECT_EQ(line(put_together(found)), row.line);
}

INSTANTIATE_TEST_SUITE_P(
    All, LaunchLines,
    ::testing::Values(
        Split{"OpenMpi", Family::open_mpi, "mpirun -n 2 ./app in.txt", {"./app in.txt"}},
        Split{"OpenMpiFlags", Family::open_mpi, "mpirun --oversubscribe --bind-to none -np 2 ./app", {"./app"}},
        Split{"OpenMpiTwoValues", Family::open_mpi, "mpirun --mca btl self,vader -n 2 ./app", {"./app"}},
        Split{"OpenMpiVariables", Family::open_mpi, "mpirun -x A=1 -x B -n 2 ./app", {"./app"}},
        Split{"OpenMpiArgumentsThatLookLikeOptions",
              Family::open_mpi,
              "mpirun -n 2 ./app -x LD_PRELOAD=a -n 3 -- --mca",
              {"./app -x LD_PRELOAD=a -n 3 -- --mca"}},
        Split{"OpenMpiPrograms", Family::open_mpi, "mpirun -n 1 ./a -v : -n 2 ./b", {"./a -v", "./b"}},
        Split{"EndOfOptions", Family::open_mpi, "mpirun -n 2 -- -app", {"-app"}},
        Split{"OpenMpiNoProgram", Family::open_mpi, "mpirun --version", {""}},
        Split{"LauncherAlone", Family::open_mpi, "mpirun", {""}},
        Split{"ValueAtTheEnd", Family::open_mpi, "mpirun -n", {""}},
        Split{"OpenMpi5", Family::open_mpi, "mpirun --map-by=slot --display map ./app", {"./app"}},
        Split{"UnknownFlag", Family::open_mpi, "mpirun --new-flag ./app x", {"./app x"}},
        Split{"UnknownValue", Family::open_mpi, "mpirun --new-option value ./app x", {"./app x"}},
        Split{"Hydra", Family::hydra, "mpirun -n 2 -bind-to core ./app -bind-to x", {"./app -bind-to x"}},
        Split{"HydraVariables", Family::hydra, "mpirun -genv A 1 -env B=2 -genvlist C,D ./app", {"./app"}},
        Split{"HydraFlags", Family::hydra, "mpirun -genvnone -l -print-all-exitcodes ./app", {"./app"}},
        Split{"HydraEquals", Family::hydra, "mpiexec -bind-to=core -n 2 ./app", {"./app"}},
        Split{"HydraPrograms", Family::hydra, "mpiexec -n 1 ./a : -env A 1 -n 2 ./b c", {"./a", "./b c"}},
        Split{"Slurm", Family::slurm, "srun -n4 -N 2 ./app -N 3", {"./app -N 3"}},
        Split{"SlurmLong", Family::slurm, "srun --ntasks=4 --mpi pmix --label ./app", {"./app"}},
        Split{"SlurmLetters", Family::slurm, "srun -lun 4 ./app", {"./app"}},
        Split{"SlurmLettersGlued", Family::slurm, "srun -ln4 ./app", {"./app"}},
        Split{"SlurmSteps", Family::slurm, "srun -n1 ./a : -n 2 ./b", {"./a", "./b"}}),
    [](const auto& row) { return row.param.name; });

TEST(Launchers, AreKnownByTheirNameAlsoByPath) {
  for (const char* word : {"mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.mpich", "mpiexec.hydra", "srun", "orterun",
                           "prterun", "prun", "/opt/x/bin/mpirun", "./srun"}) {
    EXPECT_TRUE(is_launcher(word)) << word;
  }
  for (const char* word : {"./app", "python3", "mpirunner/app", "my-srun", "pruned", ""})
    EXPECT_FALSE(is_launcher(word)) << word;
}

TEST(Libraries, TellTheirMpiByTheirNumber) {
  EXPECT_EQ(mpi_of_library("libmpi.so.40"), "openmpi");
  EXPECT_EQ(mpi_of_library("libmpi_mpifh.so.40"), "openmpi");
  EXPECT_EQ(mpi_of_library("libmpich.so.12"), "mpich");
  EXPECT_EQ(mpi_of_library("libmpi.so.12"), "mpich");
  EXPECT_EQ(mpi_of_library("libmpi_gnu_91.so.12"), "mpich");
  EXPECT_EQ(mpi_of_library("libmpi_abi.so.1"), "");  // of the MPI standard, by whichever MPI
  EXPECT_EQ(mpi_of_library("libm.so.6"), "");
  EXPECT_EQ(mpi_of_library("libfoo.so.12"), "");
  EXPECT_EQ(mpi_of_library(""), "");
}

TEST(Shell, ReadsTheSameWordsBack) {
  EXPECT_EQ(shell_line({"mpirun", "-x", "A=b:c", "./app"}), "mpirun -x A=b:c ./app");
  EXPECT_EQ(quoted(""), "''");
  EXPECT_EQ(quoted("two words"), "'two words'");
  EXPECT_EQ(quoted("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(quoted("*"), "'*'");
}

}  // namespace
}  // namespace comity::cli::launch
