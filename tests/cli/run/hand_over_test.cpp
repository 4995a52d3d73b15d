// SPDX-License-Identifier: BSD-3-Clause
// Variables for ranks, as each launcher takes them; what the user's line and environment say of the same is kept.
#include "cli/run/hand_over.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cli/common/arguments.hpp"
#include "cli/run/words.hpp"

namespace comity::cli::launch {
namespace {

using testing::is_program;
using testing::line;
using testing::words;

struct Handed {
  const char* name;
  Family family;
  const char* line;
  std::map<std::string, std::string, std::less<>> environment;
  const char* wanted;
};

void PrintTo(const Handed& row, std::ostream* stream) { *stream << row.line; }

class HandedOver : public ::testing::TestWithParam<Handed> {};

const std::vector<Variable> kVariables{{"LD_PRELOAD", "/c.so"}, {"COMITY_METRICS", "on"}};

std::string handed_over(const Handed& row, const std::vector<Variable>& variables) {
  LaunchLine taken = take_apart(row.family, words(row.line), is_program);
  const auto environment = [&](std::string_view name) {
    const auto found = row.environment.find(name);
    return found == row.environment.end() ? std::nullopt : std::optional(found->second);
  };
  hand_over(taken, variables, environment, is_program);
  return line(put_together(taken));
}

TEST_P(HandedOver, ToTheRanks) { EXPECT_EQ(handed_over(GetParam(), kVariables), GetParam().wanted); }

TEST_P(HandedOver, NothingWhereThereIsNothing) { EXPECT_EQ(handed_over(GetParam(), {}), GetParam().line); }

constexpr Family kOpenMpi = Family::open_mpi;
constexpr Family kHydra = Family::hydra;
constexpr Family kSlurm = Family::slurm;

INSTANTIATE_TEST_SUITE_P(
    All, HandedOver,
    ::testing::Values(
        Handed{
            "OpenMpi", kOpenMpi, "mpirun -n 2 ./app", {}, "mpirun -x LD_PRELOAD=/c.so -x COMITY_METRICS=on -n 2 ./app"},
        Handed{"OpenMpiPreloadOfTheShell",
               kOpenMpi,
               "mpirun ./app",
               {{"LD_PRELOAD", "/t.so"}},
               "mpirun -x LD_PRELOAD=/c.so:/t.so -x COMITY_METRICS=on ./app"},
        Handed{"OpenMpiPreloadOfTheLine",
               kOpenMpi,
               "mpirun -x LD_PRELOAD=/t.so -x A ./app -x LD_PRELOAD=b",
               {{"LD_PRELOAD", "/other.so"}},
               "mpirun -x LD_PRELOAD=/c.so:/t.so -x COMITY_METRICS=on -x A ./app -x LD_PRELOAD=b"},
        Handed{"OpenMpiPreloadByNameAlone",
               kOpenMpi,
               "mpirun -x LD_PRELOAD ./app",
               {{"LD_PRELOAD", "/t.so /u.so"}},
               "mpirun -x LD_PRELOAD=/c.so:/t.so /u.so -x COMITY_METRICS=on ./app"},
        Handed{"PreloadThatHasOursAlready",
               kOpenMpi,
               "mpirun ./app",
               {{"LD_PRELOAD", "/t.so:/c.so"}},
               "mpirun -x LD_PRELOAD=/t.so:/c.so -x COMITY_METRICS=on ./app"},
        Handed{"TheSwitchWinsOverTheLine",
               kOpenMpi,
               "mpirun -x COMITY_METRICS=off -x COMITY_LOG=info ./app",
               {},
               "mpirun -x LD_PRELOAD=/c.so -x COMITY_METRICS=on -x COMITY_LOG=info ./app"},
        Handed{"OpenMpiPrograms",
               kOpenMpi,
               "mpirun -n 1 ./a : -x LD_PRELOAD=/t.so -n 2 ./b",
               {},
               "mpirun -x LD_PRELOAD=/c.so -x COMITY_METRICS=on -n 1 ./a : -x LD_PRELOAD=/c.so:/t.so -x "
               "COMITY_METRICS=on -n 2 ./b"},
        Handed{"OpenMpiEndOfOptions",
               kOpenMpi,
               "mpirun -n 2 -- ./app",
               {},
               "mpirun -x LD_PRELOAD=/c.so -x COMITY_METRICS=on -n 2 -- ./app"},
        Handed{"Hydra",
               kHydra,
               "mpiexec -n 2 ./app",
               {},
               "mpiexec -genv LD_PRELOAD /c.so -genv COMITY_METRICS on -n 2 ./app"},
        Handed{"HydraPreloadOfTheShell",
               kHydra,
               "mpiexec ./app",
               {{"LD_PRELOAD", "/t.so"}},
               "mpiexec -genv LD_PRELOAD /c.so:/t.so -genv COMITY_METRICS on ./app"},
        Handed{"HydraPreloadOfTheLine",
               kHydra,
               "mpiexec -genv LD_PRELOAD /t.so -genv A 1 ./app -genv LD_PRELOAD x",
               {},
               "mpiexec -genv LD_PRELOAD /c.so:/t.so -genv COMITY_METRICS on -genv A 1 ./app -genv LD_PRELOAD x"},
        Handed{"HydraPreloadInOneWord",
               kHydra,
               "mpiexec -genv LD_PRELOAD=/t.so ./app",
               {},
               "mpiexec -genv LD_PRELOAD /c.so:/t.so -genv COMITY_METRICS on ./app"},
        Handed{
            "HydraProgramWithItsOwn",
            kHydra,
            "mpiexec -n 1 ./a : -n 2 -env LD_PRELOAD /t.so ./b",
            {},
            "mpiexec -genv LD_PRELOAD /c.so -genv COMITY_METRICS on -n 1 ./a : -n 2 -env LD_PRELOAD /c.so:/t.so ./b"},
        Handed{"HydraSwitchWins",
               kHydra,
               "mpiexec -env COMITY_METRICS off ./app",
               {},
               "mpiexec -genv LD_PRELOAD /c.so -genv COMITY_METRICS on ./app"},
        Handed{
            "Slurm", kSlurm, "srun -n 2 ./app", {}, "srun --export=ALL,LD_PRELOAD=/c.so,COMITY_METRICS=on -n 2 ./app"},
        Handed{"SlurmListOfTheLine",
               kSlurm,
               "srun --export=A,B=1 -n 2 ./app --export=C",
               {{"LD_PRELOAD", "/t.so"}},
               "srun --export=A,B=1,LD_PRELOAD=/c.so,COMITY_METRICS=on -n 2 ./app --export=C"},
        Handed{"SlurmListInTwoWords",
               kSlurm,
               "srun --export ALL,B=1 ./app",
               {},
               "srun --export=ALL,B=1,LD_PRELOAD=/c.so,COMITY_METRICS=on ./app"},
        Handed{"SlurmNothing",
               kSlurm,
               "srun --export=NONE ./app",
               {{"LD_PRELOAD", "/t.so"}},
               "srun --export=LD_PRELOAD=/c.so,COMITY_METRICS=on ./app"},
        Handed{"SlurmListOfTheShell",
               kSlurm,
               "srun ./app",
               {{"SLURM_EXPORT_ENV", "A"}},
               "srun --export=A,LD_PRELOAD=/c.so,COMITY_METRICS=on ./app"},
        Handed{"SlurmPreloadOfTheShell",
               kSlurm,
               "srun ./app",
               {{"LD_PRELOAD", "/t.so"}},
               "srun --export=ALL,LD_PRELOAD=/c.so:/t.so,COMITY_METRICS=on ./app"},
        Handed{"SlurmPreloadOfTheLine",
               kSlurm,
               "srun --export=LD_PRELOAD=/t.so,COMITY_METRICS=off,ALL ./app",
               {{"LD_PRELOAD", "/other.so"}},
               "srun --export=ALL,LD_PRELOAD=/c.so:/t.so,COMITY_METRICS=on ./app"},
        Handed{"SlurmSteps",
               kSlurm,
               "srun -n1 ./a : --export=NONE -n2 ./b",
               {},
               "srun --export=ALL,LD_PRELOAD=/c.so,COMITY_METRICS=on -n1 ./a : "
               "--export=LD_PRELOAD=/c.so,COMITY_METRICS=on -n2 ./b"}),
    [](const auto& row) { return row.param.name; });

TEST(HandOver, RefusesAnOpenMpiLineWhoseOptionsStandInAFile) {
  EXPECT_THROW((void)handed_over({"", kOpenMpi, "mpirun --app programs.txt", {}, ""}, kVariables), UsageError);
}

TEST(HandOver, RefusesACommaUnderSlurm) {
  EXPECT_THROW((void)handed_over({"", kSlurm, "srun ./app", {}, ""}, {{"COMITY_RECORD_DIRECTORY", "/a,b"}}),
               UsageError);
}

}  // namespace
}  // namespace comity::cli::launch
