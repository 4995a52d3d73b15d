// SPDX-License-Identifier: BSD-3-Clause
// Every check of the doctor: a healthy machine is called healthy, and each planted fault is found by its name.
#include "cli/doctor/checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "base/error.hpp"
#include "fake_host.hpp"

namespace comity::cli {
namespace {

using comity::testing::FakeHost;

Findings examine(const Host& host) {
  Findings all;
  for (const CheckRow& row : kChecks) {
    const Findings found = row.check(host);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

const Finding* find(const Findings& findings, const std::string& id) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) { return f.id == id; });
  return found == findings.end() ? nullptr : &*found;
}

TEST(Doctor, FindsNothingToWarnOfOnAHealthyMachine) {
  const FakeHost fake;
  for (const Finding& finding : examine(fake.host)) {
    EXPECT_LE(finding.severity, Severity::note) << finding.id << ": " << finding.what;
  }
}

TEST(Doctor, GivesEveryFindingAnIdOfItsOwn) {
  const FakeHost fake;
  Findings all = examine(fake.host);
  std::sort(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.id < b.id; });
  const auto twin =
      std::adjacent_find(all.begin(), all.end(), [](const Finding& a, const Finding& b) { return a.id == b.id; });
  EXPECT_EQ(twin, all.end()) << twin->id;
}

// A fault that is planted, and what must be found then.
struct Fault {
  const char* name;  // of the test
  const char* id;
  Severity severity;
  const char* says;  // a part of what, why or advice
  std::function<void(FakeHost&)> plant;
};

os::CommandEnd answer(int code, const char* output) {
  return {.exit_code = code, .timed_out = false, .output = output};
}

void limit_cpu_time(FakeHost& fake, const char* max = "150000 100000") {
  fake.write("/proc/self/mountinfo", "30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  fake.write("/proc/self/cgroup", "0::/job");
  fake.write("/sys/fs/cgroup/job/cpu.max", max);
}

void limit_memory(FakeHost& fake) {
  limit_cpu_time(fake);
  fake.write("/sys/fs/cgroup/job/memory.max", "67108864");
}

void fail_with(Probe& probe) {
  probe = [] { return std::string("Operation not permitted"); };
}

void limit_files(FakeHost& fake) {
  fake.write("/proc/self/limits",
             "Max locked memory         65536                65536                bytes\n"
             "Max open files            256                  4096                 files");
}

// A machine of 16 PUs that counts as the real one, whatever the cgroup of the test allows.
void be_real(FakeHost& fake) {
  fake.host.machine = [] {
    machine::Image image = machine::load_synthetic("package:2 core:8 pu:1");
    const std::uint32_t real = 0;
    std::memcpy(image.data() + offsetof(machine::ImageHeader, simulated), &real, sizeof(real));
    return image;
  };
  fake.host.binding = CpuSet::first(16);
}

void bind_shell(FakeHost& fake) {
  be_real(fake);
  fake.host.binding = CpuSet::first(4);
}

void hide_cpuset_from_hwloc(FakeHost& fake) {
  be_real(fake);
  limit_cpu_time(fake);
  fake.write("/sys/fs/cgroup/job/cpuset.cpus.effective", "0-7");
}

// A built program, found by its name on the PATH, behind what is no program.
void name_program(FakeHost& fake, const char* built) {
  fake.link("/opt/bin/solver", built);
  fake.write("/folder/solver/inside", "");
  fake.write("/text/solver", "not to be executed");
  fake.set("PATH", "/absent:/folder:/text:/opt/bin");
  fake.host.program = "solver";
}

const std::vector<Fault> kFaults{
    {"HwlocWithoutVersion", "cpus.hwloc", Severity::note, "lstopo --version",
     [](FakeHost& f) { f.host.hwloc_version = ""; }},
    {"OldHwloc", "cpus.hwloc", Severity::error, "2.1 or later", [](FakeHost& f) { f.host.hwloc_version = "1.11"; }},
    {"HwlocBefore21", "cpus.hwloc", Severity::error, "2.1 or later", [](FakeHost& f) { f.host.hwloc_version = "2.0"; }},
    {"NoTopology", "cpus.topology", Severity::error, "lstopo", [](FakeHost& f) { f.machine = "nonsense:x"; }},
    {"SimulatedMachine", "cpus.topology", Severity::note, "Unset HWLOC_SYNTHETIC",
     [](FakeHost& f) { f.set("HWLOC_SYNTHETIC", "core:4 pu:1"); }},
    {"MachineOfAnotherFolder", "cpus.topology", Severity::note, "Unset HWLOC_FSROOT",
     [](FakeHost& f) { f.set("HWLOC_FSROOT", "/recorded"); }},
    {"MachineThatIsNotThisOne", "cpus.topology", Severity::note, "Unset HWLOC_THISSYSTEM",
     [](FakeHost& f) { f.set("HWLOC_THISSYSTEM", "0"); }},
    {"RecordedMachine", "cpus.topology", Severity::note, "Unset HWLOC_XMLFILE",
     [](FakeHost& f) { f.set("HWLOC_XMLFILE", "machine.xml"); }},
    {"ForbiddenPUs", "cpus.allowed", Severity::note, "the machine also has 0-1,6-7",
     [](FakeHost& f) {
       f.host.machine = [] { return machine::load_xml(COMITY_TEST_DATA "/machines/forbidden.xml"); };
     }},
    {"BoundShell", "cpus.binding", Severity::note, "bound to PU 0-3 of 0-15", bind_shell},
    {"CpusetThatHwlocMissed", "cpus.cpuset", Severity::warning, "0-7, but hwloc found PU 0-15", hide_cpuset_from_hwloc},
    {"CpuQuotaBelowThePUs", "cpus.quota", Severity::warning, "the time of 1.5 CPUs",
     [](FakeHost& f) { limit_cpu_time(f); }},
    {"CpuQuotaOfOneAndAHalf", "cpus.quota", Severity::warning, "cpu.max), or allow only 1 PU with a cpuset.",
     [](FakeHost& f) { limit_cpu_time(f); }},
    {"CpuQuotaOfTwo", "cpus.quota", Severity::warning, "cpu.max), or allow only 2 PUs with a cpuset.",
     [](FakeHost& f) { limit_cpu_time(f, "200000 100000"); }},
    {"CpuQuotaBelowOneCpu", "cpus.quota", Severity::warning,
     "Raise the quota (docker --cpus, Kubernetes limits, cpu.max).",
     [](FakeHost& f) { limit_cpu_time(f, "50000 100000"); }},
    {"OtherLoad", "cpus.load", Severity::note, "load 7.5 on 4 PUs",
     [](FakeHost& f) { f.write("/proc/loadavg", "7.50 1.00 1.00 1/1 1"); }},
    {"OldKernel", "kernel.version", Severity::warning, "3.10.0-1160",
     [](FakeHost& f) { f.write("/proc/sys/kernel/osrelease", "3.10.0-1160.el7"); }},
    {"KernelJustTooOld", "kernel.version", Severity::warning, "4.17.19",
     [](FakeHost& f) { f.write("/proc/sys/kernel/osrelease", "4.17.19"); }},
    {"KernelWithoutVersion", "kernel.version", Severity::note, "uname -r",
     [](FakeHost& f) { f.remove("/proc/sys/kernel/osrelease"); }},
    {"NoProc", "kernel.proc", Severity::error, "mount -t proc", [](FakeHost& f) { f.remove("/proc/self/status"); }},
    {"HiddenProcesses", "kernel.hidepid", Severity::note, "hidepid=2",
     [](FakeHost& f) { f.write("/proc/self/mounts", "proc /proc proc rw,hidepid=2 0 0"); }},
    {"HiddenProcessesInWords", "kernel.hidepid", Severity::note, "hidepid=invisible",
     [](FakeHost& f) { f.write("/proc/self/mounts", "proc /proc proc rw,hidepid=invisible 0 0"); }},
    {"NoBootId", "kernel.boot_id", Severity::error, "boot_id cannot be read",
     [](FakeHost& f) { f.remove("/proc/sys/kernel/random"); }},
    {"Yama", "kernel.ptrace", Severity::note, "ptrace_scope is 2",
     [](FakeHost& f) { f.write("/proc/sys/kernel/yama/ptrace_scope", "2"); }},
    {"PidNamespace", "kernel.pid_namespace", Severity::note, "a container",
     [](FakeHost& f) { f.link("/proc/self/ns/pid", "pid:[4026532201]"); }},
    {"UserNamespace", "kernel.user_namespace", Severity::note, "a container",
     [](FakeHost& f) { f.link("/proc/self/ns/user", "user:[4026532202]"); }},
    {"UnknownPidNamespace", "kernel.pid_namespace", Severity::note, "cannot be told",
     [](FakeHost& f) { f.remove("/proc/self/ns/pid"); }},
    {"UnknownUserNamespace", "kernel.user_namespace", Severity::note, "cannot be told",
     [](FakeHost& f) { f.remove("/proc/self/ns/user"); }},
    {"NoMemoryFile", "sharing.memory_file", Severity::warning, "Operation not permitted",
     [](FakeHost& f) { fail_with(f.host.memory_file); }},
    {"ClosedProc", "sharing.proc", Severity::warning, "takes the next that is open",
     [](FakeHost& f) { fail_with(f.host.proc_descriptor); }},
    {"NoSocket", "sharing.socket", Severity::warning, "seccomp", [](FakeHost& f) { fail_with(f.host.unix_socket); }},
    {"NoLock", "sharing.lock", Severity::error, "gVisor", [](FakeHost& f) { fail_with(f.host.ofd_lock); }},
    {"NoFutex", "sharing.futex", Severity::error, "futex", [](FakeHost& f) { fail_with(f.host.futex); }},
    {"NoFolder", "sharing.folder", Severity::warning, "/absent does not exist",
     [](FakeHost& f) { f.set("COMITY_NODE_DIRECTORY", "/absent"); }},
    {"FolderUnnamed", "sharing.folder", Severity::warning, "no whole path",
     [](FakeHost& f) { f.set("COMITY_NODE_DIRECTORY", ""); }},
    {"FolderNotWritable", "sharing.folder", Severity::warning, "/dev/shm is not writable",
     [](FakeHost& f) { f.folders_writable = false; }},
    {"FullFolder", "sharing.folder", Severity::warning, "only 4 KiB free",
     [](FakeHost& f) {
       f.spaces["/dev/shm"] = {std::uint64_t{1} << 30U, 4096};
     }},
    {"NoShm", "sharing.shm", Severity::warning, "/dev/shm is missing", [](FakeHost& f) { f.spaces.clear(); }},
    {"SmallShm", "sharing.shm", Severity::warning, "--shm-size",
     [](FakeHost& f) {
       f.spaces["/dev/shm"] = {std::uint64_t{64} << 20U, std::uint64_t{64} << 20U};
     }},
    {"LittleMemory", "memory.cgroup", Severity::warning, "64 MiB", limit_memory},
    {"LittleLockedMemory", "memory.locked", Severity::note, "64 KiB", limit_files},
    {"FewFiles", "memory.files", Severity::warning, "only 256 open files", limit_files},
    {"NoLauncher", "mpi.launcher", Severity::warning, "apt install openmpi-bin",
     [](FakeHost& f) { f.commands.erase("mpirun"); }},
    {"LauncherThatHangs", "mpi.mpirun", Severity::warning, "does not end",
     [](FakeHost& f) { f.commands["mpirun"] = {.exit_code = std::nullopt, .timed_out = true, .output = {}}; }},
    {"LauncherThatFails", "mpi.srun", Severity::warning, "libslurm.so: no such file",
     [](FakeHost& f) { f.commands["srun"] = answer(127, "libslurm.so: no such file\nmore"); }},
    {"LauncherThatCrashes", "mpi.srun", Severity::warning, "srun --version fails: exit code 139",
     [](FakeHost& f) { f.commands["srun"] = answer(139, ""); }},
    {"RootWithOpenMpi", "mpi.root", Severity::warning, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
     [](FakeHost& f) { f.host.is_root = true; }},
    {"RootWithHalfOfTheVariables", "mpi.root", Severity::warning, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
     [](FakeHost& f) {
       f.host.is_root = true;
       f.set("OMPI_ALLOW_RUN_AS_ROOT", "1");
     }},
    {"SingleCopySwitchedOff", "mpi.single_copy", Severity::warning, "breaks MPI windows",
     [](FakeHost& f) { f.set("OMPI_MCA_btl_vader_single_copy_mechanism", "none"); }},
    {"NoOpenMp", "openmp.runtimes", Severity::note, "no OpenMP runtime",
     [](FakeHost& f) { f.commands.erase("/sbin/ldconfig"); }},
    {"FightingPolicy", "openmp.OMP_PROC_BIND", Severity::warning, "Unset OMP_PROC_BIND",
     [](FakeHost& f) { f.set("OMP_PROC_BIND", "close"); }},
    {"SecondFightingPolicy", "openmp.KMP_AFFINITY", Severity::warning, "KMP_AFFINITY=compact",
     [](FakeHost& f) {
       f.set("OMP_PROC_BIND", "close");
       f.set("KMP_AFFINITY", "compact");
     }},
    {"FightingPlaces", "openmp.OMP_PLACES", Severity::warning, "Unset OMP_PLACES",
     [](FakeHost& f) { f.set("OMP_PLACES", "cores"); }},
    {"FightingAffinity", "openmp.GOMP_CPU_AFFINITY", Severity::warning, "Unset GOMP_CPU_AFFINITY",
     [](FakeHost& f) { f.set("GOMP_CPU_AFFINITY", "0-3"); }},
    {"TeamsThatTheRuntimeSizes", "openmp.OMP_DYNAMIC", Severity::warning, "Unset OMP_DYNAMIC",
     [](FakeHost& f) { f.set("OMP_DYNAMIC", "true"); }},
    {"TeamsBelowTheCores", "openmp.OMP_THREAD_LIMIT", Severity::warning, "fewer than the 4 members",
     [](FakeHost& f) { f.set("OMP_THREAD_LIMIT", "3"); }},
    {"TeamsOfOne", "openmp.OMP_MAX_ACTIVE_LEVELS", Severity::warning, "OMP_MAX_ACTIVE_LEVELS=0 is set",
     [](FakeHost& f) { f.set("OMP_MAX_ACTIVE_LEVELS", "0"); }},
    {"SpinningTeamsOfLlvm", "openmp.waiting", Severity::warning, "KMP_BLOCKTIME=infinite",
     [](FakeHost& f) { f.set("KMP_BLOCKTIME", "infinite"); }},
    {"SpinningTeamsOfLlvmByNumber", "openmp.waiting", Severity::warning, "KMP_BLOCKTIME=2147483647",
     [](FakeHost& f) { f.set("KMP_BLOCKTIME", "2147483647"); }},
    {"SpinningTeamsOfGnu", "openmp.waiting", Severity::warning, "GOMP_SPINCOUNT=INFINITY",
     [](FakeHost& f) { f.set("GOMP_SPINCOUNT", "INFINITY"); }},
    {"SpinningTeams", "openmp.waiting", Severity::warning, "OMP_WAIT_POLICY=ACTIVE",
     [](FakeHost& f) { f.set("OMP_WAIT_POLICY", "ACTIVE"); }},
    {"UnknownVariable", "settings.COMITY_LOGG", Severity::warning, "Did you mean COMITY_LOG?",
     [](FakeHost& f) { f.set("COMITY_LOGG", "debug"); }},
    {"NoWholePath", "settings.COMITY_NODE_DIRECTORY", Severity::error, "by its whole path",
     [](FakeHost& f) { f.set("COMITY_NODE_DIRECTORY", ""); }},
    {"ValueOutOfRange", "settings.COMITY_NODE_SLICE_MS", Severity::error, "10..500",
     [](FakeHost& f) { f.set("COMITY_NODE_SLICE_MS", "5"); }},
    {"NoProgram", "program.file", Severity::error, "cannot be read",
     [](FakeHost& f) { f.host.program = "/bin/solver"; }},
    {"Script", "program.file", Severity::note, "is a script",
     [](FakeHost& f) {
       f.write("/bin/solver", "#!/bin/sh");
       f.host.program = "/bin/solver";
     }},
    {"BrokenProgram", "program.file", Severity::error, "no program of this machine",
     [](FakeHost& f) {
       f.write("/bin/solver",
               "\x7f"
               "ELF and no more");
       f.host.program = "/bin/solver";
     }},
    {"LibraryForAProgram", "program.file", Severity::note, "is a shared library",
     [](FakeHost& f) { name_program(f, TEST_LIBRARY); }},
#ifdef TEST_STATIC_SOLVER
    {"StaticMpi", "program.loader", Severity::warning, "MPI in it (MPI_Finalize and 2 more)",
     [](FakeHost& f) { name_program(f, TEST_STATIC_SOLVER); }},
    {"StaticMpiThatMayLieAnywhere", "program.loader", Severity::warning, "LD_PRELOAD is ignored",
     [](FakeHost& f) { name_program(f, TEST_STATIC_PIE_SOLVER); }},
    {"StaticMpiWithoutSymbols", "program.loader", Severity::warning, "is linked statically",
     [](FakeHost& f) { name_program(f, TEST_STRIPPED_SOLVER); }},
#endif
    {"MpiLinkedIntoADynamicProgram", "program.mpi", Severity::warning, "a second MPI",
     [](FakeHost& f) { name_program(f, TEST_INNER_SOLVER); }},
#ifdef TEST_SHARED_SOLVER
    {"WrappersOfATool", "program.mpi", Severity::note, "wraps functions of MPI itself (MPI_Init)",
     [](FakeHost& f) { name_program(f, TEST_WRAPPED_SOLVER); }},
#endif
};

class Planted : public ::testing::TestWithParam<Fault> {};

TEST_P(Planted, FaultIsFound) {
  FakeHost fake;
  GetParam().plant(fake);
  const Findings findings = examine(fake.host);
  const Finding* finding = find(findings, GetParam().id);
  ASSERT_NE(finding, nullptr) << GetParam().id;
  EXPECT_EQ(finding->severity, GetParam().severity) << finding->what;
  const std::string all = finding->what + '\n' + finding->why + '\n' + finding->advice;
  EXPECT_NE(all.find(GetParam().says), std::string::npos) << all;
  EXPECT_FALSE(finding->why.empty());
  EXPECT_FALSE(finding->advice.empty());
}

INSTANTIATE_TEST_SUITE_P(Faults, Planted, ::testing::ValuesIn(kFaults),
                         [](const auto& fault) { return std::string(fault.param.name); });

#ifdef TEST_SHARED_SOLVER
TEST(Doctor, FindsNoFaultInAProgramWhoseMpiTheLoaderBrings) {
  FakeHost fake;
  name_program(fake, TEST_SHARED_SOLVER);
  for (const Finding& finding : check_program(fake.host)) EXPECT_EQ(finding.severity, Severity::ok) << finding.what;
  EXPECT_NE(find(check_program(fake.host), "program.mpi")->what.find("libmpi"), std::string::npos);
}
#endif

TEST(Doctor, SaysNothingOfProgramsWhereNoneIsNamed) {
  const FakeHost fake;
  EXPECT_TRUE(check_program(fake.host).empty());
}

TEST(Doctor, LetsRootPassThatToldOpenMpi) {
  FakeHost fake;
  fake.host.is_root = true;
  fake.set("OMPI_ALLOW_RUN_AS_ROOT", "1");
  fake.set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  EXPECT_EQ(find(check_mpi(fake.host), "mpi.root")->severity, Severity::ok);
}

TEST(Doctor, LetsRootPassWithoutOpenMpi) {
  FakeHost fake;
  fake.host.is_root = true;
  fake.commands["mpirun"] = answer(0, "HYDRA build details:\n    Version:    4.0.2\n");
  EXPECT_EQ(find(check_mpi(fake.host), "mpi.root")->severity, Severity::ok);
}

TEST(Doctor, KnowsEachMpiByItsOwnWords) {
  FakeHost fake;
  fake.commands["mpirun"] = answer(0, "Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1\n");
  fake.commands["mpirun.openmpi"] = answer(0, "mpirun (Open MPI) 5.0.1\n");
  fake.commands["mpirun.mpich"] = answer(0, "HYDRA build details:\n    Version:    4.0.2\n");
  fake.commands["srun"] = answer(0, "slurm 23.02.4\n");
  const Findings findings = check_mpi(fake.host);
  EXPECT_EQ(find(findings, "mpi.mpirun")->what, "mpirun: Intel MPI 2021.9");
  EXPECT_EQ(find(findings, "mpi.mpirun.openmpi")->what, "mpirun.openmpi: Open MPI 5.0.1");
  EXPECT_EQ(find(findings, "mpi.mpirun.mpich")->what, "mpirun.mpich: MPICH 4.0.2");
  EXPECT_EQ(find(findings, "mpi.srun")->what, "srun: Slurm 23.02.4");
}

TEST(Doctor, KnowsALauncherBehindWhatTheLoaderSays) {
  FakeHost fake;
  fake.commands["srun"] =
      answer(0, "ERROR: ld.so: object 'slurm tool.so' cannot be preloaded: ignored.\nslurm 23.02.4\n");
  EXPECT_EQ(find(check_mpi(fake.host), "mpi.srun")->what, "srun: Slurm 23.02.4");
}

TEST(Doctor, KnowsSlurmAsDebianNamesIt) {
  FakeHost fake;
  fake.commands["srun"] = answer(0, "slurm-wlm 22.05.8\n");
  EXPECT_EQ(find(check_mpi(fake.host), "mpi.srun")->what, "srun: Slurm 22.05.8");
}

TEST(Doctor, FindsAnOpenMpRuntimeOnTheLibraryPathAlone) {
  FakeHost fake;
  fake.commands.erase("/sbin/ldconfig");
  fake.write("/opt/llvm/lib/libomp.so.5", "");
  fake.set("LD_LIBRARY_PATH", "/absent:/opt/llvm/lib");
  EXPECT_EQ(find(check_openmp(fake.host), "openmp.runtimes")->what, "libomp.so.5 (LLVM)");
}

TEST(Doctor, SaysThatAPolicySwitchedOffIsNoFight) {
  FakeHost fake;
  fake.set("OMP_PROC_BIND", "false");
  EXPECT_EQ(find(check_openmp(fake.host), "openmp.policies")->severity, Severity::ok);
}

TEST(Doctor, SaysWhichRuntimePinsWhereTheOtherDoesNot) {
  FakeHost fake;
  const auto why = [&](const char* variable) { return find(check_openmp(fake.host), variable)->why; };
  fake.set("OMP_PROC_BIND", "close");
  EXPECT_TRUE(why("openmp.OMP_PROC_BIND").starts_with("It pins"));
  fake.set("KMP_AFFINITY", "none");
  EXPECT_TRUE(why("openmp.OMP_PROC_BIND").starts_with("With GNU's runtime it pins"));
  fake.set("KMP_AFFINITY", "compact");
  EXPECT_TRUE(why("openmp.KMP_AFFINITY").starts_with("With LLVM's runtime it pins"));
}

TEST(Doctor, SaysThatALimitOfAllCoresShrinksNoTeam) {
  FakeHost fake;
  fake.host.machine = [] { return machine::load_synthetic("package:1 core:4 pu:2"); };
  fake.set("OMP_THREAD_LIMIT", "4");
  fake.set("OMP_DYNAMIC", "false");
  fake.set("OMP_MAX_ACTIVE_LEVELS", "1");
  EXPECT_EQ(find(check_openmp(fake.host), "openmp.policies")->severity, Severity::ok);
}

TEST(Doctor, JudgesALimitByTheShellWhereNoTopologyCanBeRead) {
  FakeHost fake;
  fake.host.machine = []() -> machine::Image { throw Error(Status::topology, "planted"); };
  fake.host.binding = CpuSet::first(2);
  fake.set("OMP_THREAD_LIMIT", "1");
  EXPECT_NE(find(check_openmp(fake.host), "openmp.OMP_THREAD_LIMIT")->why.find("2 members"), std::string::npos);
}

TEST(Doctor, SeesThisMachineWithoutThrowing) {
  Host host = this_host();
  host.run = [](const std::vector<std::string>&) { return os::CommandEnd{}; };  // launchers take seconds
  EXPECT_GE(examine(host).size(), 20U);
}

}  // namespace
}  // namespace comity::cli
