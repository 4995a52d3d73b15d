// SPDX-License-Identifier: BSD-3-Clause
// Whose masks are the binding: the main thread's, or those of all threads; and bindings that outlive their context. On this
// machine; it needs two CPUs.
#include <comity/comity.hpp>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "capi/fork_callbacks.hpp"
#include "capi/two_cpus.hpp"
#include "node/fork_bootstrap.hpp"
#include "os/cpus/affinity.hpp"
#include "os/threads/threads.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::ForkBootstrap;
using testing::run_ranks;

using Indices = std::vector<std::int32_t>;

// A thread of the program, which pins itself and then stays.
class PinnedThread {
 public:
  explicit PinnedThread(const CpuSet& cpus)
      : thread_([this, cpus] {
          EXPECT_EQ(os::set_affinity(0, cpus), 0);
          id_ = os::this_thread();
          id_.notify_one();
          ends_.wait(false);
        }) {
    id_.wait(0);
  }
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread() {
    ends_ = true;
    ends_.notify_one();
    thread_.join();
  }
  [[nodiscard]] CpuSet mask() const { return os::affinity(id_); }

 private:
  std::atomic<pid_t> id_ = 0;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

class BindingOfThreads : public testing::OnTwoCpus {
 protected:
  [[nodiscard]] int pu(const Context& context, const CpuSet& one) const {
    comity_cpuset set{};
    check(comity_cpuset_parse(one.to_list().c_str(), &set));
    return context.closest(Resource::pu, set)->index;
  }
};

TEST_P(BindingOfThreads, IsTheUnionOfTheirMasks) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Context context(callbacks(job));
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    const PinnedThread other(second_);
    EXPECT_EQ(context.binding_string(), first_.to_list());
    EXPECT_FALSE(context.intersects(Resource::pu, pu(context, second_)));
    EXPECT_EQ(context.touched(Resource::pu), Indices{pu(context, first_)});
    context.set_binding_of(BindingOf::threads);
    EXPECT_EQ(context.binding_string(), both().to_list());
    EXPECT_TRUE(context.intersects(Resource::pu, pu(context, second_)));
    EXPECT_EQ(context.touched(Resource::pu), (Indices{pu(context, first_), pu(context, second_)}));
    EXPECT_EQ(context.touched(Resource::machine), Indices{0});
    std::int32_t count = 0;
    std::int32_t only = 0;
    EXPECT_EQ(comity_context_touched(context.handle(), COMITY_PU, nullptr, 0, &count), COMITY_OK);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(comity_context_touched(context.handle(), COMITY_PU, &only, 1, &count), COMITY_ERR_RANGE);
    EXPECT_EQ(count, 2);
    context.set_binding_of(BindingOf::main_thread);
    EXPECT_EQ(context.binding_string(), first_.to_list());
  })));
}

// The threads of a rank that has moved itself are where the kernel says, for itself and for its peers.
TEST_P(BindingOfThreads, LeavesThePushOutThatTheMainThreadHasLeft) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    Context context(callbacks(job));
    context.set_binding_of(BindingOf::threads);
    comity_cpuset all{};
    check(comity_cpuset_parse(both().to_list().c_str(), &all));
    context.push_cpuset(all);
    EXPECT_EQ(context.binding_string(), both().to_list());
    ASSERT_EQ(os::set_affinity(0, second_), 0);
    EXPECT_EQ(context.binding_string(), second_.to_list());
    EXPECT_FALSE(context.intersects(Resource::pu, pu(context, first_)));
    (void)job.job_max(0);
    EXPECT_TRUE(context.peers_in(Resource::pu, pu(context, first_), View::live).empty());
    context.quiesce();
    EXPECT_TRUE(context.peers_in(Resource::pu, pu(context, first_), View::published).empty());
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    EXPECT_EQ(context.binding_string(), both().to_list());
    (void)job.job_max(0);
    context.pop();
  })));
}

// The last rank alone has such a thread, so each rank can tell whether it sees that one's union.
TEST_P(BindingOfThreads, IsWhatPeersLearnInARefreshAndEveryQuiesceAfterIt) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    const int last = GetParam() - 1;
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    context.set_binding_of(BindingOf::threads);
    std::optional<PinnedThread> other;
    if (job.job_rank() == last) other.emplace(second_);
    context.refresh();
    const std::vector<std::int32_t> only_last{last};
    for (int time = 0; time < 3; ++time) {
      EXPECT_EQ(context.peers_in(Resource::pu, pu(context, second_), View::published), only_last);
      EXPECT_EQ(context.peers_in(Resource::pu, pu(context, second_), View::live), only_last);
      context.quiesce();
    }
    (void)job.job_max(0);  // nobody looks any more
  })));
}

TEST_P(BindingOfThreads, IsShownToThePeersByAQueryOfIt) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, first_), 0);
    Context context(callbacks(job));
    context.set_binding_of(BindingOf::threads);
    ASSERT_EQ(os::set_affinity(0, second_), 0);
    (void)context.is_bound();
    (void)job.job_max(0);
    std::vector<std::int32_t> all;
    for (int rank = 0; rank < GetParam(); ++rank) all.push_back(rank);
    EXPECT_EQ(context.peers_in(Resource::pu, pu(context, second_), View::live), all);
    EXPECT_TRUE(context.peers_in(Resource::pu, pu(context, first_), View::live).empty());
    (void)job.job_max(0);
  })));
}

INSTANTIATE_TEST_SUITE_P(Counts, BindingOfThreads, ::testing::Values(1, 2, 4), ::testing::PrintToStringParamName());

class KeptBinding : public BindingOfThreads {};

TEST_P(KeptBinding, OutlivesItsContext) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    {
      Context context(callbacks(job));
      context.push(Resource::pu, pu(context, second_));
      context.keep_binding();
      EXPECT_EQ(context.depth(), 0);
      EXPECT_EQ(comity_context_pop(context.handle()), COMITY_ERR_ORDER);
      EXPECT_EQ(context.binding_string(), second_.to_list());
    }
    EXPECT_EQ(os::affinity(0), second_);
  })));
}

TEST_P(KeptBinding, IsWhatPushesAboveItGiveBack) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    Context library_a(callbacks(job));
    Context library_b(callbacks(job));
    library_a.push(Resource::pu, pu(library_a, second_));
    library_b.push(Resource::pu, pu(library_b, first_));
    library_a.keep_binding();
    EXPECT_EQ(os::affinity(0), first_);
    library_b.pop();
    EXPECT_EQ(os::affinity(0), second_);
  })));
}

TEST_P(KeptBinding, IsTheBindingUnderAPushBelowItUntilThatEnds) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [this](ForkBootstrap& job) {
    ASSERT_EQ(os::set_affinity(0, both()), 0);
    Context library_a(callbacks(job));
    Context library_b(callbacks(job));
    library_a.push(Resource::pu, pu(library_a, first_));
    library_b.push(Resource::pu, pu(library_b, second_));
    library_b.keep_binding();
    EXPECT_EQ(library_a.binding_string(), second_.to_list());
    library_a.pop();
    EXPECT_EQ(os::affinity(0), both());
  })));
}

TEST_P(KeptBinding, IsRefusedInAnOpenPhase) {
  EXPECT_TRUE(all_good(run_ranks(GetParam(), [](ForkBootstrap& job) {
    Context context(callbacks(job));
    std::int32_t selected = 0;
    check(comity_context_enter(context.handle(), COMITY_MACHINE, 1, 0, &selected));
    EXPECT_EQ(comity_context_keep_binding(context.handle()), COMITY_ERR_ORDER);
    check(comity_context_leave(context.handle()));
    EXPECT_EQ(comity_context_keep_binding(context.handle()), COMITY_OK);
  })));
}

INSTANTIATE_TEST_SUITE_P(Counts, KeptBinding, ::testing::Values(1, 2), ::testing::PrintToStringParamName());

}  // namespace
}  // namespace comity
