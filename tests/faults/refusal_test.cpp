// SPDX-License-Identifier: BSD-3-Clause
// What the kernel refuses, on one rank or on all: memory files, /proc, locks, affinity, space. Either a create finds
// another way, or every rank is told the same code; what works without the refused call goes on working.
#include <comity/comity.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>

#include "capi/fork_callbacks.hpp"
#include "faults/refusal.hpp"
#include "faults/survivor.hpp"
#include "node/fork_bootstrap.hpp"
#include "node/namespaces.hpp"
#include "os/cpus/affinity.hpp"
#include "os/files/exclusive_file.hpp"
#include "os/files/mapping.hpp"

namespace comity::testing {
namespace {

constexpr int kRanks = 3;

constexpr Refusal kNoMemoryFile{SYS_memfd_create, ENOSYS};
constexpr Refusal kNoLocks{SYS_fcntl, ENOLCK, Argument{1, F_OFD_SETLK}};
constexpr Refusal kUnknownLocks{SYS_fcntl, EINVAL, Argument{1, F_OFD_SETLK}};  // a kernel that does not have them
constexpr Refusal kNoLockQuestions{SYS_fcntl, EPERM, Argument{1, F_OFD_GETLK}};
constexpr Refusal kNoSharedMapping{SYS_mmap, ENOMEM, Argument{3, MAP_SHARED}};
constexpr Refusal kNoBinding{SYS_sched_setaffinity, EPERM};
constexpr Refusal kNoBindingQuestions{SYS_sched_getaffinity, EPERM};
constexpr Refusal kNoSpace{SYS_fallocate, ENOSPC};
constexpr Refusal kNoRandom{SYS_getrandom, ENOSYS};

void require(const Refusal& refusal) { ASSERT_TRUE(refuse(refusal)); }

class Surroundings : public ::testing::Test {
 protected:
  Surroundings() {
    setenv("COMITY_NODE_SLICE_MS", "50", 1);
    setenv("COMITY_NODE_DIRECTORY", folder_.path().c_str(), 1);
    unsetenv("COMITY_NODE_HANDOVER");
    setenv("HWLOC_SYNTHETIC", "package:2 core:2 pu:1", 1);
  }

  // Runs the ranks and judges what they left.
  void run(const RankBody& body) {
    EXPECT_TRUE(all_good(run_ranks(kRanks, body)));
    EXPECT_EQ(files_of_ours_in(folder_.path()), 0);
  }

  [[nodiscard]] const std::string& folder() const { return folder_.path(); }

 private:
  HandOverFolder folder_;
};

class Refused : public Surroundings {
 protected:
  void SetUp() override {
    const bool can_refuse = would_work([] { return refuse(kNoRandom); });
    if (!can_refuse) GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
  }
};

comity_status create(ForkBootstrap& job, comity_context*& context) {
  const comity_bootstrap bootstrap = callbacks(job);
  return comity_context_create_with(&bootstrap, &context);
}

// Who may run on each PU, by the masks that were published.
std::vector<std::vector<std::int32_t>> ranks_on_each_pu(comity_context* context) {
  std::int32_t pus = 0;
  EXPECT_EQ(comity_context_count(context, COMITY_PU, &pus), COMITY_OK);
  std::vector<std::vector<std::int32_t>> ranks_on;
  for (std::int32_t pu = 0; pu < pus; ++pu) {
    std::array<std::int32_t, kRanks> ranks{};
    std::int32_t count = 0;
    EXPECT_EQ(comity_context_peers_in(context, COMITY_PU, pu, COMITY_VIEW_PUBLISHED, ranks.data(), kRanks, &count),
              COMITY_OK);
    ranks_on.emplace_back(ranks.begin(), ranks.begin() + count);
  }
  return ranks_on;
}

// A context that works, of so many ranks on a node, and is freed.
void expect_works(ForkBootstrap& job, int size) {
  comity_context* context = nullptr;
  ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
  std::int32_t found = 0;
  EXPECT_EQ(comity_context_size(context, &found), COMITY_OK);
  EXPECT_EQ(found, size);
  EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK);
  EXPECT_EQ(comity_context_free(&context), COMITY_OK);
}

// The same code on every rank, no context, no descriptor; `words` stand in the sentence of the rank that failed.
void expect_refused(ForkBootstrap& job, comity_status code, const char* words, bool my_fault) {
  const std::size_t descriptors = open_descriptors();
  comity_context* context = nullptr;
  EXPECT_STREQ(comity_status_name(create(job, context)), comity_status_name(code)) << comity_last_error();
  EXPECT_EQ(context, nullptr);
  if (my_fault) {
    EXPECT_NE(std::string(comity_last_error()).find(words), std::string::npos) << comity_last_error();
  }
  EXPECT_EQ(open_descriptors(), descriptors);
}

TEST_F(Refused, MemoryFilesOnAllRanksLeaveTheHandOverByFile) {
  run([](ForkBootstrap& job) {
    require(kNoMemoryFile);
    expect_works(job, kRanks);
  });
}

// Sealed against execution by the administrator, forbidden by a container, out of descriptors of the whole system.
TEST_F(Refused, MemoryFilesForAnyReasonLeaveTheHandOverByFile) {
  for (const int reason : {EACCES, EPERM, EINVAL, ENFILE}) {
    SCOPED_TRACE(reason);
    run([&](ForkBootstrap& job) {
      require({SYS_memfd_create, reason});
      expect_works(job, kRanks);
    });
  }
}

TEST_F(Refused, MemoryFilesLeaveARankOfItsOwnAFile) {
  setenv("COMITY_NODE_HANDOVER", "none", 1);
  run([](ForkBootstrap& job) {
    require(kNoMemoryFile);
    expect_works(job, 1);
  });
}

TEST_F(Refused, MemoryFilesOnTheLeaderLeaveTheHandOverByFile) {
  run([](ForkBootstrap& job) {
    if (job.job_rank() == 0) require(kNoMemoryFile);
    expect_works(job, kRanks);
  });
}

TEST_F(Refused, MemoryFilesFailAHandOverThatNeedsThem) {
  for (const char* const handover : {"proc", "socket"}) {
    setenv("COMITY_NODE_HANDOVER", handover, 1);
    run([](ForkBootstrap& job) {
      if (job.job_rank() == 0) require(kNoMemoryFile);
      expect_refused(job, COMITY_ERR_SYSTEM, "memfd_create", job.job_rank() == 0);
      setenv("COMITY_NODE_HANDOVER", "file", 1);
      expect_works(job, kRanks);
    });
  }
}

TEST_F(Refused, LocksOnAnyRankFailAll) {
  for (const char* const handover : {"auto", "proc", "socket", "file", "none"}) {
    setenv("COMITY_NODE_HANDOVER", handover, 1);
    for (const int refused : {0, 2}) {
      SCOPED_TRACE(std::string(handover) + ", rank " + std::to_string(refused));
      run([&](ForkBootstrap& job) {
        const bool mine = job.job_rank() == refused;
        if (mine) require(kNoLocks);
        expect_refused(job, COMITY_ERR_SYSTEM, "No locks available", mine);
        expect_refused(job, COMITY_ERR_SYSTEM, "No locks available", mine);
      });
    }
  }
}

// What the creator of an exclusive file is told, so many times, whom the kernel refuses the lock.
void expect_no_locks(const std::string& folder, int times) {
  int refusals = 0;
  for (int time = 0; time < times; ++time) {
    try {
      const os::ExclusiveFile file(folder, 4096);
      ADD_FAILURE() << "a file without a lock";
    } catch (const Error& error) {
      const std::string words = error.what();
      const bool all_swept = words.find("16 files were taken away") != std::string::npos;
      if (!all_swept) ++refusals;
      EXPECT_TRUE(all_swept || words.find("No locks available") != std::string::npos) << words;
    }
  }
  EXPECT_GT(refusals, 0) << "the sweepers took every file";
}

// That a sweeper took the unlocked file away is told only where it did so to all of them, else the refusal is.
TEST_F(Refused, LocksAreNamedAsTheCauseAlsoBesideASweeper) {
  const os::Mapping memory = os::Mapping::anonymous(sizeof(std::atomic<bool>));
  auto& done = *new (memory.bytes().data()) std::atomic<bool>(false);
  run([&](ForkBootstrap& job) {
    while (job.job_rank() != 0 && !done.load()) static_cast<void>(os::sweep_exclusive_files(folder()));
    if (job.job_rank() != 0) return;
    require(kNoLocks);
    expect_no_locks(folder(), 2000);
    done.store(true);
  });
}

TEST_F(Refused, LocksThatTheKernelDoesNotHaveFailAll) {
  run([&](ForkBootstrap& job) {
    const bool mine = job.job_rank() == 1;
    if (mine) require(kUnknownLocks);
    expect_refused(job, COMITY_ERR_SYSTEM, "lock", mine);
  });
}

TEST_F(Refused, MappingsOnAnyRankFailAllAsMemory) {
  for (const char* const handover : {"auto", "file", "none"}) {
    setenv("COMITY_NODE_HANDOVER", handover, 1);
    for (const int refused : {0, 2}) {
      SCOPED_TRACE(std::string(handover) + ", rank " + std::to_string(refused));
      run([&](ForkBootstrap& job) {
        const bool mine = job.job_rank() == refused;
        if (mine) require(kNoSharedMapping);
        expect_refused(job, COMITY_ERR_MEMORY, "Cannot allocate memory", mine);
      });
    }
  }
}

TEST_F(Refused, SpaceIsToldAsMemory) {
  for (const char* const handover : {"auto", "file", "none"}) {
    setenv("COMITY_NODE_HANDOVER", handover, 1);
    run([](ForkBootstrap& job) {
      if (job.job_rank() == 0) require(kNoSpace);
      expect_refused(job, COMITY_ERR_MEMORY, "No space left", job.job_rank() == 0);
    });
  }
}

TEST_F(Refused, RandomNumbersFailAll) {
  run([](ForkBootstrap& job) {
    if (job.job_rank() == 0) require(kNoRandom);
    expect_refused(job, COMITY_ERR_SYSTEM, "getrandom", job.job_rank() == 0);
  });
}

class FewDescriptors : public Surroundings {};

TEST_F(FewDescriptors, FailAllAndTheNextCreateWorks) {
  if (is_sanitized()) GTEST_SKIP() << "NOT TESTED: the sanitizers need descriptors of their own";
  run([](ForkBootstrap& job) {
    rlimit before{};
    ::getrlimit(RLIMIT_NOFILE, &before);
    for (rlim_t room = 0; room < 12; ++room) {
      const rlimit none{.rlim_cur = 3 + room, .rlim_max = before.rlim_max};
      if (job.job_rank() == 1) ::setrlimit(RLIMIT_NOFILE, &none);
      comity_context* context = nullptr;
      const comity_status status = create(job, context);
      EXPECT_EQ(comity_context_free(&context), COMITY_OK);
      if (job.job_rank() == 1) ::setrlimit(RLIMIT_NOFILE, &before);
      EXPECT_EQ(job.job_max(status), status) << "ranks differ with room for " << room;
      EXPECT_EQ(-job.job_max(-std::int64_t{status}), status) << "ranks differ with room for " << room;
    }
    const std::size_t descriptors = open_descriptors();
    expect_works(job, kRanks);
    EXPECT_EQ(open_descriptors(), descriptors);
  });
}

TEST_F(Refused, AskingForAffinityFailsTheCreateOnAllRanks) {
  unsetenv("HWLOC_SYNTHETIC");
  for (const int refused : {0, 2}) {
    run([&](ForkBootstrap& job) {
      const bool mine = job.job_rank() == refused;
      if (mine) require(kNoBindingQuestions);
      expect_refused(job, COMITY_ERR_SYSTEM, "affinity", mine);
    });
  }
}

// Nothing is pushed, so each meeting begins with the question that is refused; the others must not wait for the rank. On one
// CPU, so that the last mask that was known is none that a rank without a mask would be given anyway.
TEST_F(Refused, AffinityQuestionsAfterTheCreateFailThatRankAloneInEachCollectiveCall) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    const bool mine = job.job_rank() == 1;
    ASSERT_EQ(os::set_affinity(0, CpuSet{*os::affinity(0).lowest()}), 0);
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const auto before = ranks_on_each_pu(context);
    if (mine) require(kNoBindingQuestions);
    const comity_status expected = mine ? COMITY_ERR_SYSTEM : COMITY_OK;
    EXPECT_EQ(comity_context_refresh(context), expected) << comity_last_error();
    EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), expected) << comity_last_error();
    EXPECT_EQ(comity_context_set_smt(context, COMITY_SMT_ONE), expected) << comity_last_error();
    comity_group* group = nullptr;
    EXPECT_EQ(comity_group_split(context, 0, &group), expected) << comity_last_error();
    EXPECT_EQ(comity_group_free(&group), COMITY_OK);
    std::int32_t selected = 0;
    EXPECT_EQ(comity_context_enter(context, COMITY_MACHINE, 1, 0, &selected), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_leave(context), expected) << comity_last_error();
    EXPECT_EQ(ranks_on_each_pu(context), before);  // the last that was known
    EXPECT_EQ(comity_context_spread(context, COMITY_CORE), expected) << comity_last_error();
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

// A push answers for the mask in the meeting itself, so the look that went before must tell.
TEST_F(Refused, AffinityQuestionsUnderAPushFailTheRefreshOfThatRankAlone) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    const bool mine = job.job_rank() == 1;
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    ASSERT_EQ(comity_context_push(context, COMITY_PU, 0), COMITY_OK) << comity_last_error();
    if (mine) require(kNoBindingQuestions);
    EXPECT_EQ(comity_context_refresh(context), mine ? COMITY_ERR_SYSTEM : COMITY_OK) << comity_last_error();
    if (mine) {
      EXPECT_NE(std::string(comity_last_error()).find("affinity"), std::string::npos) << comity_last_error();
    }
    EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_pop(context), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_free(&context), COMITY_OK) << comity_last_error();
  });
}

TEST_F(Refused, SettingAffinityFailsThePushAloneAndChangesNothing) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    const bool mine = job.job_rank() == 1;
    if (mine) require(kNoBinding);
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const comity_status expected = mine ? COMITY_ERR_SYSTEM : COMITY_OK;
    EXPECT_EQ(comity_context_push(context, COMITY_PU, 0), expected) << comity_last_error();
    if (mine) {
      EXPECT_NE(std::string(comity_last_error()).find("Operation not permitted"), std::string::npos);
    }
    std::int32_t depth = -1;
    EXPECT_EQ(comity_context_depth(context, &depth), COMITY_OK);
    EXPECT_EQ(depth, mine ? 0 : 1);
    EXPECT_EQ(comity_context_spread(context, COMITY_CORE), expected) << comity_last_error();
    EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK);
    std::int32_t selected = 0;
    const comity_status entered = comity_context_enter(context, COMITY_MACHINE, kRanks, 0, &selected);
    EXPECT_EQ(entered, expected) << comity_last_error();
    EXPECT_EQ(comity_context_leave(context), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

// Sleeps until it is told to end.
class Sleeper {
 public:
  Sleeper()
      : thread_([this] {
          id_.store(gettid());
          id_.notify_all();
          over_.wait(false);
        }) {
    id_.wait(0);
  }
  ~Sleeper() { end(); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

  [[nodiscard]] pid_t id() const { return id_.load(); }
  void end() {
    over_.store(true);
    over_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<pid_t> id_{0};
  std::atomic<bool> over_{false};
  std::thread thread_;
};

// Other threads have moved already when the kernel refuses one: they are moved back.
class OneThreadOfMany : public Refused {};

TEST_F(OneThreadOfMany, WhoseAffinityIsRefusedLeavesAllWhereTheyWere) {
  if (os::affinity(0).count() < 2) GTEST_SKIP() << "NOT TESTED: one PU only, so no push moves a thread";
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    const std::array<Sleeper, 3> sleepers;
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const auto last = static_cast<std::uint32_t>(sleepers.back().id());
    require({SYS_sched_setaffinity, EPERM, Argument{0, last}});
    const auto masks = [&] {
      std::vector<std::string> all;
      for (const Sleeper& sleeper : sleepers) all.push_back(os::affinity(sleeper.id()).to_list());
      all.push_back(os::affinity(0).to_list());
      return all;
    };
    const std::vector<std::string> before = masks();
    EXPECT_EQ(comity_context_push(context, COMITY_PU, 0), COMITY_ERR_SYSTEM);
    EXPECT_NE(std::string(comity_last_error()).find(std::to_string(last)), std::string::npos) << comity_last_error();
    EXPECT_EQ(masks(), before);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

TEST_F(Refused, AffinityAfterTheCreateIsToldAndTheFreeStillWorks) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    ASSERT_EQ(comity_context_push(context, COMITY_PU, 0), COMITY_OK);
    require(kNoBindingQuestions);
    EXPECT_EQ(comity_context_push(context, COMITY_PU, 0), COMITY_ERR_SYSTEM);
    EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK) << comity_last_error();
    comity_cpuset set;
    EXPECT_EQ(comity_context_pop(context), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_binding(context, &set), COMITY_ERR_SYSTEM);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK) << comity_last_error();
  });
}

// A pop that the kernel refuses a thread its mask: it is done, and says which thread keeps its CPUs and why.
class RefusedPop : public Refused {
 protected:
  void SetUp() override {
    Refused::SetUp();
    unsetenv("HWLOC_SYNTHETIC");
    if (os::affinity(0).count() < 2) GTEST_SKIP() << "NOT TESTED: one PU only, so no push moves a thread";
  }

  static int depth(const comity_context* context) {
    std::int32_t depth = -1;
    EXPECT_EQ(comity_context_depth(context, &depth), COMITY_OK);
    return depth;
  }
  static std::string binding(const comity_context* context) {
    std::array<char, 64> text{};
    EXPECT_EQ(comity_context_binding_string(context, COMITY_FORM_LIST, text.data(), text.size(), nullptr), COMITY_OK);
    return text.data();
  }
  static void expect_told_of(pid_t thread) {
    const std::string sentence = comity_last_error();
    EXPECT_NE(sentence.find("thread " + std::to_string(thread) + " "), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("Operation not permitted"), std::string::npos) << sentence;
  }
  // One PU, pushed and never to be left again.
  static std::string push_for_good(comity_context* context) {
    EXPECT_EQ(comity_context_push(context, COMITY_PU, 1), COMITY_OK) << comity_last_error();
    require(kNoBinding);
    return os::affinity(0).to_list();
  }
};

TEST_F(RefusedPop, IsDoneAndTells) {
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const std::string kept = push_for_good(context);
    EXPECT_EQ(comity_context_pop(context), COMITY_ERR_SYSTEM);
    expect_told_of(getpid());
    EXPECT_EQ(depth(context), 0);
    EXPECT_EQ(binding(context), kept);
    EXPECT_EQ(os::affinity(0).to_list(), kept);
    EXPECT_EQ(comity_context_pop(context), COMITY_ERR_ORDER);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK) << "nothing is left to give back";
  });
}

TEST_F(RefusedPop, LeavesThePushBelowWithTheMaskThatTheProcessHas) {
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    ASSERT_EQ(comity_context_push(context, COMITY_PU, 0), COMITY_OK) << comity_last_error();
    const std::string kept = push_for_good(context);
    EXPECT_EQ(comity_context_pop(context), COMITY_ERR_SYSTEM);
    EXPECT_EQ(depth(context), 1);
    EXPECT_EQ(binding(context), kept);
    EXPECT_EQ(comity_context_pop(context), COMITY_ERR_SYSTEM);
    EXPECT_EQ(depth(context), 0);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

TEST_F(RefusedPop, OfAPhaseIsToldAfterTheRanksHaveMet) {
  run([](ForkBootstrap& job) {
    const bool mine = job.job_rank() == 1;
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    std::int32_t selected = 0;
    ASSERT_EQ(comity_context_enter(context, COMITY_MACHINE, kRanks, 1, &selected), COMITY_OK) << comity_last_error();
    EXPECT_EQ(selected, 1);
    if (mine) require(kNoBinding);
    EXPECT_EQ(comity_context_leave(context), mine ? COMITY_ERR_SYSTEM : COMITY_OK) << comity_last_error();
    if (mine) expect_told_of(getpid());
    EXPECT_EQ(depth(context), 0);
    EXPECT_EQ(comity_context_leave(context), COMITY_ERR_ORDER);
    EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

TEST_F(RefusedPop, OfAFreeIsToldAndTheContextIsGone) {
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    comity_context* stale = context;
    (void)push_for_good(context);
    EXPECT_EQ(comity_context_free(&context), COMITY_ERR_SYSTEM);
    expect_told_of(getpid());
    EXPECT_EQ(context, nullptr);
    EXPECT_EQ(comity_context_free(&stale), COMITY_ERR_HANDLE);
  });
}

TEST_F(RefusedPop, OfAThreadBornUnderThePushNamesThatThreadAndFreesTheOthers) {
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const CpuSet before = os::affinity(0);
    ASSERT_EQ(comity_context_push(context, COMITY_PU, 1), COMITY_OK) << comity_last_error();
    const Sleeper newborn;
    require({SYS_sched_setaffinity, EPERM, Argument{0, static_cast<std::uint32_t>(newborn.id())}});
    EXPECT_EQ(comity_context_pop(context), COMITY_ERR_SYSTEM);
    expect_told_of(newborn.id());
    EXPECT_EQ(os::affinity(0), before);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

TEST_F(RefusedPop, IsNoneWhereTheThreadHasEnded) {
  run([](ForkBootstrap& job) {
    Sleeper mortal;
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const CpuSet before = os::affinity(0);
    ASSERT_EQ(comity_context_push(context, COMITY_PU, 1), COMITY_OK) << comity_last_error();
    mortal.end();
    EXPECT_EQ(comity_context_pop(context), COMITY_OK) << comity_last_error();
    EXPECT_EQ(os::affinity(0), before);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

// A push that left a thread where it was has nothing to give back to it but after a look, which is refused.
TEST_F(Refused, AffinityQuestionsUnderAPushThatMovedNobodyStillLetItPop) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const CpuSet before = os::affinity(0);
    ASSERT_EQ(comity_context_push(context, COMITY_MACHINE, 0), COMITY_OK) << comity_last_error();
    ASSERT_EQ(os::affinity(0), before);
    require(kNoBindingQuestions);
    EXPECT_EQ(comity_context_pop(context), COMITY_OK) << comity_last_error();
    std::int32_t depth = -1;
    EXPECT_EQ(comity_context_depth(context, &depth), COMITY_OK);
    EXPECT_EQ(depth, 0);
    EXPECT_EQ(comity_context_free(&context), COMITY_OK) << comity_last_error();
  });
}

TEST_F(Refused, AskingForLocksEndsAWaitInsteadOfHangingIt) {
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    if (job.job_rank() == 0) {
      require(kNoLockQuestions);
      EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_ERR_SYSTEM);
    }
    (void)job.job_sum(0);  // the others come only now
    EXPECT_EQ(comity_context_free(&context), COMITY_OK);
  });
}

// An empty directory over /proc, in a mount namespace of this process's own.
bool hide_proc() {
  if (::unshare(CLONE_NEWNS) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("none", "/proc", "tmpfs", 0, nullptr) == 0;
}

class HiddenProc : public Surroundings {
 protected:
  void SetUp() override {
    if (!would_work(hide_proc)) GTEST_SKIP() << "NOT TESTED: nothing may be mounted over /proc here";
  }
};

TEST_F(HiddenProc, FromAllLeavesTheHandOverByFile) {
  run([](ForkBootstrap& job) {
    ASSERT_TRUE(hide_proc());
    expect_works(job, kRanks);
  });
}

TEST_F(HiddenProc, FromOneRankLeavesItANodeOfItsOwn) {
  for (const int hidden_from : {0, 1}) {
    run([&](ForkBootstrap& job) {
      const bool mine = job.job_rank() == hidden_from;
      if (mine) {
        ASSERT_TRUE(hide_proc());
      }
      expect_works(job, mine ? 1 : kRanks - 1);
    });
  }
}

TEST_F(HiddenProc, AfterTheCreateFailsPushesAndTheFreeStillWorks) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    comity_context* context = nullptr;
    ASSERT_EQ(create(job, context), COMITY_OK) << comity_last_error();
    const bool mine = job.job_rank() == 1;
    if (mine) {
      ASSERT_TRUE(hide_proc());
    }
    EXPECT_EQ(comity_context_push(context, COMITY_PU, 0), mine ? COMITY_ERR_SYSTEM : COMITY_OK);
    if (mine) {
      EXPECT_NE(std::string(comity_last_error()).find("/proc"), std::string::npos) << comity_last_error();
    }
    std::int32_t depth = -1;
    EXPECT_EQ(comity_context_depth(context, &depth), COMITY_OK);
    EXPECT_EQ(depth, mine ? 0 : 1);
    EXPECT_EQ(comity_context_quiesce(context, nullptr, 0, COMITY_FOREVER), COMITY_OK) << comity_last_error();
    EXPECT_EQ(comity_context_free(&context), COMITY_OK) << comity_last_error();
  });
}

TEST_F(HiddenProc, OnARealMachineFailsAllAlike) {
  unsetenv("HWLOC_SYNTHETIC");
  run([](ForkBootstrap& job) {
    ASSERT_TRUE(hide_proc());
    comity_context* context = nullptr;
    EXPECT_EQ(create(job, context), COMITY_ERR_SYSTEM);
    EXPECT_NE(std::string(comity_last_error()).find("/proc"), std::string::npos) << comity_last_error();
    EXPECT_EQ(context, nullptr);
  });
}

}  // namespace
}  // namespace comity::testing
