// SPDX-License-Identifier: BSD-3-Clause
// A rank's mask that another process changes (taskset): no rank answers from what it knew before once all have refreshed,
// a live look tells it at once, for a system call a rank, and says where it could not; no other question asks the kernel. On
// this machine; it needs two CPUs.
#include <comity/comity.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "capi/fork_callbacks.hpp"
#include "capi/two_cpus.hpp"
#include "common/system_calls.hpp"
#include "faults/refusal.hpp"
#include "node/becomes.hpp"
#include "node/fork_bootstrap.hpp"
#include "os/cpus/affinity.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::ForkBootstrap;
using testing::run_ranks;

using Ranks = std::vector<std::int32_t>;
constexpr std::size_t kFinished = 63;  // the word of a job in which ranks count themselves
constexpr int kNotTested = 77;         // exit code of a rank that the kernel does not let forbid itself system calls

comity_cpuset c(const CpuSet& cpus) {
  comity_cpuset set{};
  check(comity_cpuset_parse(cpus.to_list().c_str(), &set));
  return set;
}

// Moves a process to these CPUs from another one: taskset, or where there is none a child that does the same.
bool taskset(pid_t victim, const CpuSet& cpus) {
  const std::string list = cpus.to_list();
  const std::string id = std::to_string(victim);
  const pid_t other = ::fork();
  if (other == 0) {
    (void)::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::execlp("taskset", "taskset", "-p", "-c", list.c_str(), id.c_str(), nullptr);
    ::_exit(os::set_affinity(victim, cpus) == 0 ? 0 : 1);
  }
  int status = 0;
  return ::waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

class ForeignMask : public testing::OnTwoCpus {
 protected:
  [[nodiscard]] static int last() { return GetParam() - 1; }  // the rank that is moved
  [[nodiscard]] static Ranks all_but_last() {
    Ranks ranks;
    for (int rank = 0; rank < last(); ++rank) ranks.push_back(rank);
    return ranks;
  }
  [[nodiscard]] static Ranks everybody() {
    Ranks ranks = all_but_last();
    ranks.push_back(last());
    return ranks;
  }
  [[nodiscard]] static Ranks first_and_last() { return last() == 0 ? Ranks{0} : Ranks{0, last()}; }

  static int pu(const Context& context, const CpuSet& one) {
    const comity_cpuset set = c(one);
    return context.closest(Resource::pu, set)->index;
  }

  // All ranks meet, rank 0 has the last one moved by a third process, all meet again.
  static void move_the_last(ForkBootstrap& job, const CpuSet& cpus) {
    job.word(static_cast<std::size_t>(job.job_rank())).store(static_cast<std::uint64_t>(::getpid()));
    (void)job.job_max(0);
    if (job.job_rank() == 0) {
      const auto victim = static_cast<pid_t>(job.word(static_cast<std::size_t>(last())).load());
      EXPECT_TRUE(taskset(victim, cpus));
      EXPECT_EQ(os::affinity(victim), cpus);
    }
    (void)job.job_max(0);
  }

  // What every rank says of all of them: who is selected on the PUs, one each, and who touches which PU.
  static void expect_selected(Context& context, Rule rule, const Ranks& selected) {
    const Distribution mine = context.distribute(Resource::pu, 1, rule);
    const bool am = std::find(selected.begin(), selected.end(), context.rank()) != selected.end();
    EXPECT_EQ(mine.selected, am) << "rule " << static_cast<int>(rule);
    EXPECT_EQ(mine.selected_count, static_cast<int>(selected.size())) << "rule " << static_cast<int>(rule);
  }
  static void expect_selected_by_all_rules(Context& context, const Ranks& selected) {
    for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) expect_selected(context, rule, selected);
  }
  void expect_peers(const Context& context, View view, const Ranks& on_first, const Ranks& on_second) const {
    EXPECT_EQ(context.peers_in(Resource::pu, pu(context, first_), view), on_first);
    EXPECT_EQ(context.peers_in(Resource::pu, pu(context, second_), view), on_second);
  }

  // What a rank is told of the last one, and by whom.
  static void expect_the_last(const Context& context, View view, const CpuSet& cpus, ToldBy whom) {
    const std::optional<PeerBinding> found = context.peer_binding(last(), view);
    ASSERT_TRUE(found);
    const comity_cpuset wanted = c(cpus);
    EXPECT_TRUE(std::ranges::equal(found->set.words, wanted.words));
    EXPECT_EQ(found->told_by, whom);
  }

  // What a rank says of itself.
  void expect_bound_to(const Context& context, const CpuSet& cpus) const {
    EXPECT_EQ(context.binding_string(), cpus.to_list());
    EXPECT_EQ(context.width().pus, static_cast<int>(cpus.count()));
    const comity_cpuset mine = c(cpus);
    const comity_cpuset all = context.cpuset(Resource::machine, 0);
    EXPECT_EQ(context.is_bound(), !std::ranges::equal(mine.words, all.words));
    for (const CpuSet& one : {first_, second_}) {
      EXPECT_EQ(context.intersects(Resource::pu, pu(context, one)), cpus.intersects(one));
      EXPECT_EQ(context.encloses(Resource::pu, pu(context, one)), cpus == one);
    }
  }

  // All ranks were on the first CPU, the last one is on the second now.
  void expect_the_last_on_the_second(Context& context) const {
    const bool moved = context.rank() == last();
    expect_bound_to(context, moved ? second_ : first_);
    for (const View view : {View::published, View::live}) expect_peers(context, view, all_but_last(), {last()});
    expect_selected_by_all_rules(context, first_and_last());
    for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) {
      const Distribution mine = context.distribute(Resource::pu, 1, rule);
      EXPECT_EQ(mine.leader, moved ? last() : 0);
      EXPECT_EQ(mine.object, moved ? pu(context, second_) : mine.selected ? pu(context, first_) : -1);
    }
  }
  void expect_all_on_the_first(Context& context) const {
    expect_peers(context, View::published, everybody(), {});
    expect_selected_by_all_rules(context, {0});
  }
};

TEST_P(ForeignMask, IsAnsweredByEveryRankAfterARefresh) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    expect_all_on_the_first(context);
    move_the_last(job, second_);
    expect_all_on_the_first(context);
    expect_bound_to(context, job.job_rank() == last() ? second_ : first_);  // asks the kernel: nothing is pushed
    context.refresh();
    expect_the_last_on_the_second(context);
    context.refresh();
    expect_the_last_on_the_second(context);
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, IsAnsweredAfterAnyCollectiveCallWhereNothingIsPushed) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    move_the_last(job, second_);
    context.quiesce();
    expect_the_last_on_the_second(context);
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

// A context keeps the table that it was asked for last.
TEST_P(ForeignMask, IsDistributedAnewAlsoWhereTheSameWasAskedBefore) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) {
      expect_selected(context, rule, {0});
      move_the_last(job, second_);
      expect_selected(context, rule, {0});
      context.refresh();
      expect_selected(context, rule, first_and_last());
      EXPECT_EQ(context.distribute(Resource::pu, 1, rule).object, job.job_rank() == last() ? pu(context, second_)
                                                                  : job.job_rank() == 0    ? pu(context, first_)
                                                                                           : -1);
      move_the_last(job, first_);
      context.refresh();
    }
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, ThatTouchesSeveralPusIsDistributedByEachRuleInItsOwnWay) {
  if (last() == 0) return;  // with one rank the rules do not differ
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    move_the_last(job, both());
    context.refresh();
    expect_selected(context, Rule::fill, first_and_last());
    // Algorithm 1 passes over a rank that touches all objects, libquo over one that touches several.
    const bool touches_all = context.count(Resource::pu) == 2;
    expect_selected(context, Rule::algorithm_1, touches_all ? Ranks{0} : first_and_last());
    expect_selected(context, Rule::quo_1_4, {0});
    move_the_last(job, first_);
    context.refresh();
    expect_all_on_the_first(context);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, IsAnsweredUnderAPushToo) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    Context context(callbacks(job));
    context.push(Resource::pu, pu(context, first_));
    context.quiesce();
    expect_all_on_the_first(context);
    move_the_last(job, second_);
    context.quiesce();
    expect_all_on_the_first(context);
    expect_bound_to(context, first_);
    context.refresh();
    expect_the_last_on_the_second(context);
    (void)job.job_max(0);  // nobody looks at the live masks any more

    context.push(Resource::pu, pu(context, first_));
    expect_bound_to(context, first_);
    context.pop();
    expect_bound_to(context, job.job_rank() == last() ? second_ : first_);
    EXPECT_EQ(os::affinity(0), job.job_rank() == last() ? second_ : first_) << "and it is true";
    context.pop();
    expect_bound_to(context, both());
    EXPECT_EQ(os::affinity(0), both());
  });
  EXPECT_TRUE(all_good(ends));
}

// A pop shows the foreign mask live; when that is gone again, no published mask differs from the one before.
TEST_P(ForeignMask, ThatIsGoneAgainIsNotAnsweredAnyMore) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    move_the_last(job, second_);
    context.push(Resource::pu, pu(context, first_));
    context.pop();
    (void)job.job_max(0);
    expect_peers(context, View::live, all_but_last(), {last()});
    move_the_last(job, first_);
    context.refresh();
    expect_all_on_the_first(context);
    expect_peers(context, View::live, everybody(), {});
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, ThatIsAPartOfWhatWasPushedIsSeen) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Context context(callbacks(job));
    const comity_cpuset pushed = c(both());
    context.push_cpuset(pushed);
    context.refresh();
    expect_bound_to(context, both());
    move_the_last(job, second_);
    context.refresh();
    expect_bound_to(context, job.job_rank() == last() ? second_ : both());
    expect_peers(context, View::published, all_but_last(), everybody());
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, IsToldByALiveLookAtOnce) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    for (const CpuSet& now : {second_, first_, both()}) {
      move_the_last(job, now);
      expect_peers(context, View::live, now.intersects(first_) ? everybody() : all_but_last(),
                   now.intersects(second_) ? Ranks{last()} : Ranks{});
      expect_all_on_the_first(context);
    }
    context.refresh();
    expect_peers(context, View::published, everybody(), {last()});
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, IsToldOfOneRankByTheTableOrByTheKernelWhicheverWasAsked) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    move_the_last(job, second_);
    for (const BindingOf whose : {BindingOf::main_thread, BindingOf::threads}) {
      context.set_binding_of(whose);
      expect_the_last(context, View::published, first_, ToldBy::table);
      expect_the_last(context, View::live, second_, ToldBy::kernel);
    }
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, IsToldByALiveLookUnderAPushAndAfterIt) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    Context context(callbacks(job));
    context.push(Resource::pu, pu(context, first_));
    context.quiesce();
    move_the_last(job, second_);
    expect_peers(context, View::live, all_but_last(), {last()});
    expect_all_on_the_first(context);
    (void)job.job_max(0);  // nobody looks any more
    context.pop();
    (void)job.job_max(0);
    expect_peers(context, View::live, everybody(), everybody());
    expect_all_on_the_first(context);
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

// The main thread is a part of what its process has pushed, as where it is a member of a team: the table has the whole. That
// counts for a live look too, until somebody else moves it.
TEST_P(ForeignMask, IsTheWholePushToALiveLookThoughTheMainThreadHasAPartOfIt) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    Context context(callbacks(job));
    context.set_binding_of(BindingOf::threads);
    std::atomic<bool> is_elsewhere{false};
    std::atomic<bool> done{false};
    std::thread elsewhere([&] {
      EXPECT_EQ(os::set_affinity(0, second_), 0);
      is_elsewhere.store(true);
      is_elsewhere.notify_one();
      while (!done.load()) ::usleep(1000);
    });
    is_elsewhere.wait(false);  // until then it has both, as its process had
    ASSERT_EQ(os::set_affinity(::getpid(), first_), 0);
    EXPECT_TRUE(testing::becomes_true([&] { return context.binding_string() == both().to_list(); }));
    (void)job.job_max(0);
    expect_peers(context, View::live, everybody(), everybody());
    move_the_last(job, second_);
    expect_peers(context, View::live, all_but_last(), everybody());
    (void)job.job_max(0);
    done.store(true);
    elsewhere.join();
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, OfARankThatHasEndedIsToldByNoLiveLook) {
  if (last() == 0) return;
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    if (job.job_rank() == last()) ::_exit(0);
    EXPECT_TRUE(testing::becomes_true([&] { return job.has_ended(last()); }));
    expect_peers(context, View::live, all_but_last(), {});
    expect_peers(context, View::published, everybody(), {});
    EXPECT_FALSE(context.peer_binding(last(), View::live));
    expect_the_last(context, View::published, first_, ToldBy::table);
    job.word(kFinished).fetch_add(1);  // a rank that has ended meets nobody
    EXPECT_TRUE(testing::becomes_true([&] { return job.word(kFinished).load() == static_cast<unsigned>(last()); }));
  });
  EXPECT_TRUE(all_good(ends));
}

// Whom the kernel does not tell of is where it said last that it is, and a look at one rank says so.
TEST_P(ForeignMask, IsThePublishedOneToALiveLookThatTheKernelRefuses) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    move_the_last(job, second_);
    expect_peers(context, View::live, all_but_last(), {last()});
    expect_the_last(context, View::live, second_, ToldBy::kernel);
    if (!testing::refuse({SYS_sched_getaffinity, EPERM})) ::_exit(kNotTested);
    expect_peers(context, View::live, everybody(), {});
    expect_the_last(context, View::live, first_, ToldBy::rank);
    expect_the_last(context, View::published, first_, ToldBy::table);
    (void)job.job_max(0);
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  });
  for (const auto& end : ends) {
    if (end.exit_code == kNotTested) GTEST_SKIP() << "NOT TESTED: no system call can be refused here (seccomp)";
  }
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, CostsALiveLookASystemCallARank) {
  const auto ends = run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.spread(Resource::pu);
    const auto look = [&](View view) { (void)context.peers_in(Resource::pu, 0, view); };
    look(View::live);  // the allocator has what it needs
    const std::optional<int> live = bench::count_system_calls([&] { look(View::live); });
    if (!live) ::_exit(kNotTested);
    EXPECT_EQ(*live, job.job_size());
    EXPECT_EQ(bench::count_system_calls([&] { look(View::published); }), 0);
    const auto look_at_one = [&](View view) { (void)context.peer_binding(last(), view); };
    EXPECT_EQ(bench::count_system_calls([&] { look_at_one(View::live); }), 1);
    EXPECT_EQ(bench::count_system_calls([&] { look_at_one(View::published); }), 0);
    (void)job.job_max(0);
  });
  for (const auto& end : ends) {
    if (end.exit_code == kNotTested) GTEST_SKIP() << "NOT TESTED: no process can be traced here (ptrace)";
  }
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, ThatGoesBackToWhatWasPushedIsSeenToo) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.push(Resource::pu, pu(context, first_));
    move_the_last(job, second_);
    context.refresh();
    expect_the_last_on_the_second(context);
    (void)job.job_max(0);  // nobody looks at the live masks any more
    move_the_last(job, first_);
    context.refresh();
    expect_bound_to(context, first_);
    expect_all_on_the_first(context);
  });
  EXPECT_TRUE(all_good(ends));
}

TEST_P(ForeignMask, IsSeenByASecondContextOfTheProcessAsSoonAsThatRefreshes) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    Context library_a(callbacks(job));
    Context library_b(callbacks(job));
    library_a.push(Resource::pu, pu(library_a, first_));
    library_b.quiesce();
    move_the_last(job, second_);
    library_a.refresh();
    expect_the_last_on_the_second(library_a);
    expect_all_on_the_first(library_b);
    library_b.refresh();
    expect_the_last_on_the_second(library_b);
    (void)job.job_max(0);  // nobody looks at the live masks any more
  });
  EXPECT_TRUE(all_good(ends));
}

// The sum of all answers, so that two rounds can be compared without a test's own machinery.
std::uint64_t answers(Context& context) {
  std::uint64_t sum = 0;
  const auto add = [&](auto value) { sum = sum * 31 + static_cast<std::uint64_t>(value); };
  for (const char letter : context.binding_string()) add(letter);
  add(context.is_bound());
  add(context.width().pus);
  for (int index = 0; index < context.count(Resource::pu); ++index) {
    add(context.encloses(Resource::pu, index));
    add(context.intersects(Resource::pu, index));
    for (const std::int32_t rank : context.peers_in(Resource::pu, index)) add(rank);
  }
  for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) {
    const Distribution mine = context.distribute(Resource::pu, 1, rule);
    for (const int value : {mine.object, mine.leader, mine.share, mine.share_count, mine.selected_count}) add(value);
  }
  return sum;
}

// In seccomp's strict mode the kernel kills a process for any call but read, write and exit.
TEST_P(ForeignMask, IsNotLookedForWhileNothingChanges) {
  const auto ends = run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.push(Resource::pu, pu(context, first_));
    move_the_last(job, second_);
    context.refresh();
    expect_the_last_on_the_second(context);
    const std::uint64_t expected = answers(context);
    (void)answers(context);  // the allocator has what it needs
    (void)job.job_max(0);
    if (::testing::Test::HasFailure()) return;
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) ::_exit(kNotTested);
    int code = 0;
    for (int round = 0; round < 100; ++round) code |= answers(context) == expected ? 0 : 1;
    ::syscall(SYS_exit, code);
  });
  for (const auto& end : ends) {
    if (end.exit_code == kNotTested) GTEST_SKIP() << "NOT TESTED: no system call can be forbidden here (seccomp)";
    EXPECT_EQ(end.signal, 0) << "a question made a system call";
  }
  EXPECT_TRUE(all_good(ends));
}

INSTANTIATE_TEST_SUITE_P(Counts, ForeignMask, ::testing::Values(1, 2, 4, 8), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace comity
