// SPDX-License-Identifier: BSD-3-Clause
// One PU a core, as several ranks see it: the same, also for ranks that are bound to the PUs that are not seen.
#include <comity/comity.hpp>

#include <gtest/gtest.h>

#include <cstdlib>

#include "capi/fork_callbacks.hpp"
#include "node/fork_bootstrap.hpp"

namespace comity {
namespace {

using testing::all_good;
using testing::ForkBootstrap;
using testing::run_ranks;

// PU 2 c and 2 c + 1 are on core c.
constexpr const char* kEightCores = "package:2 [numa] core:4 pu:2";
constexpr int kRanks = 4;

// Rank 0 may use everything, rank 1 only the first PU of core 0, rank 2 only its second, rank 3 all second PUs.
constexpr std::array<const char*, kRanks> kBindings{"0-15", "0", "1", "1,3,5,7,9,11,13,15"};

std::string list_of(const comity_cpuset& set) {
  std::array<char, 256> text{};
  check(comity_cpuset_string(&set, COMITY_FORM_LIST, text.data(), text.size(), nullptr));
  return text.data();
}

std::vector<testing::RankEnd> on_smt_machine(const std::function<void(Context&, int rank)>& body) {
  setenv("HWLOC_SYNTHETIC", kEightCores, 1);
  setenv("COMITY_NODE_SLICE_MS", "50", 1);
  return run_ranks(kRanks, [&](ForkBootstrap& job) {
    setenv("COMITY_MACHINE_BINDING", kBindings[static_cast<std::size_t>(job.job_rank())], 1);
    Context context(callbacks(job));
    body(context, context.rank());
  });
}

TEST(SmtView, IsTheSameOnEveryRankWhateverItsBinding) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int) {
    EXPECT_EQ(context.smt(), Smt::all);
    EXPECT_EQ(context.count(Resource::pu), 16);
    context.set_smt(Smt::one);
    EXPECT_EQ(context.smt(), Smt::one);
    EXPECT_EQ(context.count(Resource::pu), 8);
    EXPECT_EQ(context.count(Resource::core), 8);
    EXPECT_EQ(context.count_within(Resource::pu, Resource::package, 1), 4);
    EXPECT_EQ(list_of(context.cpuset(Resource::machine, 0)), "0,2,4,6,8,10,12,14");
    EXPECT_EQ(list_of(context.cpuset(Resource::numa, 1)), "8,10,12,14");
    EXPECT_EQ(list_of(context.cpuset(Resource::core, 3)), "6");
    context.set_smt(Smt::all);
    EXPECT_EQ(context.count(Resource::pu), 16);
    EXPECT_EQ(list_of(context.cpuset(Resource::core, 3)), "6-7");
  })));
}

TEST(SmtView, PushesOfAnObjectTakeOnePuOfEachCoreOnEveryRank) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int) {
    context.set_smt(Smt::one);
    context.push(Resource::machine, 0);
    EXPECT_EQ(context.binding_string(), "0,2,4,6,8,10,12,14");
    EXPECT_EQ(context.width().cores, 8);
    EXPECT_EQ(context.width().pus, 8);
    EXPECT_FALSE(context.is_bound());
    context.push(Resource::package, 1);
    EXPECT_EQ(context.binding_string(), "8,10,12,14");
    context.pop();
    context.pop();
  })));
}

TEST(SmtView, ARankOnAHiddenPuIsOnItsCore) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int rank) {
    context.set_smt(Smt::one);
    EXPECT_EQ(context.encloses(Resource::core, 0), rank == 1 || rank == 2);
    EXPECT_TRUE(context.intersects(Resource::core, 0));
    EXPECT_EQ(context.intersects(Resource::core, 7), rank == 0 || rank == 3);
    EXPECT_EQ(context.peers_in(Resource::core, 0), (std::vector<std::int32_t>{0, 1, 2, 3}));
    EXPECT_EQ(context.peers_in(Resource::pu, 5), (std::vector<std::int32_t>{0, 3}));
    EXPECT_EQ(context.width().cores, rank == 1 || rank == 2 ? 1 : 8);
    context.push_nearest(rank == 1 || rank == 2 ? Resource::core : Resource::machine);
    EXPECT_EQ(context.binding_string(), rank == 1 || rank == 2 ? "0" : "0,2,4,6,8,10,12,14");
    context.pop();
    EXPECT_EQ(context.binding_string(), kBindings[static_cast<std::size_t>(rank)]);
  })));
}

// Ranks 0 and 3 have all cores, on whichever PUs.
TEST(SmtView, BindingWidthAndClosestObjectGoByWhatIsSeen) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int rank) {
    const bool has_all = rank == 0 || rank == 3;
    EXPECT_EQ(context.is_bound(), rank != 0);
    EXPECT_EQ(context.width().pus, rank == 0 ? 16 : (rank == 3 ? 8 : 1));
    context.set_smt(Smt::one);
    EXPECT_EQ(context.is_bound(), !has_all);
    EXPECT_EQ(context.width().pus, has_all ? 8 : 1);
    EXPECT_EQ(context.width().cores, has_all ? 8 : 1);
    comity_cpuset hidden{};
    check(comity_cpuset_parse("1,3", &hidden));
    const Closest closest = context.closest(Resource::core, hidden).value();
    EXPECT_EQ(closest.index, 0);
    EXPECT_FALSE(closest.covers);
    check(comity_cpuset_parse("7", &hidden));
    const Closest alone = context.closest(Resource::core, hidden).value();
    EXPECT_EQ(alone.index, 3);
    EXPECT_TRUE(alone.covers);
  })));
}

// Rank 0 and 3 touch every PU that is seen, 1 and 2 the first one alone.
TEST(SmtView, DistributionGoesByWhatIsSeen) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int rank) {
    context.set_smt(Smt::one);
    const Distribution mine = context.distribute(Resource::pu, 1);
    EXPECT_EQ(mine.selected_count, 3);
    EXPECT_EQ(mine.selected, rank != 2);
    EXPECT_EQ(mine.object, rank == 1 ? 0 : (rank == 0 ? 1 : (rank == 3 ? 2 : -1)));
    const bool ran = context.phase(Resource::package, 1, [&] { EXPECT_EQ(context.width().pus, 4); });
    EXPECT_EQ(ran, context.distribute(Resource::package, 1).selected);
  })));
}

// Asked with the same words before and after: what is kept is of the view in which it was made.
TEST(SmtView, ADistributionIsMadeAnewForEachView) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int) {
    const auto selected = [&](Resource type, Rule rule) { return context.distribute(type, 1, rule).selected_count; };
    for (int round = 0; round < 3; ++round) {
      context.set_smt(Smt::all);
      EXPECT_EQ(selected(Resource::pu, Rule::fill), 4);
      EXPECT_EQ(selected(Resource::core, Rule::fill), 4 - 1);
      context.set_smt(Smt::one);
      EXPECT_EQ(selected(Resource::pu, Rule::fill), 3);
      EXPECT_EQ(selected(Resource::core, Rule::fill), 3);
    }
  })));
}

// More questions in turn than are kept.
TEST(SmtView, ADistributionIsTheSameHoweverManyOthersCameBetween) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int) {
    for (int round = 0; round < 3; ++round) {
      for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) {
        for (const int per : {1, 2, 4}) {
          const Distribution mine = context.distribute(Resource::package, per, rule);
          const Distribution again = context.distribute(Resource::package, per, rule);
          EXPECT_EQ(mine.selected_count, again.selected_count);
          if (rule == Rule::fill) {
            EXPECT_EQ(mine.selected_count, std::min(2 * per, 4)) << per;
          }
        }
      }
    }
  })));
}

TEST(SmtView, RanksThatDisagreeAreAllTold) {
  EXPECT_TRUE(all_good(on_smt_machine([](Context& context, int rank) {
    const auto code_of = [&](int smt) {
      return comity_context_set_smt(context.handle(), static_cast<comity_smt>(smt));
    };
    EXPECT_EQ(code_of(rank == 2 ? COMITY_SMT_ONE : COMITY_SMT_ALL), COMITY_ERR_ARGUMENT);
    EXPECT_NE(std::string(comity_last_error()).find("rank 0 and rank 2"), std::string::npos) << comity_last_error();
    EXPECT_EQ(context.smt(), Smt::all);
    EXPECT_EQ(code_of(7), COMITY_ERR_ARGUMENT);
    EXPECT_EQ(code_of(rank == 0 ? 7 : COMITY_SMT_ONE), COMITY_ERR_ARGUMENT);
    EXPECT_EQ(context.count(Resource::pu), 16);
    context.quiesce();
  })));
}

TEST(SmtView, WithoutSmtNothingChanges) {
  setenv("HWLOC_SYNTHETIC", "package:2 core:4 pu:1", 1);
  Context context = Context::local();
  context.set_smt(Smt::one);
  EXPECT_EQ(context.smt(), Smt::one);
  EXPECT_EQ(context.count(Resource::pu), 8);
  context.push(Resource::machine, 0);
  EXPECT_EQ(context.binding_string(), "0-7");
}

}  // namespace
}  // namespace comity
