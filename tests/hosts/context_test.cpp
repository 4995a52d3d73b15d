// SPDX-License-Identifier: BSD-3-Clause
// Contexts of a job on several hosts (tools/emulated-hosts, with SLOTS ranks a host in a row): everything that is a
// node's ends at its host. A rank that found nothing wrong says so before MPI_Finalize, which a launcher may not
// survive.
//   test_hosts_context HOSTS SLOTS
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "mpi/expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

struct Place {
  int hosts;
  int slots;
  int rank;
  [[nodiscard]] int host() const { return rank / slots; }
  [[nodiscard]] int local() const { return rank % slots; }
  [[nodiscard]] int ranks() const { return hosts * slots; }
};

using HostName = std::array<char, 64>;

HostName host_name() {
  HostName name{};
  gethostname(name.data(), name.size() - 1);
  return name;
}

template <typename Value>
std::vector<Value> gather(const Value& mine, int ranks) {
  std::vector<Value> all(static_cast<std::size_t>(ranks));
  MPI_Allgather(&mine, sizeof(Value), MPI_BYTE, all.data(), sizeof(Value), MPI_BYTE, MPI_COMM_WORLD);
  return all;
}

int sum(int mine) {
  int total = 0;
  MPI_Allreduce(&mine, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return total;
}

std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

// What the rest relies on: the launcher used all hosts, `slots` ranks a host in a row.
void ranks_are_where_they_should_be(const Place& place) {
  const std::vector<HostName> names = gather(host_name(), place.ranks());
  for (int rank = 0; rank < place.ranks(); ++rank) {
    expect((names[index(rank)] == host_name()) == (rank / place.slots == place.host()),
           "rank " + std::to_string(rank) + " is on " + names[index(rank)].data());
  }
}

void a_node_is_a_host(const Place& place, const Context& context) {
  expect_equal(context.node_count(), place.hosts, "nodes");
  expect_equal(context.size(), place.slots, "ranks of my node");
  expect_equal(context.rank(), place.local(), "my rank on my node");
  const std::vector<std::uint64_t> ids = gather(context.node_id(), place.ranks());
  for (int rank = 0; rank < place.ranks(); ++rank) {
    expect((ids[index(rank)] == context.node_id()) == (rank / place.slots == place.host()),
           "the node id of rank " + std::to_string(rank));
  }
}

// Hosts rest one after another, each many times: if a rest were anybody else's too, nobody would come.
void each_host_rests_alone(const Place& place, Context& context) {
  for (int host = 0; host < place.hosts; ++host) {
    for (int round = 0; host == place.host() && round < 100; ++round) context.quiesce();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void a_phase_selects_ranks_on_each_host(const Place& place, Context& context) {
  const Distribution mine = context.distribute(Resource::machine, 1);
  expect_equal(mine.leader, 0, "leader of my node");
  expect_equal(mine.share_count, place.slots, "ranks of my leader");
  for (int round = 0; round < 10; ++round) {
    const bool selected = context.phase(Resource::machine, 1, [] {});
    expect(selected == (place.local() == 0), "selected for a phase of one rank a node");
    expect_equal(sum(selected ? 1 : 0), place.hosts, "selected ranks of the job");
  }
}

void groups_stay_on_their_host(const Place& place, Context& context) {
  const auto group = context.split(place.local() % 2);
  for (int round = 0; round < 20; ++round) context.quiesce(*group);
  MPI_Comm node = shared_communicator(context, MPI_COMM_WORLD, Resource::machine);
  int size = 0;
  MPI_Comm_size(node, &size);
  expect_equal(size, place.slots, "ranks in the communicator of the node");
  Sharers found = sharers(context, MPI_COMM_WORLD, Resource::machine);
  MPI_Comm made = MPI_COMM_NULL;
  // Hosts make theirs one after another: it takes nobody of another one.
  for (int host = 0; host < place.hosts; ++host) {
    if (host == place.host()) MPI_Comm_create_group(found.all, found.group, 0, &made);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int order = MPI_UNEQUAL;
  MPI_Comm_compare(made, node, &order);
  expect(order == MPI_CONGRUENT, "the ranks that share the node, in their order");
  MPI_Comm_compare(found.all, MPI_COMM_WORLD, &order);
  expect(order == MPI_CONGRUENT, "the duplicate of all ranks");
  MPI_Group_free(&found.group);
  for (MPI_Comm* const one : {&made, &found.all, &node}) MPI_Comm_free(one);
}

// One rank of each host: every one of them is alone on its node.
void a_communicator_across(const Place& place) {
  MPI_Comm across = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, place.local(), place.rank, &across);
  {
    Context context = make_context(across);
    expect_equal(context.node_count(), place.hosts, "nodes of one rank each");
    expect_equal(context.size(), 1, "ranks of my node, of those");
    context.quiesce();
  }
  MPI_Comm_free(&across);
}

// Ranks of a communicator are on the hosts in turn; a chain of them, reordered, goes from host to host once.
void a_reordered_chain_changes_hosts_once(const Place& place) {
  MPI_Comm dealt = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, place.local() * place.hosts + place.host(), &dealt);
  MPI_Comm chain = reordered_grid(dealt, {place.ranks()});
  const int mine = place.host();
  std::vector<int> hosts(index(place.ranks()));
  MPI_Allgather(&mine, 1, MPI_INT, hosts.data(), 1, MPI_INT, chain);
  int changes = 0;
  for (std::size_t i = 1; i < hosts.size(); ++i) changes += hosts[i] == hosts[i - 1] ? 0 : 1;
  expect_equal(changes, place.hosts - 1, "times that a chain of ranks changes hosts");
  MPI_Comm_free(&chain);
  MPI_Comm_free(&dealt);
}

// MPICH 4.0 may hang in MPI_Finalize where a job has several hosts. All is said by then, so this rank ends well soon.
void finalize() {
  std::signal(SIGALRM, [](int) { _exit(finish()); });
  alarm(2);
  MPI_Finalize();
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  Place place{std::atoi(words[1]), std::atoi(words[2]), 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  world_rank = place.rank;
  ranks_are_where_they_should_be(place);
  {
    Context context = make_context(MPI_COMM_WORLD);
    a_node_is_a_host(place, context);
    each_host_rests_alone(place, context);
    a_phase_selects_ranks_on_each_host(place, context);
    groups_stay_on_their_host(place, context);
    a_communicator_across(place);
    a_reordered_chain_changes_hosts_once(place);
    Context second = make_context(MPI_COMM_WORLD);
    a_node_is_a_host(place, second);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (failures == 0) {
    std::printf("rank %d on %s: fine\n", place.rank, host_name().data());
    std::fflush(stdout);
  }
  finalize();
  return finish();
}
