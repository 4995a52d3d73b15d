// SPDX-License-Identifier: BSD-3-Clause
// Contexts on communicators of every kind, and the failures that a communicator can bring.
#include <comity/bootstrap.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include "context/masks.hpp"
#include "expect.hpp"

using namespace comity;
using namespace comity::testing;

namespace {

void before_init() {
  comity_context* context = nullptr;
  expect_status(comity_context_create(MPI_COMM_WORLD, &context), COMITY_ERR_MPI, "create before MPI_Init");
  expect(std::string(comity_last_error()).find("MPI_Init") != std::string::npos, "the sentence names MPI_Init");
}

void after_finalize() {
  comity_context* context = nullptr;
  expect_status(comity_context_create(MPI_COMM_WORLD, &context), COMITY_ERR_MPI, "create after MPI_Finalize");
  expect(std::string(comity_last_error()).find("MPI_Finalize") != std::string::npos, "the sentence names MPI_Finalize");
}

// MPI has started its own at the latest when ranks have spoken to one another.
void no_thread_is_started() {
  int everybody = world().rank;
  MPI_Allreduce(MPI_IN_PLACE, &everybody, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const Threads before = threads_of_this_process();
  Context context = make_context(MPI_COMM_WORLD);
  context.quiesce();
  expect(threads_of_this_process() == before, "a create starts no thread");
}

void whole_world() {
  const World w = world();
  Context context = make_context(MPI_COMM_WORLD);
  expect_equal(context.size(), w.size, "size");
  expect_equal(context.rank(), w.rank, "rank");
  expect_equal(context.node_count(), 1, "nodes");
  expect(context.count(Resource::core) >= 1, "cores");
  for (int round = 0; round < 20; ++round) context.quiesce();
}

void node_key() {
  std::uint64_t key = 0;
  expect_status(comity_node_key(nullptr), COMITY_ERR_ARGUMENT, "a node key without a place for it");
  expect_status(comity_node_key(&key), COMITY_OK, "the node key");
  std::array<std::uint64_t, 2> both{key, ~key};
  MPI_Allreduce(MPI_IN_PLACE, both.data(), 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  expect(both[0] == key && both[1] == ~key, "ranks of one node have one key");
}

// What the first create on a communicator made serves the next ones, and goes with the communicator; contexts stay.
void communicators_that_come_and_go() {
  const World w = world();
  for (int round = 0; round < 5; ++round) {
    MPI_Comm twin = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    Context first = make_context(twin);
    Context second = make_context(twin);
    MPI_Comm_free(&twin);
    expect_equal(second.size(), w.size, "size after the communicator has gone");
    first.quiesce();
    second.quiesce();
  }
}

// Who waits long in a first create listens for losses there, over the communicator itself.
void messages_of_the_program_stay_its_own() {
  constexpr auto kLate = std::chrono::milliseconds(700);  // two looks
  const World w = world();
  int* largest_tag = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest_tag), &known);
  MPI_Comm twin = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  const int sent = 4711 + w.rank;
  int received = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&sent, 1, MPI_INT, w.rank, *largest_tag, twin, &request);
  if (w.rank == w.size - 1) std::this_thread::sleep_for(kLate);
  const Context context = make_context(twin);
  MPI_Recv(&received, 1, MPI_INT, w.rank, *largest_tag, twin, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_equal(received, sent, "the message that was under way during the create");
  MPI_Comm_free(&twin);
}

void sub_communicators() {
  const World w = world();
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, w.rank % 2, -w.rank, &half);  // ranks in reverse order
  int half_rank = 0;
  int half_size = 0;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_size);
  {
    Context context = make_context(half);
    expect_equal(context.size(), half_size, "size of the half");
    expect_equal(context.rank(), half_rank, "rank in the half");
    context.quiesce();
    Context everybody = make_context(MPI_COMM_WORLD);
    expect_equal(everybody.size(), w.size, "size of all, after the half");
    Context half_again = make_context(half);
    expect_equal(half_again.rank(), half_rank, "rank in the half, in the segment of all");
    half_again.quiesce();
    everybody.quiesce();
  }
  MPI_Comm_free(&half);
  Context self = make_context(MPI_COMM_SELF);
  expect_equal(self.size(), 1, "size of self");
  self.quiesce();
}

void bad_communicators() {
  comity_context* context = nullptr;
  expect_status(comity_context_create(MPI_COMM_NULL, &context), COMITY_ERR_MPI, "MPI_COMM_NULL");
  const World w = world();
  if (w.size < 2) return;
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, w.rank % 2, w.rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - w.rank % 2, 7, &inter);
  expect_status(comity_context_create(inter, &context), COMITY_ERR_MPI, "an inter-communicator");
  MPI_Comm_free(&inter);
  MPI_Comm_free(&side);
  expect(context == nullptr, "no half-made context");
}

void one_rank_fails_all() {
  const World w = world();
  if (w.rank == w.size - 1) setenv("COMITY_NODE_HANDOVER", "pigeon", 1);
  comity_context* context = nullptr;
  expect_status(comity_context_create(MPI_COMM_WORLD, &context), COMITY_ERR_OPTION, "a bad setting on one rank");
  unsetenv("COMITY_NODE_HANDOVER");
  expect_status(comity_context_create(MPI_COMM_WORLD, w.rank == 0 ? nullptr : &context), COMITY_ERR_ARGUMENT,
                "a null pointer on rank 0");
  expect_status(comity_context_create(MPI_COMM_WORLD, &context), COMITY_OK, "the next create");
  expect_status(comity_context_free(&context), COMITY_OK, "free");
}

void create_told_differently(const char* variable, const char* mine, comity_status status) {
  if (mine != nullptr) setenv(variable, mine, 1);
  comity_context* context = nullptr;
  expect_status(comity_context_create(MPI_COMM_WORLD, &context), status, variable);
  unsetenv(variable);
  const std::string words = status == COMITY_OK ? "" : comity_last_error();
  const std::string last = "rank " + std::to_string(world().size - 1);
  for (const std::string& part : {std::string("rank 0 "), last}) {
    expect(words.find(part) != std::string::npos, words + ": names " + part);
  }
}

// Each is a good setting; only together they are none.
void ranks_told_differently_fail_together() {
  const World w = world();
  if (w.size == 1) return;
  const bool last = w.rank == w.size - 1;
  create_told_differently("COMITY_NODE_HANDOVER", last ? "file" : "auto", COMITY_ERR_OPTION);
  create_told_differently("HWLOC_XMLFILE", last ? "/nonexistent/machine.xml" : nullptr, COMITY_ERR_TOPOLOGY);
  create_told_differently("HWLOC_SYNTHETIC", last ? "package:1 core:64 pu:1" : nullptr, COMITY_ERR_TOPOLOGY);
  comity_context* context = nullptr;
  expect_status(comity_context_create(MPI_COMM_WORLD, &context), COMITY_OK, "the create after those");
  expect_status(comity_context_free(&context), COMITY_OK, "free");
}

void many_creates() {
  // MPI's own collectives spin: where ranks share cores, a create costs a time slice a rank.
  const int rounds = world().size > 4 ? 2 : 10;
  for (int round = 0; round < rounds; ++round) {
    Context context = make_context(MPI_COMM_WORLD);
    context.quiesce();
  }
  std::vector<Context> several;
  for (int i = 0; i < rounds / 2; ++i) several.push_back(make_context(MPI_COMM_WORLD));
  for (Context& context : several) context.quiesce();
}

void freed_after_finalize_is_fine(Context& context) { context.quiesce(); }

}  // namespace

int main(int argc, char** argv) {
  before_init();
  MPI_Init(&argc, &argv);
  world_rank = world().rank;
  no_thread_is_started();
  whole_world();
  node_key();
  communicators_that_come_and_go();
  messages_of_the_program_stay_its_own();
  sub_communicators();
  bad_communicators();
  one_rank_fails_all();
  ranks_told_differently_fail_together();
  many_creates();
  {
    Context outliving = make_context(MPI_COMM_WORLD);
    MPI_Finalize();
    freed_after_finalize_is_fine(outliving);
  }
  after_finalize();
  return finish();
}
