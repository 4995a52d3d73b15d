// SPDX-License-Identifier: BSD-3-Clause
// How the segment reaches the ranks, and what happens where a way is closed.
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <functional>

#include "faults/survivor.hpp"
#include "fork_bootstrap.hpp"
#include "namespaces.hpp"
#include "node/attach/handover.hpp"
#include "node_fixture.hpp"
#include "os/files/exclusive_file.hpp"
#include "os/kernel.hpp"
#include "said.hpp"
#include "stand_in.hpp"

namespace comity::testing {
namespace {

node::AttachOptions by(const std::string& handover) { return {.handover = handover}; }

int segment_files(const std::string& directory) {
  int found = 0;
  DIR* list = ::opendir(directory.c_str());
  while (const dirent* entry = list == nullptr ? nullptr : ::readdir(list)) {
    found += std::string(entry->d_name).starts_with("comity-node-");
  }
  if (list != nullptr) ::closedir(list);
  return found;
}

// All ranks are in one segment, see the payload and one another's facts, live, and meet in a barrier.
void expect_shared_by_all(ForkBootstrap& job, const std::shared_ptr<node::Node>& node) {
  EXPECT_EQ(node->participants(), job.job_size());
  EXPECT_EQ(node->participant(), job.job_rank());
  EXPECT_EQ(text_of(node->payload()), "payload");
  const auto group = node->make_group(job);
  std::vector<std::uint64_t> ids(static_cast<std::size_t>(group->size()));
  group->exchange(node->id(), ids);
  for (const std::uint64_t id : ids) EXPECT_EQ(id, node->id());
  for (int i = 0; i < node->participants(); ++i) {
    EXPECT_EQ(node->home_mask(i).to_list(), std::to_string(i));
    EXPECT_EQ(node->home_hart(i), static_cast<std::size_t>(i));
    EXPECT_EQ(node->harts().word(static_cast<std::size_t>(i)).owner(), i);
    EXPECT_TRUE(node->alive(i)) << i;
  }
  group->wait();
}

// The same error on every rank, whose sentence names the way; `cause`: also why.
void expect_closed(ForkBootstrap& job, const std::string& way, const std::string& cause = "") {
  std::string words;
  EXPECT_EQ(status_of([&] { attach(job, by(way)); }, &words), Status::system);
  EXPECT_NE(words.find("'" + way + "'"), std::string::npos) << words;
  EXPECT_NE(words.find(cause), std::string::npos) << words;
}

void or_exit(const std::function<bool()>& isolate) {
  if (isolate()) return;
  std::perror("unshare or mount");
  ::_exit(3);
}

// A file system of so many bytes in a folder, seen by this process and its children alone.
bool mount_own(const std::string& folder, const char* size) {
  return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("none", folder.c_str(), "tmpfs", 0, size) == 0;
}

// As containers have it. A mount namespace alone isolates nothing: what is mounted stays one for all.
bool own_shared_memory() { return mount_own("/dev/shm", "size=4m"); }

class HandOver : public ::testing::TestWithParam<std::tuple<std::string, int>> {};
INSTANTIATE_TEST_SUITE_P(Ways, HandOver,
                         ::testing::Combine(::testing::Values("auto", "proc", "socket", "file"),
                                            ::testing::Values(1, 2, 4, 8)),
                         [](const auto& one) {
                           return std::get<0>(one.param) + "_" + std::to_string(std::get<1>(one.param));
                         });

TEST_P(HandOver, BringsAllRanksIntoOneSegmentAndLeavesNoFile) {
  const auto& [handover, ranks] = GetParam();
  const SharedMemoryFolder shared_memory;
  const auto ends =
      run_ranks(ranks, [&way = handover](ForkBootstrap& job) { expect_shared_by_all(job, attach(job, by(way))); });
  EXPECT_TRUE(all_good(ends));
  EXPECT_TRUE(shared_memory.gets_rid_of_what_is_new());
}

TEST(HandOverNone, MakesEachRankItsOwnNode) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    const auto node = attach(job, by("none"));
    EXPECT_EQ(node->participants(), 1);
    EXPECT_EQ(node->participant(), 0);
    EXPECT_EQ(text_of(node->payload()), "payload");
    node->make_group(job)->wait();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(HandOverForced, AnUnknownWordIsAnErrorOfTheOption) {
  const auto ends = run_ranks(
      2, [](ForkBootstrap& job) { EXPECT_EQ(status_of([&] { attach(job, by("pigeon")); }), Status::option); });
  EXPECT_TRUE(all_good(ends));
}

struct Isolation {
  const char* name;
  std::function<bool()> isolate;  // each rank by itself
  PidNamespace pid_namespace;
  std::vector<std::string> open;    // ways that must work
  std::vector<std::string> closed;  // those that cannot: else nothing is isolated
};

void expect_open(const std::vector<std::string>& ways, const RunOptions& options) {
  for (const std::string& way : ways) {
    SCOPED_TRACE(way);
    const auto ends = run_ranks(
        4, [&](ForkBootstrap& job) { expect_shared_by_all(job, attach(job, by(way))); }, options);
    EXPECT_TRUE(all_good(ends));
  }
}

void expect_all_closed(const std::vector<std::string>& ways, const RunOptions& options) {
  const auto ends = run_ranks(
      4,
      [&](ForkBootstrap& job) {
        for (const std::string& way : ways) expect_closed(job, way);
      },
      options);
  EXPECT_TRUE(all_good(ends));
}

class Isolated : public ::testing::TestWithParam<Isolation> {};
INSTANTIATE_TEST_SUITE_P(
    Namespaces, Isolated,
    ::testing::Values(
        Isolation{"user", to_unshare(CLONE_NEWUSER), PidNamespace::shared, {"auto", "socket", "file"}, {"proc"}},
        Isolation{"pid", to_unshare(0), PidNamespace::own, {"auto", "socket", "file"}, {"proc"}},
        Isolation{"mount", own_shared_memory, PidNamespace::shared, {"auto", "proc", "socket"}, {"file"}},
        Isolation{"net", to_unshare(CLONE_NEWNET), PidNamespace::shared, {"auto", "proc", "file"}, {"socket"}},
        Isolation{"user_and_net",
                  to_unshare(CLONE_NEWUSER | CLONE_NEWNET),
                  PidNamespace::shared,
                  {"auto", "file"},
                  {"proc", "socket"}},
        Isolation{"mount_and_user",
                  [] { return own_shared_memory() && ::unshare(CLONE_NEWUSER) == 0; },
                  PidNamespace::shared,
                  {"auto", "socket"},
                  {"proc", "file"}}),
    [](const auto& one) { return one.param.name; });

TEST_P(Isolated, RanksInNamespacesOfTheirOwnStillShareTheirNode) {
  const Isolation& isolation = GetParam();
  const bool own_pids = isolation.pid_namespace == PidNamespace::own;
  const bool ran = run_with(own_pids ? to_unshare(CLONE_NEWPID) : isolation.isolate, [&] {
    RunOptions options{.pid_namespace = isolation.pid_namespace};
    options.enter = [&](int) { or_exit(isolation.isolate); };
    expect_open(isolation.open, options);
    expect_all_closed(isolation.closed, options);
  });
  if (!ran) GTEST_SKIP() << "NOT TESTED: unshare(" << isolation.name << ") is not permitted here";
}

TEST(HandOverForced, AWayThatIsClosedFailsOnAllRanksAlikeAndSaysWhy) {
  if (!would_work(to_unshare(CLONE_NEWUSER))) GTEST_SKIP() << "NOT TESTED: unshare(user) is not permitted here";
  RunOptions options;
  options.enter = [](int) { or_exit(to_unshare(CLONE_NEWUSER)); };
  const auto ends = run_ranks(
      4, [](ForkBootstrap& job) { expect_closed(job, "proc", "ermission denied"); }, options);
  EXPECT_TRUE(all_good(ends));
}

// Ranks of two hosts, of two each, that no way leads to one another.
std::vector<RankEnd> run_with_every_way_closed(const RankBody& body) {
  RunOptions options{.host = {0, 0, 1, 1}};
  options.enter = [](int) { or_exit(to_unshare(CLONE_NEWUSER | CLONE_NEWNET)); };
  return run_ranks(4, body, options);
}

class EveryWayClosed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!would_work(to_unshare(CLONE_NEWUSER | CLONE_NEWNET))) {
      GTEST_SKIP() << "NOT TESTED: unshare(user, net) is not permitted here";
    }
  }
};

TEST_F(EveryWayClosed, TheRanksAgreeThatTheyAreAlone) {
  const auto ends = run_with_every_way_closed([](ForkBootstrap& job) {
    const auto node = attach(job, {.directory = "/nonexistent"});
    EXPECT_EQ(node->participants(), 1);
    EXPECT_EQ(text_of(node->payload()), "payload");
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_F(EveryWayClosed, OneRankOfEachNodeSaysWhyEachWayWasRefused) {
  const std::string said = said_during([] {
    EXPECT_TRUE(all_good(run_with_every_way_closed(
        [](ForkBootstrap& job) { static_cast<void>(attach(job, {.directory = "/nonexistent"})); })));
  });
  const std::string sentence = "warning: [node] the ranks of this node cannot share memory, each goes on alone: ";
  EXPECT_EQ(times(sentence, said), 2);
  EXPECT_EQ(times("warning", said), 2);
  for (const char* const cause : {"alone: proc: ", ": Permission denied", "; socket: ", ": Connection refused",
                                  "; file: open /nonexistent/", ": No such file or directory"}) {
    EXPECT_EQ(times(cause, said), 2) << cause;
  }
}

// Root's powers would open /proc of any process.
void drop_powers() {
  if (::geteuid() != 0) return;
  if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) ::_exit(3);
}

TEST(HandOverAuto, ProcessesThatAreNotDumpableShareTheirNode) {
  RunOptions options;
  options.enter = [](int) {
    drop_powers();
    ::prctl(PR_SET_DUMPABLE, 0);
  };
  expect_open({"auto", "socket", "file"}, options);
  expect_all_closed({"proc"}, options);
}

// Behind a process number, a socket's name or a file's another segment may lie, whole and of the same size.
class SoundSegment : public ::testing::TestWithParam<node::Route> {};
INSTANTIATE_TEST_SUITE_P(Ways, SoundSegment,
                         ::testing::Values(node::Route::proc, node::Route::socket, node::Route::file),
                         [](const auto& one) { return node::route_name(one.param); });

TEST_P(SoundSegment, IsTakenByItsNonceOnly) {
  constexpr node::Nonce kInTheFile{1, 2};
  const node::Extent extent{.participants = 2, .harts = 2, .payload_bytes = 7};
  const node::Giver giver(GetParam(), "/dev/shm", node::lay_out(extent).total_bytes);
  static_cast<void>(node::Segment::format(giver.file(), extent, kInTheFile, bytes_of("payload")));
  const auto take_as = [&](const node::Nonce& told) {
    node::Taker taker(GetParam(), "/dev/shm");
    if (GetParam() == node::Route::socket) giver.serve(told, taker.announcement());
    return status_of([&] { static_cast<void>(taker.take(giver.announcement(told))); });
  };
  EXPECT_EQ(take_as(kInTheFile), Status::ok);
  EXPECT_EQ(take_as({1, 3}), Status::system);
  EXPECT_EQ(take_as({2, 2}), Status::system);
}

TEST(SharedNode, TwoKernelsBehindOneSharedSplitAreTwoNodes) {
  const auto ends = run_ranks(5, [](ForkBootstrap& job) {
    const int kernel = job.job_rank() % 2;
    const auto node = attach(job, {.boot_id = "kernel " + std::to_string(kernel)});
    EXPECT_EQ(node->participants(), kernel == 0 ? 3 : 2);
    EXPECT_EQ(node->participant(), job.job_rank() / 2);
    std::vector<int> everyone;
    for (int i = 0; i < node->participants(); ++i) everyone.push_back(i);
    const auto group = node->make_group(job, everyone);
    EXPECT_EQ(group->size(), node->participants());
    std::vector<std::uint64_t> all(everyone.size());
    group->exchange(static_cast<std::uint64_t>(job.job_rank()), all);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], 2 * i + static_cast<std::size_t>(kernel));
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(SharedNode, HostsOfAJobAreNodesOfTheirOwn) {
  RunOptions options{.host = {0, 1, 0, 1, 1}};
  const auto ends = run_ranks(
      5,
      [](ForkBootstrap& job) {
        const auto node = attach(job);
        EXPECT_EQ(node->participants(), job.candidate_size());
        node->make_group(job)->wait();
      },
      options);
  EXPECT_TRUE(all_good(ends));
}

// What ranks of two hosts say that have the launcher's word for it that it put so many on each, of so many in all.
std::string said_of_launch(int put_here, int in_all) {
  return said_during([=] {
    EXPECT_TRUE(all_good(run_ranks(5,
                                   [=](ForkBootstrap& job) {
                                     ::setenv("OMPI_COMM_WORLD_LOCAL_RANK",
                                              std::to_string(job.job_rank() % put_here).c_str(), 1);
                                     ::setenv("OMPI_COMM_WORLD_LOCAL_SIZE", std::to_string(put_here).c_str(), 1);
                                     ::setenv("OMPI_COMM_WORLD_SIZE", std::to_string(in_all).c_str(), 1);
                                     for (int create = 0; create < 2; ++create) static_cast<void>(attach(job));
                                   },
                                   {.host = {0, 1, 0, 1, 1}})));
  });
}

// As where containers of one launch have networks of their own.
TEST(SharedNode, OfFewerThanTheLauncherPutThereIsToldOnce) {
  EXPECT_EQ(
      times("the launcher put 5 ranks on this node, but only 2, this one among them, share it", said_of_launch(5, 5)),
      1);
  EXPECT_EQ(times("warning", said_of_launch(2, 5)), 0);
  EXPECT_EQ(times("warning", said_of_launch(5, 6)), 0) << "not all of the launch create: nobody knows who is missing";
}

TEST(FailureInAttach, OfTheMakerOfThePayloadIsTheSameErrorOnEveryHostOfTheJob) {
  RunOptions options{.host = {0, 0, 1, 1}};
  const auto ends = run_ranks(
      4,
      [](ForkBootstrap& job) {
        std::string words;
        const auto make = [&]() -> std::vector<std::byte> {
          if (job.job_rank() == 2) throw Error(Status::topology, "read the topology: broken");
          return bytes_of("payload");
        };
        const auto facts = [](std::span<const std::byte>) { return node::LocalFacts{.mask = {}, .hart_count = 4}; };
        EXPECT_EQ(status_of([&] { static_cast<void>(node::Node::attach(job, {}, make, facts)); }, &words),
                  Status::topology);
        const bool same_host = job.job_rank() >= 2;
        EXPECT_NE(words.find(same_host ? "broken" : "rank 2 of the job"), std::string::npos) << words;
        // Nobody is out of step: the next attach works.
        EXPECT_EQ(attach(job)->participants(), 2);
      },
      options);
  EXPECT_TRUE(all_good(ends));
}

TEST(FailureInAttach, OfOneMembersFactsIsAnErrorOnAll) {
  for (const std::string way : {"auto", "none"}) {
    const auto ends = run_ranks(4, [&](ForkBootstrap& job) {
      const auto facts = [&](std::span<const std::byte>) {
        if (job.job_rank() == 3) throw std::runtime_error("no mask");
        return node::LocalFacts{.mask = {}, .hart_count = 4};
      };
      const auto make = [] { return bytes_of("payload"); };
      EXPECT_EQ(status_of([&] { static_cast<void>(node::Node::attach(job, by(way), make, facts)); }), Status::internal);
      EXPECT_EQ(attach(job)->participants(), 4);
    });
    EXPECT_TRUE(all_good(ends));
  }
}

TEST(FailureInAttach, TooManyOpenFilesOnTheLeaderIsAnErrorOnAll) {
  const auto ends = run_ranks(3, [](ForkBootstrap& job) {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    // An error of another cause first: the undefined-behaviour sanitizer opens a pipe when it meets a type for the first
    // time, which it cannot do later. Beyond the standard three there is room for two; a leader needs three.
    EXPECT_EQ(status_of([&] { attach(job, by("pigeon")); }), Status::option);
    const rlimit few{.rlim_cur = 5, .rlim_max = before.rlim_max};
    if (job.job_rank() == 0) ::setrlimit(RLIMIT_NOFILE, &few);
    EXPECT_EQ(status_of([&] { attach(job, by("proc")); }), Status::system);
    EXPECT_EQ(status_of([&] { attach(job, by("auto")); }), Status::system);
    ::setrlimit(RLIMIT_NOFILE, &before);
    EXPECT_EQ(attach(job)->participants(), 3);
  });
  EXPECT_TRUE(all_good(ends));
}

bool mount_small(const std::string& folder) { return mount_own(folder, "size=16k"); }

void expect_full(const std::string& folder) {
  const auto ends = run_ranks(4, [&](ForkBootstrap& job) {
    std::string words;
    const node::AttachOptions options{.handover = "file", .directory = folder};
    EXPECT_EQ(status_of([&] { attach(job, options); }, &words), Status::memory);
    EXPECT_NE(words.find(folder), std::string::npos) << words;
    EXPECT_EQ(segment_files(folder), 0);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST(FailureInAttach, AFullFileSystemIsAMemoryErrorAndLeavesNoFile) {
  std::string folder = "/tmp/comity-full-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const bool ran = run_with([&] { return mount_small(folder); },
                            [&] {
                              const auto ends = run_ranks(1, [&](ForkBootstrap&) {
                                ASSERT_TRUE(mount_small(folder));
                                expect_full(folder);
                              });
                              EXPECT_TRUE(all_good(ends));
                            });
  ::rmdir(folder.c_str());
  if (!ran) GTEST_SKIP() << "NOT TESTED: a file system of one's own is not permitted here";
}

TEST(LeftOverFile, OfAKilledCreatorIsSweptByTheNextAttachAndALivingOneIsNot) {
  std::string folder = "/tmp/comity-sweep-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const auto killed = run_ranks(1, [&](ForkBootstrap&) {
    const os::ExclusiveFile file(folder, 4096);
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_EQ(killed[0].signal, SIGKILL);
  EXPECT_EQ(segment_files(folder), 1);
  {
    const os::ExclusiveFile living(folder, 4096);
    EXPECT_EQ(segment_files(folder), 2);
    const auto ends =
        run_ranks(2, [&](ForkBootstrap& job) { EXPECT_EQ(attach(job, {.directory = folder})->participants(), 2); });
    EXPECT_TRUE(all_good(ends));
    EXPECT_EQ(segment_files(folder), 1);
    EXPECT_EQ(::access((folder + '/' + living.name()).c_str(), F_OK), 0);
  }
  EXPECT_EQ(segment_files(folder), 0);
  EXPECT_EQ(::rmdir(folder.c_str()), 0);
}

// Kills its rank when it comes to tell the others something for the `fatal`th time, and notes how many files there are then.
class KilledBeforeItTells final : public StandIn {
 public:
  KilledBeforeItTells(ForkBootstrap& job, int fatal, const std::string& folder)
      : StandIn(job), files_(job.word(0)), left_(fatal), folder_(folder) {}

  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    if (--left_ == 0) {
      files_.store(static_cast<std::uint64_t>(segment_files(folder_)));
      ::kill(::getpid(), SIGKILL);
    }
    StandIn::candidate_gather(mine, all, bytes);
  }

 private:
  std::atomic<std::uint64_t>& files_;
  int left_;
  const std::string& folder_;
};

TEST(LeftOverFile, OfALeaderThatIsKilledInTheHandOverIsTakenAwayByTheRanksThatAreTold) {
  const HandOverFolder folder;
  const node::AttachOptions options{.handover = "file", .directory = folder.path()};
  // It tells of its kernel, its terms, the file that it has made, that all have it, and of the harts, when the file is gone.
  const std::vector<std::uint64_t> files_at = {0, 0, 1, 1, 0};
  for (int fatal = 1; fatal <= 5; ++fatal) {
    SCOPED_TRACE(fatal);
    const auto ends = run_ranks(3,
                                [&](ForkBootstrap& job) {
                                  if (job.job_rank() == 0) {
                                    KilledBeforeItTells victims(job, fatal, folder.path());
                                    static_cast<void>(attach(victims, options));
                                  }
                                  EXPECT_EQ(status_of([&] { attach(job, options); }), Status::mpi);
                                  EXPECT_EQ(job.word(0).load(), files_at[static_cast<std::size_t>(fatal - 1)]);
                                },
                                {.quiet_about = 0});
    EXPECT_EQ(ends[0].signal, SIGKILL);
    EXPECT_EQ(ends[1].exit_code, 0);
    EXPECT_EQ(ends[2].exit_code, 0);
    EXPECT_EQ(segment_files(folder.path()), 0);
  }
}

}  // namespace
}  // namespace comity::testing
