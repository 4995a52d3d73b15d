// SPDX-License-Identifier: BSD-3-Clause
#include "context/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <set>
#include <string>

#include "sanitizer.hpp"

namespace comity::context {
namespace {

const std::vector<CpuSet> kTwoCores{{0}, {1}};
const std::vector<CpuSet> kFourCores{{0}, {1}, {2}, {3}};

std::vector<int> selected(const std::vector<Assignment>& rows) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    if (rows[rank].selected) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

std::vector<int> select(Rule rule, const std::vector<CpuSet>& objects, const std::vector<CpuSet>& masks, int max_per) {
  return selected(distribute(objects, masks, max_per, rule));
}

using Ranks = std::vector<int>;

TEST(Fill, SeatsEvenlyWhereAnObjectTakesSeveral) {
  const auto bound_and_unbound = distribute(kTwoCores, std::vector<CpuSet>{{0}, {0, 1}}, 2, Rule::fill);
  EXPECT_EQ(bound_and_unbound[0].object, 0);
  EXPECT_EQ(bound_and_unbound[1].object, 1);
  const auto unbound = distribute(kTwoCores, std::vector<CpuSet>(4, CpuSet{0, 1}), 4, Rule::fill);
  for (std::size_t rank = 0; rank < 4; ++rank) EXPECT_EQ(unbound[rank].object, static_cast<int>(rank % 2));
}

TEST(Fill, OneBoundAndOneUnboundRankFillBothCores) {
  EXPECT_EQ(select(Rule::fill, kTwoCores, {{0}, {0, 1}}, 1), (Ranks{0, 1}));
}

TEST(Fill, BoundRanksComeFirst) { EXPECT_EQ(select(Rule::fill, kTwoCores, {{0, 1}, {0}, {1}}, 1), (Ranks{1, 2})); }

TEST(Fill, NeverMoreThanMaxPerObject) { EXPECT_EQ(select(Rule::fill, kTwoCores, {{0}, {0}, {0}}, 2), (Ranks{0, 1})); }

TEST(Fill, UnboundRanksFillWhatBoundOnesLeave) {
  EXPECT_EQ(select(Rule::fill, kTwoCores, {{0, 1}, {0, 1}, {0, 1}}, 1), (Ranks{0, 1}));
  EXPECT_EQ(select(Rule::fill, kFourCores, {{0, 1, 2, 3}, {2}}, 1), (Ranks{0, 1}));
}

TEST(Fill, AnEarlierRankMovesAsideSoThatNoObjectStaysEmpty) {
  // Rank 0 would take core 0, which rank 1 needs more.
  const auto rows = distribute(kFourCores, std::vector<CpuSet>{{0, 2}, {0, 1}, {0, 1}}, 1, Rule::fill);
  EXPECT_EQ(selected(rows), (Ranks{0, 1, 2}));
  EXPECT_EQ(rows[0].object, 2);
}

TEST(Fill, ARankOutsideEveryObjectIsNotSelected) {
  EXPECT_EQ(select(Rule::fill, kTwoCores, {{7}, {0}}, 1), (Ranks{1}));
}

TEST(Fill, ObjectsWithOneCpuSetAreOnePlace) {
  const std::vector<CpuSet> twice{{0, 1}, {0, 1}, {2, 3}, {2, 3}};  // each domain has an ordinary and a fast memory
  const auto rows = distribute(twice, std::vector<CpuSet>{{0}, {1}, {2}, {3}}, 1, Rule::fill);
  EXPECT_EQ(selected(rows), (Ranks{0, 2}));
  EXPECT_EQ(rows[0].object, 0);
  EXPECT_EQ(rows[2].object, 2);
  EXPECT_EQ(rows[1].leader, 0);
  EXPECT_EQ(rows[3].leader, 2);
}

// That two objects have one CPU set is nothing that Algorithm 1 and libquo look at.
TEST(LetterTrueRules, CountEachOfSeveralObjectsWithOneCpuSet) {
  const std::vector<CpuSet> twice{{0, 1}, {0, 1}};
  for (const Rule rule : {Rule::algorithm_1, Rule::quo_1_4}) {
    const auto rows = distribute(twice, std::vector<CpuSet>{{0}, {1}, {0}}, 1, rule);
    EXPECT_EQ(selected(rows), (Ranks{0, 1}));
    EXPECT_EQ(rows[1].object, 1);
  }
}

TEST(EveryRule, KnowsThatNobodyRunsOnAnObjectWithoutCpus) {
  const std::vector<CpuSet> with_memory_alone{{}, {0}, {}, {1}};
  for (const Rule rule : {Rule::fill, Rule::algorithm_1, Rule::quo_1_4}) {
    for (const std::vector<CpuSet>& masks :
         std::vector<std::vector<CpuSet>>{{{0, 1}, {0, 1}, {0, 1}}, {{0}, {0, 1}, {1}}, {{1}, {1}}}) {
      auto rows = distribute(kTwoCores, masks, 2, rule);
      for (Assignment& row : rows) row.object = row.selected ? 2 * row.object + 1 : kNobody;
      EXPECT_EQ(distribute(with_memory_alone, masks, 2, rule), rows) << "rule " << static_cast<int>(rule);
    }
  }
}

TEST(AlgorithmOne, WhenAllOverlapTheFirstAreTaken) {
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0, 1}, {0, 1}, {0, 1}}, 1), (Ranks{0, 1}));
}

TEST(AlgorithmOne, ARankThatTouchesAllIsPassedOverButKeepsItsPlaceInTheOrder) {
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0, 1}, {0}, {1}}, 1), Ranks{});
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0, 1}, {0}, {1}}, 2), (Ranks{1, 2}));
}

TEST(AlgorithmOne, DisjointRanksAreTakenInOrder) {
  EXPECT_EQ(select(Rule::algorithm_1, kTwoCores, {{0}, {0}, {1}, {1}}, 1), (Ranks{0, 2}));
}

TEST(AlgorithmOne, OneObjectOverlapsForAll) {
  EXPECT_EQ(select(Rule::algorithm_1, {{0, 1}}, {{0}, {1}, {0, 1}}, 2), (Ranks{0, 1}));
}

TEST(Leaders, ARestingRankIsServedByASelectedOneOfItsObject) {
  const auto rows = distribute(kTwoCores, std::vector<CpuSet>{{0}, {0}, {1}, {1}}, 1, Rule::fill);
  EXPECT_EQ(rows[1].leader, 0);
  EXPECT_EQ(rows[3].leader, 2);
  EXPECT_EQ(rows[3].share, 1);
  EXPECT_EQ(rows[2].share_count, 2);
}

TEST(Leaders, TwoOfOneObjectShareTheRestingRanksEvenly) {
  const std::vector<CpuSet> masks(8, {0, 1});
  const auto rows = distribute(std::vector<CpuSet>{{0, 1}}, masks, 2, Rule::fill);
  std::vector<int> shares;
  for (const Assignment& row : rows) {
    EXPECT_EQ(row.share_count, 4);
    shares.push_back(row.share);
  }
  EXPECT_EQ(shares, (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(Leaders, NobodyLeadsWhereNobodyIsSelected) {
  const auto rows = distribute(kTwoCores, std::vector<CpuSet>{{5}, {6}}, 1, Rule::fill);
  EXPECT_EQ(rows[0].leader, kNobody);
  EXPECT_EQ(rows[0].share_count, 0);
}

// The three rules side by side on masks that tell them apart.
struct Row {
  const char* name;
  std::vector<CpuSet> objects;
  std::vector<CpuSet> masks;
  int max_per;
  Ranks fill, algorithm_1, quo_1_4;
};

const std::vector<Row> kTable{
    {"OneUnboundBeforeTwoBound", kTwoCores, {{0, 1}, {0}, {1}}, 1, {1, 2}, {}, {1, 2}},
    {"OneBoundBeforeOneUnbound", kTwoCores, {{0}, {0, 1}}, 1, {0, 1}, {0}, {0}},
    {"ThreeUnboundBeforeOneBound", kTwoCores, {{0, 1}, {0, 1}, {0, 1}, {0}}, 1, {0, 3}, {}, {3}},
    {"AllUnbound", kTwoCores, {{0, 1}, {0, 1}, {0, 1}}, 1, {0, 1}, {0, 1}, {0, 1}},
    {"AllInTwoOfFour", kFourCores, {{0, 1}, {0, 1}, {2, 3}}, 1, {0, 1, 2}, {0, 2}, {0, 1, 2}},
    {"Disjoint", kTwoCores, {{0}, {0}, {1}, {1}}, 1, {0, 2}, {0, 2}, {0, 2}},
    // The last rank finds its object full: who makes room there is the first of the two who sit on it, not the second.
    {"TheFirstOfTwoMovesAside",
     {{0}, {1}, {2}},
     {{0, 1}, {0, 2}, {0, 2}, {2}, {2}},
     2,
     {0, 1, 2, 3, 4},
     {0, 1, 2},
     {3, 4}},
    {"OneObject", {{0, 1}}, {{0}, {1}, {0, 1}}, 2, {0, 1}, {0, 1}, {0, 1}},
};

class Table : public ::testing::TestWithParam<Row> {};

TEST_P(Table, EachRuleSelectsItsOwn) {
  const Row& row = GetParam();
  EXPECT_EQ(select(Rule::fill, row.objects, row.masks, row.max_per), row.fill);
  EXPECT_EQ(select(Rule::algorithm_1, row.objects, row.masks, row.max_per), row.algorithm_1);
  EXPECT_EQ(select(Rule::quo_1_4, row.objects, row.masks, row.max_per), row.quo_1_4);
}

INSTANTIATE_TEST_SUITE_P(Masks, Table, ::testing::ValuesIn(kTable),
                         [](const auto& row) { return std::string(row.param.name); });

// All masks of up to 4 ranks on up to 4 cores, and of 5 on up to 3, each rule against an oracle of another kind. A mask is a
// number: bit c says that the rank touches core c; 0 is a rank bound elsewhere.
struct Case {
  int cores;
  int max_per;
  std::vector<unsigned> masks;

  [[nodiscard]] bool touches(std::size_t rank, int core) const { return (masks[rank] >> core & 1U) != 0; }
  [[nodiscard]] unsigned all() const { return (1U << static_cast<unsigned>(cores)) - 1; }
};

// Fill, by Hall's theorem: the rank gets a seat if after it, for each set of cores, no more ranks need to sit inside the
// set than it has seats. Ranks on one core come first, then the others.
Ranks oracle_of_fill(const Case& given) {
  std::vector<std::size_t> seated;
  const auto all_fit = [&] {
    for (unsigned set = 0; set <= given.all(); ++set) {
      const auto inside = std::count_if(seated.begin(), seated.end(),
                                        [&](std::size_t rank) { return (given.masks[rank] & ~set) == 0; });
      if (inside > std::popcount(set) * given.max_per) return false;
    }
    return true;
  };
  for (const bool bound : {true, false}) {
    for (std::size_t rank = 0; rank < given.masks.size(); ++rank) {
      if (given.masks[rank] == 0 || std::has_single_bit(given.masks[rank]) != bound) continue;
      seated.push_back(rank);
      if (!all_fit()) seated.pop_back();
    }
  }
  Ranks ranks(seated.begin(), seated.end());
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

// The object that goes to a caller by its number, where all ranks go by theirs: the objects in turn.
int object_by_number(const Case& given, std::size_t u) {
  const bool slot_exists = u < static_cast<std::size_t>(given.max_per * given.cores);
  return slot_exists ? static_cast<int>(u) % given.cores : kNobody;
}

// Algorithm 1 as the dissertation writes it, for the caller u: the object that it is selected for, or kNobody.
int oracle_of_algorithm_1(const Case& given, std::size_t u) {
  const std::size_t tasks = given.masks.size();
  std::vector<std::vector<std::size_t>> a(static_cast<std::size_t>(given.cores));
  std::set<std::size_t> intersection;
  for (std::size_t t = 0; t < tasks; ++t) intersection.insert(t);
  for (int r = 0; r < given.cores; ++r) {
    for (std::size_t t = 0; t < tasks; ++t) {
      if (given.touches(t, r)) {
        a[static_cast<std::size_t>(r)].push_back(t);
      } else {
        intersection.erase(t);
      }
    }
  }
  if (intersection.size() == tasks) return object_by_number(given, u);
  if (intersection.count(u) != 0) return kNobody;
  for (int r = 0; r < given.cores; ++r) {
    const auto& set = a[static_cast<std::size_t>(r)];
    const auto place = std::find(set.begin(), set.end(), u);
    if (place != set.end() && place - set.begin() < given.max_per) return r;
  }
  return kNobody;
}

// libquo 1.4 as it was observed, for the caller u: by its number where everybody is on several cores, else by how many
// of lower number are on its core alone. The object that it is selected for, or kNobody.
int oracle_of_quo_1_4(const Case& given, std::size_t u) {
  std::size_t on_several = 0;
  for (const unsigned mask : given.masks) on_several += std::popcount(mask) > 1 ? 1 : 0;
  if (on_several == given.masks.size()) return object_by_number(given, u);
  if (std::popcount(given.masks[u]) != 1) return kNobody;
  int before = 0;
  for (std::size_t lower = 0; lower < u; ++lower) before += given.masks[lower] == given.masks[u] ? 1 : 0;
  return before < given.max_per ? std::countr_zero(given.masks[u]) : kNobody;
}

// The object of each rank; kNobody where it rests.
using Objects = std::vector<int>;

Objects objects_of(const std::vector<Assignment>& rows) {
  Objects objects;
  for (const Assignment& row : rows) objects.push_back(row.selected ? row.object : kNobody);
  return objects;
}

template <typename Oracle>
Objects objects_of_each(const Case& given, Oracle&& object_of) {
  Objects objects;
  for (std::size_t u = 0; u < given.masks.size(); ++u) objects.push_back(object_of(given, u));
  return objects;
}

// For how many a leader works when a resting rank's turn comes: for itself and for those of lower number.
int load_before(const std::vector<Assignment>& rows, int leader, std::size_t turn) {
  return static_cast<int>(1 +
                          std::count_if(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(turn),
                                        [&](const Assignment& row) { return !row.selected && row.leader == leader; }));
}

// A resting rank goes to the leader that works for the fewest then: of those on objects that it touches, else of all.
bool has_a_lighter_leader(const Case& given, const std::vector<Assignment>& rows, std::size_t rank) {
  const auto in_reach = [&](const Assignment& row) { return row.selected && given.touches(rank, row.object); };
  const bool any_in_reach = std::any_of(rows.begin(), rows.end(), in_reach);
  const int mine = load_before(rows, rows[rank].leader, rank);
  return std::any_of(rows.begin(), rows.end(), [&](const Assignment& row) {
    const bool candidate = any_in_reach ? in_reach(row) : row.selected;
    return candidate && load_before(rows, row.leader, rank) < mine;
  });
}

// The ranks of a leader have the shares 0 to n - 1, the leader 0, each of them once, and all know n.
std::string broken_rule_of_shares(const Case& given, const std::vector<Assignment>& rows) {
  std::vector<std::set<int>> shares(rows.size());
  std::vector<int> ranks(rows.size(), 0);
  for (const Assignment& row : rows) {
    if (row.leader == kNobody) continue;
    shares[static_cast<std::size_t>(row.leader)].insert(row.share);
    ++ranks[static_cast<std::size_t>(row.leader)];
  }
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    const Assignment& row = rows[rank];
    const int expected = row.leader == kNobody ? 0 : ranks[static_cast<std::size_t>(row.leader)];
    if (row.share_count != expected) return "a share_count that is not how many ranks the leader has";
    if (row.leader == kNobody) continue;
    if (row.selected && row.share != 0) return "a leader whose share is not 0";
    if (row.share < 0 || row.share >= row.share_count) return "a share out of range";
    const bool each_once = shares[static_cast<std::size_t>(row.leader)].size() == static_cast<std::size_t>(expected);
    if (!each_once) return "two ranks with one share";
    if (!row.selected && has_a_lighter_leader(given, rows, rank)) return "a leader that works for more than another";
  }
  return "";
}

// Whatever the rule: a selected rank sits on an object it touches (or on any, where all ranks go by number), nobody sits
// where there is no seat, and each rank is led by exactly one selected rank if there is any.
std::string broken_rule_of_seats(const Case& given, const std::vector<Assignment>& rows) {
  std::vector<int> load(static_cast<std::size_t>(given.cores), 0);
  int selected_ranks = 0;
  for (const Assignment& row : rows) {
    if (!row.selected) continue;
    ++selected_ranks;
    if (++load[static_cast<std::size_t>(row.object)] > given.max_per) return "too many on one object";
  }
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    if (selected_ranks == 0 && rows[rank].leader != kNobody) return "a leader where nobody is selected";
    if (selected_ranks == 0) continue;
    if (rows[rank].leader == kNobody) return "a rank without a leader";
    if (!rows[static_cast<std::size_t>(rows[rank].leader)].selected) return "a leader that rests";
    if (rows[rank].selected && !given.touches(rank, rows[rank].object)) return "a seat on an object out of reach";
  }
  return broken_rule_of_shares(given, rows);
}

using Loads = std::array<int, 4>;
int squares(const Loads& loads) { return std::inner_product(loads.begin(), loads.end(), loads.begin(), 0); }

// The least sum of squares of the objects' loads with which these ranks can sit on objects that they touch.
int most_even(const Case& given, const Ranks& ranks, std::size_t next, Loads loads) {
  if (next == ranks.size()) return squares(loads);
  int best = std::numeric_limits<int>::max();
  for (int object = 0; object < given.cores; ++object) {
    if (!given.touches(static_cast<std::size_t>(ranks[next]), object)) continue;
    Loads with = loads;
    ++with[static_cast<std::size_t>(object)];
    best = std::min(best, most_even(given, ranks, next + 1, with));
  }
  return best;
}

int evenness(const std::vector<Assignment>& rows) {
  Loads loads{};
  for (const Assignment& row : rows)
    loads[static_cast<std::size_t>(row.selected ? row.object : 0)] += row.selected ? 1 : 0;
  return squares(loads);
}

// Sanitizers make an allocation some hundred times as dear: there one case of many is enough, with every mask in each place.
constexpr unsigned kStep = testing::kHasSanitizer ? 37 : 1;

// The objects, each twice and after one without CPUs: what fill answers for them is the same but for the numbers.
std::vector<CpuSet> crowded(const std::vector<CpuSet>& objects) {
  std::vector<CpuSet> result;
  for (const CpuSet& object : objects) result.insert(result.end(), {CpuSet(), object, object});
  return result;
}
std::vector<Assignment> as_in_crowd(std::vector<Assignment> rows) {
  for (Assignment& row : rows) row.object = row.selected ? 3 * row.object + 1 : kNobody;
  return rows;
}

class AllMasks : public ::testing::TestWithParam<int> {};

TEST_P(AllMasks, EachRuleSelectsWhatItsOracleSelects) {
  const int ranks = GetParam();
  const int most_cores = ranks <= 4 ? 4 : 3;  // 5 on 4 would take half a minute
  for (int cores = 1; cores <= most_cores; ++cores) {
    std::vector<CpuSet> objects;
    for (int core = 0; core < cores; ++core) objects.push_back(CpuSet{static_cast<std::size_t>(core)});
    const std::vector<CpuSet> crowd = crowded(objects);
    const unsigned kinds = 1U << static_cast<unsigned>(cores);
    unsigned combinations = 1;
    for (int i = 0; i < ranks; ++i) combinations *= kinds;
    for (unsigned code = 0; code < combinations; code += kStep) {
      Case given{cores, 1, {}};
      std::vector<CpuSet> masks;
      for (unsigned i = 0, rest = code; i < static_cast<unsigned>(ranks); ++i, rest /= kinds) {
        given.masks.push_back(rest % kinds);
        CpuSet mask;
        mask.words()[0] = rest % kinds;
        masks.push_back(mask);
      }
      for (given.max_per = 1; given.max_per <= 2; ++given.max_per) {
        const auto told = [&](Rule rule) { return distribute(objects, masks, given.max_per, rule); };
        const auto fill = told(Rule::fill);
        const auto algorithm_1 = told(Rule::algorithm_1);
        const auto quo_1_4 = told(Rule::quo_1_4);
        const std::string where = std::to_string(cores) + " cores, code " + std::to_string(code) + ", max_per " +
                                  std::to_string(given.max_per);
        ASSERT_EQ(selected(fill), oracle_of_fill(given)) << where;
        ASSERT_EQ(objects_of(algorithm_1), objects_of_each(given, oracle_of_algorithm_1)) << where;
        ASSERT_EQ(objects_of(quo_1_4), objects_of_each(given, oracle_of_quo_1_4)) << where;
        ASSERT_EQ(broken_rule_of_seats(given, fill), "") << where;
        ASSERT_EQ(evenness(fill), most_even(given, selected(fill), 0, {})) << where;
        ASSERT_EQ(broken_rule_of_seats(given, algorithm_1), "") << where;
        ASSERT_EQ(broken_rule_of_shares(given, quo_1_4), "") << where;  // by number also onto objects out of reach
        ASSERT_EQ(distribute(crowd, masks, given.max_per, Rule::fill), as_in_crowd(fill)) << where;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(UpToFiveRanks, AllMasks, ::testing::Values(1, 2, 3, 4, 5));

}  // namespace
}  // namespace comity::context
