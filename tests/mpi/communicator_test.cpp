// SPDX-License-Identifier: BSD-3-Clause
// comity_context_communicator for objects of every type, on a machine of which no two types have as many: each rank's
// communicator holds the ranks whose PUs lie in its object, and no others, in their order. comity_context_sharers names them.
//   communicator_test [small-caches]     with them: the machine has L2 and L1 in the place of L3
#include <cstdlib>
#include <map>
#include <numeric>
#include <string_view>
#include <vector>

#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

// As the environment of this test describes it: PU p is in the object p / (PUs of one) of each type.
struct Described {
  std::map<Resource, int> pus_of_one;
  Resource cache;                    // one of those that it has
  std::vector<comity_type> lacking;  // types of which it has none
};
const Described kLargeCaches{{{Resource::machine, 32},
                              {Resource::package, 16},
                              {Resource::numa, 8},
                              {Resource::l3, 4},
                              {Resource::core, 2},
                              {Resource::pu, 1}},
                             Resource::l3,
                             {COMITY_L2, COMITY_L1}};
const Described kSmallCaches{{{Resource::machine, 32},
                              {Resource::package, 16},
                              {Resource::l2, 8},
                              {Resource::l1, 4},
                              {Resource::core, 2},
                              {Resource::pu, 1}},
                             Resource::l2,
                             {COMITY_L3}};
const Described* described = &kLargeCaches;
constexpr int kPus = 32;
// With more of them a split takes Open MPI up to half a second on two cores, so that they make few.
constexpr int kFewRanks = 4;

const char* name_of(Resource type) { return comity_type_name(static_cast<comity_type>(type)); }

void the_machine_is_the_one_described(const Context& context) {
  for (const auto& [type, pus] : described->pus_of_one) expect_equal(context.count(type), kPus / pus, name_of(type));
}

// Their ranks in MPI_COMM_WORLD. Frees the group.
std::vector<int> members_of_group(MPI_Group some) {
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int size = 0;
  MPI_Group_size(some, &size);
  std::vector<int> mine(static_cast<std::size_t>(size));
  std::iota(mine.begin(), mine.end(), 0);
  std::vector<int> ranks(mine.size());
  MPI_Group_translate_ranks(some, size, mine.data(), world, ranks.data());
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  return ranks;
}

// Frees the communicator.
std::vector<int> members(MPI_Comm communicator) {
  if (communicator == MPI_COMM_NULL) return {};
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm_group(communicator, &all);
  MPI_Comm_free(&communicator);
  return members_of_group(all);
}

std::string text(const std::vector<int>& ranks) {
  std::string list;
  for (const int rank : ranks) list += (list.empty() ? "" : ",") + std::to_string(rank);
  return "[" + list + "]";
}

// A rank's PU in each layout: side by side; a core each, where four ranks are two to an L1 and all in one L2; in pairs on one PU
// a NUMA node.
const std::map<std::string, int (*)(int rank)> kLayouts{{"dense", [](int rank) { return rank % kPus; }},
                                                        {"spaced", [](int rank) { return rank * 2 % kPus; }},
                                                        {"pairs", [](int rank) { return rank / 2 * 8 % kPus; }}};

std::vector<int> expected(int size, int (*pu_of)(int rank), int pus_of_one) {
  std::vector<int> ranks;
  for (int rank = 0; rank < size; ++rank) {
    if (pu_of(rank) / pus_of_one == pu_of(world_rank) / pus_of_one) ranks.push_back(rank);
  }
  return ranks;
}

void ranks_on_single_pus_share_an_object_of_any_type(Context& context) {
  for (const auto& [layout, pu_of] : kLayouts) {
    if (context.size() > kFewRanks && layout != "dense") continue;
    const BindingGuard bound = context.bound(Resource::pu, pu_of(world_rank));
    for (const auto& [type, pus] : described->pus_of_one) {
      if (type == Resource::machine) continue;  // asked for at the end
      const std::vector<int> found = members(shared_communicator(context, MPI_COMM_WORLD, type));
      expect_equal(text(found), text(expected(context.size(), pu_of, pus)), layout + ", ranks of my " + name_of(type));
    }
  }
}

// Bound to an object: the one itself and larger ones enclose the rank, of smaller ones none does.
void ranks_on_objects_share_the_larger_ones_alone(Context& context) {
  for (const Resource bound_to : {Resource::package, described->cache}) {
    const int width = described->pus_of_one.at(bound_to);
    const int mine = world_rank % context.count(bound_to);
    const BindingGuard bound = context.bound(bound_to, mine);
    for (const Resource type : {Resource::package, described->cache, Resource::core}) {
      const int pus = described->pus_of_one.at(type);
      std::vector<int> wanted;
      for (int rank = 0; rank < context.size() && pus >= width; ++rank) {
        const int its = rank % context.count(bound_to);
        if (its * width / pus == mine * width / pus) wanted.push_back(rank);
      }
      const std::vector<int> found = members(shared_communicator(context, MPI_COMM_WORLD, type));
      expect_equal(text(found), text(wanted), std::string(name_of(type)) + " of ranks on a " + name_of(bound_to));
    }
  }
}

// The group is of the duplicate, in whose order its ranks are; nobody has a part of it yet.
void sharers_are_those_who_would_have_a_communicator(Context& context) {
  MPI_Comm turned = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank, &turned);
  const bool narrow = world_rank % 3 != 0;
  const BindingGuard bound = context.bound(narrow ? Resource::pu : Resource::machine, narrow ? world_rank % kPus : 0);
  for (const Resource type : {Resource::machine, described->cache, Resource::core}) {
    Sharers found = sharers(context, turned, type);
    int same = MPI_UNEQUAL;
    MPI_Comm_compare(found.all, turned, &same);
    expect(same == MPI_CONGRUENT, std::string("the duplicate with the sharers of a ") + name_of(type));
    MPI_Comm_free(&found.all);
    const std::vector<int> wanted = members(shared_communicator(context, turned, type));
    expect_equal(text(members_of_group(found.group)), text(wanted), std::string("sharers of a ") + name_of(type));
  }
  MPI_Comm_free(&turned);
}

// Half of them on one PU each, the others on the machine: a communicator for those, none for these.
void ranks_that_no_object_encloses_get_none(Context& context) {
  const bool narrow = world_rank % 2 == 0;
  const BindingGuard bound = context.bound(narrow ? Resource::pu : Resource::machine, 0);
  std::vector<int> evens;
  for (int rank = 0; rank < context.size(); rank += 2) evens.push_back(rank);
  const std::vector<int> found = members(shared_communicator(context, MPI_COMM_WORLD, described->cache));
  expect_equal(text(found), text(narrow ? evens : std::vector<int>()), "half on PU 0, the others on the machine");
}

void a_type_that_the_node_lacks_is_not_found_on_all_ranks(Context& context) {
  for (const comity_type type : described->lacking) {
    MPI_Comm shared = MPI_COMM_SELF;
    expect_status(comity_context_communicator(context.handle(), MPI_COMM_WORLD, type, &shared), COMITY_ERR_NOT_FOUND,
                  "no such object here");
    expect(std::string(comity_last_error()).find("no object of that type") != std::string::npos, comity_last_error());
    expect(shared == MPI_COMM_SELF, "the place of the communicator was written to");
    MPI_Group group = MPI_GROUP_EMPTY;
    expect_status(comity_context_sharers(context.handle(), MPI_COMM_WORLD, type, &shared, &group), COMITY_ERR_NOT_FOUND,
                  "no sharers of such an object");
    expect(shared == MPI_COMM_SELF && group == MPI_GROUP_EMPTY, "the places of the sharers were written to");
  }
  const std::vector<int> all = members(shared_communicator(context, MPI_COMM_WORLD, Resource::machine));
  expect_equal(static_cast<int>(all.size()), context.size(), "the next call works");
}

// It is divided from one whose errors come back to us, but a program that handles errors, or does not, meets its own way.
void errors_on_a_new_communicator_are_handled_as_on_the_given_one(Context& context) {
  for (const MPI_Errhandler wanted : {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_RETURN}) {
    MPI_Comm given = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &given);
    MPI_Comm_set_errhandler(given, wanted);
    MPI_Comm shared = shared_communicator(context, given, Resource::machine);
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    expect(MPI_Comm_get_errhandler(shared, &handler) == MPI_SUCCESS, "asked for the error handler");
    expect(handler == wanted, "the error handler is that of the communicator");
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&shared);
    MPI_Comm_free(&given);
  }
}

// Ranks without a segment in common are a node each, though MPI's shared split holds them all.
void a_node_that_is_finer_than_the_shared_split_divides_it() {
  setenv("COMITY_NODE_HANDOVER", "none", 1);
  {
    Context alone = make_context(MPI_COMM_WORLD);
    expect_equal(alone.size(), 1, "ranks of a node without hand-over");
    const BindingGuard bound = alone.bound(Resource::pu, 0);
    for (const Resource type : {Resource::machine, Resource::pu}) {
      const std::vector<int> found = members(shared_communicator(alone, MPI_COMM_WORLD, type));
      expect_equal(text(found), text({world_rank}), std::string("alone on the ") + name_of(type));
    }
  }
  unsetenv("COMITY_NODE_HANDOVER");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  if (argc > 1 && std::string_view(argv[1]) == "small-caches") described = &kSmallCaches;
  a_node_that_is_finer_than_the_shared_split_divides_it();
  {
    Context context = make_context(MPI_COMM_WORLD);
    the_machine_is_the_one_described(context);
    ranks_on_single_pus_share_an_object_of_any_type(context);
    if (context.size() <= kFewRanks) ranks_on_objects_share_the_larger_ones_alone(context);
    ranks_that_no_object_encloses_get_none(context);
    sharers_are_those_who_would_have_a_communicator(context);
    a_type_that_the_node_lacks_is_not_found_on_all_ranks(context);
    errors_on_a_new_communicator_are_handled_as_on_the_given_one(context);
  }
  MPI_Finalize();
  return finish();
}
