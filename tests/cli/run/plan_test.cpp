// SPDX-License-Identifier: BSD-3-Clause
// What is started, on planted machines.
#include "cli/run/plan.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "cli/common/arguments.hpp"
#include "cli/run/words.hpp"

namespace comity::cli::launch {
namespace {

using testing::line;
using testing::words;

os::CommandEnd answer(const std::string& output) { return {.exit_code = 0, .timed_out = false, .output = output}; }

const os::CommandEnd kOpenMpi = answer("mpirun (Open MPI) 4.1.4\n");
const os::CommandEnd kHydra = answer("HYDRA build details:\n    Version:    4.0.2\n");
const os::CommandEnd kSlurm = answer("slurm 22.05.8\n");

ElfFile needs(const std::string& library) {
  return {.kind = FileKind::dynamic, .needed = {library, "libc.so.6"}, .defined = {}, .undefined = {"MPI_Init"}};
}

// A machine with both MPIs, a Slurm, Comity's libraries in /lib, and a program of each kind.
struct Machine {
  std::map<std::string, os::CommandEnd> launchers{
      {"mpirun", kOpenMpi}, {"mpirun.openmpi", kOpenMpi}, {"mpirun.mpich", kHydra}, {"srun", kSlurm}};
  std::map<std::string, ElfFile> programs{
      {"./open", needs("libmpi.so.40")},
      {"./mpich", needs("libmpich.so.12")},
      {"./script", {.kind = FileKind::script, .needed = {}, .defined = {}, .undefined = {}}},
      {"./behind", {.kind = FileKind::dynamic, .needed = {"libsolver.so"}, .defined = {}, .undefined = {}}},
      {"/bin/python3", {.kind = FileKind::dynamic, .needed = {"libc.so.6"}, .defined = {}, .undefined = {}}},
      {"./static", {.kind = FileKind::fixed, .needed = {}, .defined = {}, .undefined = {}}},
      {"./inner", {.kind = FileKind::dynamic, .needed = {}, .defined = {"MPI_Init", "MPI_Send"}, .undefined = {}}}};
  std::map<std::string, std::string, std::less<>> variables{{"PATH", "/usr/bin:/bin"},
                                                            {"COMITY_COOP", "off"}};  // coop_test is about that

  std::vector<std::string> libraries{"/lib/libcomity_preload-openmpi.so", "/lib/libcomity_preload-mpich.so"};
  std::string folder = "/lib";

  [[nodiscard]] Surroundings surroundings() const {
    Surroundings here;
    here.variable = [this](std::string_view name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    here.run = [this](const std::vector<std::string>& command) {
      if (command.front() == "ldd") {
        return answer(command.at(1) == "./behind" ? "\tlibsolver.so => /lib/libsolver.so (0x7f00)\n"
                                                    "\tlibmpich.so.12 => /lib/libmpich.so.12 (0x7f01)\n"
                                                    "\tlibucp.so.0 => /lib/libucp.so.0 (0x7f02)\n"
                                                  : "\tlibc.so.6 => /lib/libc.so.6 (0x7f00)\n");
      }
      const auto found = launchers.find(command.front());
      return found == launchers.end() ? os::CommandEnd{} : found->second;
    };
    here.is_executable = [this](const std::string& path) { return programs.contains(path); };
    here.is_file = [this](const std::string& path) {
      return std::find(libraries.begin(), libraries.end(), path) != libraries.end();
    };
    here.read_program = [this](const std::string& path) { return programs.at(path); };
    here.library_folders = {"/absent", folder};
    return here;
  }

  [[nodiscard]] Plan plan(const std::string& command, const Request& request = {}) const {
    Request whole = request;
    whole.command = words(command);
    return make_plan(whole, surroundings());
  }

  // The sentence with which a command is refused.
  template <typename Refusal = Error>
  [[nodiscard]] std::string refusal(const std::string& command, const Request& request = {}) const {
    try {
      return "started: " + line(plan(command, request).words);
    } catch (const Refusal& error) {
      return error.what();
    }
  }
};

Request with_ranks(int ranks, const std::string& launcher = {}, const std::string& mpi = {}) {
  return {.command = {}, .ranks = ranks, .launcher = launcher, .mpi = mpi, .settings = {}, .memory = false, .coop = {}};
}
Request with_mpi(const std::string& mpi) { return with_ranks(0, {}, mpi); }

bool contains(const std::string& text, const std::string& piece) { return text.find(piece) != std::string::npos; }

TEST(Plan, TakesTheMpiOfTheLauncher) {
  const Plan open = Machine().plan("mpirun -n 2 ./open");
  EXPECT_EQ(line(open.words), "mpirun -x LD_PRELOAD=/lib/libcomity_preload-openmpi.so -n 2 ./open");
  EXPECT_EQ(open.mpi, "openmpi");
  EXPECT_EQ(open.launcher, "Open MPI 4.1.4");
  EXPECT_TRUE(open.notes.empty());
  const Plan mpich = Machine().plan("mpirun.mpich -n 2 ./mpich");
  EXPECT_EQ(line(mpich.words), "mpirun.mpich -genv LD_PRELOAD /lib/libcomity_preload-mpich.so -n 2 ./mpich");
}

TEST(Plan, TakesOpenMpisFifthUnderItsOwnName) {
  Machine machine;
  machine.launchers["prterun"] = answer("prterun (PRRTE) 3.0.8\n\nReport bugs to https://github.com/openpmix/prrte\n");
  const Plan plan = machine.plan("prterun -n 2 ./open");
  EXPECT_EQ(line(plan.words), "prterun -x LD_PRELOAD=/lib/libcomity_preload-openmpi.so -n 2 ./open");
  EXPECT_EQ(plan.launcher, "PRRTE 3.0.8");
}

TEST(Plan, GivesTheRanksTheSettings) {
  Request request;
  request.settings = {{"COMITY_METRICS", "on"}, {"COMITY_RECORD_DIRECTORY", "/out"}};
  const Plan plan = Machine().plan("mpirun ./open", request);
  EXPECT_EQ(line(plan.words),
            "mpirun -x LD_PRELOAD=/lib/libcomity_preload-openmpi.so -x COMITY_METRICS=on -x "
            "COMITY_RECORD_DIRECTORY=/out -x COMITY_RECORD_LAUNCHER=mpirun@20./open ./open");
  EXPECT_EQ(plan.variables.size(), 4U);
}

TEST(Plan, RunsScriptsAndInterpretersUnderALauncherThatTellsItsMpi) {
  for (const char* program : {"./script", "python3 app.py", "./behind"}) {
    EXPECT_EQ(Machine().plan("mpirun.mpich " + std::string(program)).mpi, "mpich") << program;
  }
}

TEST(Plan, TakesTheMpiOfTheProgramUnderSlurm) {
  EXPECT_EQ(Machine().plan("srun ./open").mpi, "openmpi");
  EXPECT_EQ(Machine().plan("srun ./mpich").mpi, "mpich");
  EXPECT_EQ(Machine().plan("srun ./behind").mpi, "mpich");
  EXPECT_EQ(Machine().plan("srun ./script : ./mpich").mpi, "mpich");
}

TEST(Plan, AsksForTheMpiWhereNobodyTellsIt) {
  for (const char* command : {"srun ./script", "srun python3 app.py", "./script", "python3 app.py", "srun"}) {
    EXPECT_TRUE(contains(Machine().refusal<UsageError>(command), "say --mpi openmpi or --mpi mpich")) << command;
    EXPECT_EQ(Machine().plan(command, with_mpi("mpich")).mpi, "mpich") << command;
  }
  EXPECT_TRUE(contains(Machine().refusal("./script"), "put `comity run --` before the launcher"));
}

TEST(Plan, StartsTheProgramItselfWhereThereIsNoLauncher) {
  Machine machine;
  const Plan plan = machine.plan("./mpich -n 3");
  EXPECT_EQ(line(plan.words), "./mpich -n 3");
  EXPECT_EQ(plan.launcher, "");
  EXPECT_EQ(plan.variables.front().value, "/lib/libcomity_preload-mpich.so");
  machine.variables["LD_PRELOAD"] = "/tool.so";
  EXPECT_EQ(machine.plan("./mpich").variables.front().value, "/lib/libcomity_preload-mpich.so:/tool.so");
}

TEST(Plan, PutsALauncherOfTheProgramsMpiBeforeIt) {
  const std::string open = "-x LD_PRELOAD=/lib/libcomity_preload-openmpi.so -n 4 ./open";
  const std::string mpich = "-genv LD_PRELOAD /lib/libcomity_preload-mpich.so -n 4 ./";
  EXPECT_EQ(line(Machine().plan("./open", with_ranks(4)).words), "mpirun " + open);
  EXPECT_EQ(line(Machine().plan("./mpich", with_ranks(4)).words), "mpirun.mpich " + mpich + "mpich");
  EXPECT_EQ(line(Machine().plan("./script", with_ranks(4, {}, "mpich")).words), "mpirun.mpich " + mpich + "script");
  EXPECT_EQ(line(Machine().plan("./open", with_ranks(4, "mpirun.openmpi")).words), "mpirun.openmpi " + open);
  EXPECT_EQ(line(Machine().plan("./mpich", with_ranks(0, "srun")).words),
            "srun --export=ALL,LD_PRELOAD=/lib/libcomity_preload-mpich.so ./mpich");
  Machine odd;
  odd.launchers["mpirun"] = answer("a launcher of something else");
  EXPECT_EQ(line(odd.plan("./open", with_ranks(4)).words), "mpirun.openmpi " + open);
}

// The hooks stand before all that allocates while it is loaded, also what the user preloads.
TEST(Plan, PreloadsWhatStandsBeforeMallocFirst) {
  Machine machine;
  Request request;
  request.memory = true;
  EXPECT_TRUE(contains(machine.refusal("./mpich", request), "there is no libcomity_memory.so in /absent or /lib"));
  machine.libraries.emplace_back("/lib/libcomity_memory.so");
  const std::string both = "/lib/libcomity_memory.so:/lib/libcomity_preload-mpich.so";
  EXPECT_EQ(machine.plan("./mpich", request).variables.front().value, both);
  machine.variables["LD_PRELOAD"] = "/tool.so";
  EXPECT_EQ(machine.plan("./mpich", request).variables.front().value, both + ":/tool.so");
  machine.variables["LD_PRELOAD"] = "/tool.so:" + both;
  EXPECT_EQ(machine.plan("./mpich", request).variables.front().value, "/tool.so:" + both);
}

TEST(Plan, RefusesRanksWhereTheCommandHasALauncher) {
  EXPECT_TRUE(contains(Machine().refusal<UsageError>("mpirun ./open", with_ranks(4)), "give it the ranks itself"));
}

TEST(Plan, SaysThatALauncherIsNotThere) {
  Machine machine;
  EXPECT_TRUE(contains(machine.refusal("mpiexec ./open"), "mpiexec is not here"));
  EXPECT_TRUE(contains(machine.refusal("./open", with_ranks(2, "mpirun.intel")), "mpirun.intel is not here"));
  machine.launchers.clear();
  EXPECT_TRUE(contains(machine.refusal("./open", with_ranks(2)), "no launcher of Open MPI is on the PATH"));
}

TEST(Plan, SaysThatALauncherIsUnknownOrHangs) {
  Machine machine;
  machine.launchers["mpirun"] = answer("mvapich2 1.9\n");
  EXPECT_TRUE(contains(machine.refusal("mpirun ./open"), "mpirun --version says \"mvapich2 1.9\""));
  machine.launchers["mpirun"] = {.exit_code = std::nullopt, .timed_out = true, .output = {}};
  EXPECT_TRUE(contains(machine.refusal("mpirun ./open"), "does not end"));
}

// 127 is what the loader ends with, and no "not here".
TEST(Plan, SaysThatALauncherCannotLoad) {
  Machine machine;
  machine.launchers["mpirun"] = {
      .exit_code = 127, .timed_out = false, .output = "libopen-rte.so.40: no such file\nmore"};
  const std::string said = machine.refusal("mpirun ./open");
  EXPECT_TRUE(contains(said, "fails with exit code 127: libopen-rte.so.40: no such file; check its installation"))
      << said;
}

TEST(Plan, SaysThatAProgramIsNotThere) {
  EXPECT_TRUE(contains(Machine().refusal("mpirun -n 2 ./opne"), "./opne is not here"));
  EXPECT_TRUE(contains(Machine().refusal("./opne"), "./opne is not here"));
  EXPECT_TRUE(contains(Machine().refusal("mpirun ./open : ./opne"), "./opne is not here"));
}

TEST(Plan, LeavesAProgramToALauncherThatLooksElsewhere) {
  for (const char* options : {"-wdir /tmp", "--host far", "--hostfile hosts", "-path /opt"}) {
    EXPECT_TRUE(contains(Machine().refusal("mpirun " + std::string(options) + " -n 2 ./far"), "started: ")) << options;
  }
}

TEST(Plan, SaysThatTheLibraryIsNotThere) {
  Machine machine;
  machine.libraries = {"/lib/libcomity_preload-openmpi.so"};
  const std::string said = machine.refusal("mpirun.mpich ./mpich");
  EXPECT_TRUE(contains(said, "no libcomity_preload-mpich.so in /absent or /lib")) << said;
  EXPECT_TRUE(contains(said, "comity-preload-mpich")) << said;
}

TEST(Plan, RefusesALibraryThatThePreloadCannotName) {
  Machine machine;
  machine.folder = "/my lib";
  machine.libraries = {"/my lib/libcomity_preload-openmpi.so"};
  EXPECT_TRUE(contains(machine.refusal("mpirun ./open"), "move Comity"));
}

TEST(Plan, RunsAProgramWhoseMpiCannotBeSeenAndSaysSo) {
  for (const char* program : {"./static", "./inner"}) {
    for (const std::string launcher : {"", "mpirun -n 2 ", "srun "}) {
      const Plan plan = Machine().plan(launcher + program);
      EXPECT_EQ(line(plan.words), launcher + program);
      EXPECT_EQ(plan.mpi, "");
      EXPECT_TRUE(plan.variables.empty());
      ASSERT_EQ(plan.notes.size(), 1U);
      EXPECT_TRUE(contains(plan.notes.front(), "no call of its MPI can be seen")) << plan.notes.front();
    }
  }
}

TEST(Plan, SeesTheOtherProgramsBesideAStaticOne) {
  const Plan plan = Machine().plan("mpirun ./static : ./open");
  EXPECT_EQ(plan.mpi, "openmpi");
  EXPECT_EQ(plan.notes.size(), 1U);
}

TEST(Plan, RefusesToMeasureAJobOfWhichAPartCannotBeSeen) {
  Request request;
  request.settings = {{"COMITY_METRICS", "on"}};
  const std::string refusal = Machine().refusal("mpirun ./open : ./static", request);
  EXPECT_TRUE(contains(refusal, "./static")) << refusal;
  EXPECT_TRUE(contains(refusal, "need all ranks of a job")) << refusal;
}

TEST(Plan, LetsTheOthersWaitCooperativelyBesideAStaticOneWhereToldTo) {
  for (const std::string program : {"./static", "./inner"}) {
    Request request;
    request.coop = "on";
    const Plan plan = Machine().plan("mpirun -n 2 ./open : -n 1 " + program, request);
    EXPECT_EQ(plan.coop.setting, "on");
    EXPECT_TRUE(contains(line(plan.words), "COMITY_COOP=on")) << line(plan.words);
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_TRUE(contains(plan.notes.front(), program)) << plan.notes.front();
    request.coop = "auto";
    EXPECT_EQ(Machine().plan("mpirun -n 2 ./open : -n 1 " + program, request).coop.setting, "off");
  }
}

TEST(Plan, KnowsWhetherTheMpiCallsBackFromItsWaits) {
  EXPECT_TRUE(Machine().plan("mpirun -n 2 ./open").calls_back);
  EXPECT_TRUE(Machine().plan("mpirun.mpich -n 2 ./behind").calls_back);  // on UCX
  EXPECT_FALSE(Machine().plan("mpirun.mpich -n 2 ./mpich").calls_back);
  EXPECT_FALSE(Machine().plan("mpirun.mpich -n 2 ./script").calls_back);  // nobody can tell
  EXPECT_FALSE(Machine().plan("mpirun.mpich -n 1 ./behind : -n 1 ./mpich").calls_back);
}

TEST(Plan, WarnsOfAProgramOfAnotherMpiThanItsLaunchers) {
  const Plan plan = Machine().plan("mpirun -n 2 ./mpich");
  ASSERT_EQ(plan.notes.size(), 1U);
  EXPECT_TRUE(contains(plan.notes.front(), "./mpich loads MPICH, and mpirun starts ranks of Open MPI"))
      << plan.notes.front();
}

TEST(Plan, PassesOnALineWithoutAProgram) {
  EXPECT_TRUE(contains(line(Machine().plan("mpirun --help").words), " --help"));
}

}  // namespace
}  // namespace comity::cli::launch
