// SPDX-License-Identifier: BSD-3-Clause
// Which processes form a job, and what is told of them: on a planted /proc, and of real ranks that share a segment.
#include "cli/topo/job.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "cli/topo/bindings.hpp"
#include "cli/topo/objects.hpp"
#include "machine/loader.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/node_fixture.hpp"

namespace comity::cli {
namespace {

struct Planted {
  pid_t parent = 1;
  std::string segment = "";  // inode of the node segment that it maps
  std::string environ = "";  // NAME=value, one a line
  std::string cpus = "0-3";
  bool readable = true;  // false: another user's, as /proc shows it
};

class TheJob : public ::testing::Test {
 protected:
  TheJob() {
    std::string name = ::testing::TempDir() + "comity-proc-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder = name;
  }
  ~TheJob() override { std::filesystem::remove_all(folder); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((folder / path).parent_path());
    std::ofstream(folder / path, std::ios::binary) << text;
  }
  void plant_thread(pid_t process, pid_t thread, const std::string& cpus,
                    const std::string& state = "S (sleeping)") const {
    write(std::to_string(process) + "/task/" + std::to_string(thread) + "/status",
          "Name:\tmodel\nState:\t" + state + "\nCpus_allowed:\tf\nCpus_allowed_list:\t" + cpus + "\n");
  }
  void plant(pid_t process, const Planted& planted) const {
    const std::string own = std::to_string(process) + '/';
    write(own + "status", "Name:\tmodel\nPPid:\t" + std::to_string(planted.parent) + "\n");
    plant_thread(process, process, planted.cpus);
    write(own + "cmdline", std::string("./model\0--steps\0004\0", 19));
    if (!planted.readable) return;
    std::string environ = planted.environ + '\n';
    std::replace(environ.begin(), environ.end(), '\n', '\0');
    write(own + "environ", environ);
    std::string maps = "7f00-7f01 r-xp 00000000 08:01 99   /usr/bin/model\n";
    if (!planted.segment.empty()) {
      maps += "7f02-7f03 rw-s 00000000 00:01 " + planted.segment + "   /memfd:comity-node (deleted)\n";
    }
    write(own + "maps", maps);
  }
  [[nodiscard]] ProcessTable table() const { return ProcessTable(folder.string()); }

  std::filesystem::path folder;
};

using Pids = std::vector<pid_t>;

TEST_F(TheJob, IsAllThatMapOneSegment) {
  plant(10, {});
  plant(11, {.segment = "500"});
  plant(12, {.segment = "500"});
  const auto job = find_job(table(), std::nullopt);
  EXPECT_EQ(job.kind, JobKind::segment);
  EXPECT_EQ(job.processes, (Pids{11, 12}));
  EXPECT_EQ(find_job(table(), 12).processes, (Pids{11, 12}));
}

TEST_F(TheJob, IsToldByTheSegmentsInodeNotItsName) {
  plant(11, {.segment = "500"});
  plant(12, {.segment = "600"});
  EXPECT_EQ(find_job(table(), 11).processes, (Pids{11}));
  std::string words;
  EXPECT_EQ(testing::status_of([&] { (void)find_job(table(), std::nullopt); }, &words), Status::argument);
  EXPECT_NE(words.find("11, 12"), std::string::npos) << words;
}

TEST_F(TheJob, OfALauncherIsTheSegmentBelowIt) {
  plant(10, {});
  plant(11, {.parent = 10});
  plant(12, {.parent = 11, .segment = "500"});
  plant(13, {.parent = 11, .segment = "500"});
  EXPECT_EQ(find_job(table(), 10).processes, (Pids{12, 13}));
}

TEST_F(TheJob, OfALauncherWithoutSegmentIsTheRanksBelowIt) {
  plant(10, {});
  plant(11, {.parent = 10});  // the launcher's own helper
  plant(12, {.parent = 11, .environ = "PATH=/bin\nPMI_RANK=0"});
  plant(13, {.parent = 11, .environ = "PMI_RANK=1"});
  const auto job = find_job(table(), 10);
  EXPECT_EQ(job.kind, JobKind::launcher);
  EXPECT_EQ(job.processes, (Pids{12, 13}));
}

TEST_F(TheJob, OfALauncherAboveSeveralIsRefusedAndNamesThem) {
  plant(10, {});
  plant(11, {.parent = 10, .segment = "500"});
  plant(12, {.parent = 10, .segment = "600"});
  plant(13, {.parent = 1, .segment = "700"});  // a third one, elsewhere
  std::string words;
  EXPECT_EQ(testing::status_of([&] { (void)find_job(table(), 10); }, &words), Status::argument);
  EXPECT_NE(words.find("of process 10: 2 run below it"), std::string::npos) << words;
  EXPECT_TRUE(words.ends_with(": 11, 12")) << words;
}

TEST_F(TheJob, OfAProcessAboveNoRankIsNotFound) {
  plant(10, {});
  plant(11, {.parent = 10, .environ = "PATH=/bin"});
  plant(12, {.parent = 11, .readable = false});
  for (const pid_t process : {10, 11}) {
    std::string words;
    EXPECT_EQ(testing::status_of([&] { (void)find_job(table(), process); }, &words), Status::not_found);
    EXPECT_NE(words.find("of process " + std::to_string(process) + ':'), std::string::npos) << words;
    EXPECT_NE(words.find("of which 1 may not be looked at"), std::string::npos) << words;
    EXPECT_NE(words.find("PMI_RANK"), std::string::npos) << words;
  }
}

TEST_F(TheJob, OfARankWithoutSegmentIsItself) {
  plant(10, {});
  plant(11, {.parent = 10, .environ = "PMI_RANK=0"});
  EXPECT_EQ(find_job(table(), 11).processes, (Pids{11}));
  EXPECT_EQ(find_job(table(), 11).kind, JobKind::launcher);
}

TEST_F(TheJob, ThatIsNotHereIsNotFound) {
  plant(10, {});
  plant(11, {.readable = false});
  std::string words;
  EXPECT_EQ(testing::status_of([&] { (void)find_job(table(), std::nullopt); }, &words), Status::not_found);
  EXPECT_NE(words.find("1 may not be looked at"), std::string::npos) << words;
  EXPECT_EQ(testing::status_of([&] { (void)find_job(table(), 99); }), Status::not_found);
}

TEST_F(TheJob, OfAnotherUserIsRefusedWithTheCause) {
  plant(11, {.readable = false});
  std::string words;
  EXPECT_EQ(testing::status_of([&] { (void)find_job(table(), 11); }, &words), Status::not_found);
  EXPECT_NE(words.find("may not be read"), std::string::npos) << words;
}

TEST_F(TheJob, CountsAProcessThatVanishedAndOneThatIsAZombie) {
  plant(11, {.segment = "500"});
  plant(12, {.segment = "500"});
  plant(13, {.segment = "500"});
  const auto job = find_job(table(), std::nullopt);
  std::filesystem::remove_all(folder / "12");
  plant_thread(13, 13, "0-3", "Z (zombie)");
  const JobBindings found = look_at(table(), job);
  ASSERT_EQ(found.processes.size(), 1U);
  EXPECT_EQ(found.vanished, 2U);
}

TEST_F(TheJob, IsShownInTheOrderOfItsRanks) {
  plant(11, {.segment = "500", .environ = "OMPI_COMM_WORLD_RANK=10", .cpus = "3"});
  plant(12, {.segment = "500", .environ = "OMPI_COMM_WORLD_RANK=2", .cpus = "0-1"});
  plant_thread(12, 14, "0");
  plant_thread(12, 15, "1");
  const machine::Image image = machine::load_xml(COMITY_TEST_DATA "/machines/laptop-smt.xml");
  const machine::Machine machine(image);
  const std::string text = job_text(Screen(), machine, look_at(table(), find_job(table(), std::nullopt)));
  EXPECT_EQ(text.substr(0, text.find("  The machine is")),
            "job: 2 processes that share a node segment\n"
            "  rank  pid  PU   which is  threads  command\n"
            "  2     12   0-1  PUs 0-1   3        model --steps 4\n"
            "  10    11   3    PU 3      1        model --steps 4\n"
            "  rank 2 (pid 12): 1 thread on 0-1; 1 on 0; 1 on 1\n");
}

TEST_F(TheJob, OfRealRanksIsFoundFromEachOfThem) {
  const auto ends = testing::run_ranks(2, [](testing::ForkBootstrap& bootstrap) {
    const auto node = testing::attach(bootstrap);
    const auto sum_of_pids = bootstrap.job_sum(::getpid());  // both are attached from here on
    const auto job = find_job(ProcessTable(), ::getpid());
    EXPECT_EQ(job.kind, JobKind::segment);
    ASSERT_EQ(job.processes.size(), 2U);
    EXPECT_EQ(job.processes[0] + job.processes[1], sum_of_pids);
    EXPECT_EQ(look_at(ProcessTable(), job).vanished, 0U);
    (void)bootstrap.job_sum(0);  // neither leaves before both have looked
  });
  EXPECT_TRUE(testing::all_good(ends));
}

class TheObjects : public ::testing::Test {
 protected:
  const machine::Image image = machine::load_xml(COMITY_TEST_DATA "/machines/amd-6136.xml");
  const machine::Machine machine{image};
  [[nodiscard]] std::string text(const char* cpus) const { return cover_text(machine, CpuSet::parse_list(cpus)); }
};

TEST_F(TheObjects, OfASetAreTheLargestInsideIt) {
  EXPECT_EQ(text("0-7"), "package 0");
  EXPECT_EQ(text("0-3"), "NUMA node 0");
  EXPECT_EQ(text("0-8"), "package 0, core 8");
  EXPECT_EQ(text("1-2,4-7"), "NUMA node 1, cores 1-2");
}

TEST_F(TheObjects, OfTheWholeMachineAreNoBinding) { EXPECT_EQ(text("0-15"), "machine (not bound)"); }

TEST_F(TheObjects, NameWhatTheMachineDoesNotHave) { EXPECT_EQ(text("15-17"), "core 15, not of this machine: 16-17"); }

}  // namespace
}  // namespace comity::cli
