// SPDX-License-Identifier: BSD-3-Clause
// Out of memory over MPI: at each allocation of C++ that a create, or the making of a communicator, asks for on one rank.
// All ranks get the same code, nobody waits for the one that failed, no communicator of ours is left, and the next call
// works. What MPI itself allocates, in C, is never refused.
// usage: memory_mpi_test leader|member FIRST STEP    which rank fails, and at which allocations of its creates
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "faults/memory.hpp"
#include "faults/mpi_calls.hpp"
#include "mpi/expect.hpp"
#include "mpi/patience.hpp"

using namespace comity;
using namespace comity::testing;

// In the place of libcomity's: how often a wait looks for ranks that have ended, which allocates, is a matter of time.
comity_status comity_launched_ranks(int32_t*, int32_t, int32_t*, int32_t*) { return COMITY_ERR_UNSUPPORTED; }

namespace {

constexpr long kMost = 100'000;  // allocations of one call; more means that the count never ends

bool victim = false;  // the rank that fails

void wait(MPI_Request& request) {
  mpi::Absence nobody(mpi::Lines{MPI_COMM_WORLD, MPI_COMM_NULL});
  expect_equal(mpi::wait_patiently(request, nobody), COMITY_OK, "a wait of the test");
}

bool on_any_rank(bool here) {
  int mine = here ? 1 : 0;
  int any = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(&mine, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
  wait(request);
  return any != 0;
}

// A communicator on which nothing of Comity has been done yet.
class Fresh {
 public:
  Fresh() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_idup(MPI_COMM_WORLD, &handle_, &request);
    wait(request);
  }
  ~Fresh() { MPI_Comm_free(&handle_); }
  Fresh(const Fresh&) = delete;
  Fresh& operator=(const Fresh&) = delete;
  [[nodiscard]] MPI_Comm get() const { return handle_; }

 private:
  MPI_Comm handle_ = MPI_COMM_NULL;
};

comity_status create_and_free(MPI_Comm communicator) {
  comity_context* context = nullptr;
  const comity_status status = comity_context_create(communicator, &context);
  const MemoryForTheTest memory;
  expect_equal(context != nullptr, status == COMITY_OK, "a context where the create succeeds");
  expect_equal(static_cast<int>(comity_context_free(&context)), 0, "free");
  return status;
}

comity_status share_and_free(const Context& context, MPI_Comm communicator) {
  MPI_Comm shared = MPI_COMM_NULL;
  const comity_status status = comity_context_communicator(context.handle(), communicator, COMITY_MACHINE, &shared);
  const MemoryForTheTest memory;
  expect_equal(shared != MPI_COMM_NULL, status == COMITY_OK, "a communicator where the call succeeds");
  if (shared != MPI_COMM_NULL) MPI_Comm_free(&shared);
  return status;
}

comity_status find_sharers_and_free(const Context& context, MPI_Comm communicator) {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  const comity_status status = comity_context_sharers(context.handle(), communicator, COMITY_MACHINE, &all, &group);
  const MemoryForTheTest memory;
  expect_equal(all != MPI_COMM_NULL, status == COMITY_OK, "a duplicate where the call succeeds");
  expect_equal(group != MPI_GROUP_NULL, status == COMITY_OK, "a group where the call succeeds");
  if (all != MPI_COMM_NULL) MPI_Comm_free(&all);
  if (group != MPI_GROUP_NULL) MPI_Group_free(&group);
  return status;
}

// The allocations that failed here, and those of them that were asked for by the code of each library itself.
struct Met {
  long all = 0;
  long libcomity = 0;
  long libcomity_mpi = 0;

  void add(const void* caller) {
    Dl_info place{};
    const bool known = dladdr(caller, &place) != 0 && place.dli_fname != nullptr;
    const std::string_view file = known ? place.dli_fname : "";
    ++all;
    if (file.find("/libcomity.so") != file.npos) ++libcomity;
    if (file.find("/libcomity_mpi-") != file.npos) ++libcomity_mpi;
  }
};

struct Sweep {
  long first;  // allocation that fails
  long step;
};
constexpr Sweep kEach{1, 1};

// Collective, as `call` is; it gives back what it makes, the communicator that it is given is a fresh one.
template <typename Call>
Met fail_allocations(const std::string& what, Sweep sweep, Call&& call) {
  Met met;
  for (long nth = sweep.first; nth < kMost; nth += sweep.step) {
    const long before = communicators();
    comity_status status = COMITY_OK;
    bool failed = false;
    {
      const Fresh fresh;
      if (victim) run_out_of_memory(nth, Shortage::one_allocation);
      status = call(fresh.get());
      failed = end_shortage();
      if (failed) met.add(refused_caller());
    }
    expect_equal(communicators(), before, what + ": communicators after allocation " + std::to_string(nth));
    const bool failed_somewhere = on_any_rank(failed);
    expect_status(status, failed_somewhere ? COMITY_ERR_MEMORY : COMITY_OK, what + ", " + std::to_string(nth));
    if (!failed_somewhere) return met;
  }
  expect(false, what + ": allocates without end");
  return met;
}

void expect_next_works() {
  const Fresh fresh;
  Context context = make_context(fresh.get());
  context.quiesce();
  expect_status(share_and_free(context, fresh.get()), COMITY_OK, "the next communicator");
}

// First of all in this process, so that what is made once a process fails once, too.
void create_without_memory(const Sweep& sweep) {
  const Met met = fail_allocations("create", sweep, create_and_free);
  if (victim) {
    std::printf("create: %ld allocations failed one by one, %ld asked for by libcomity itself, %ld by libcomity_mpi\n",
                met.all, met.libcomity, met.libcomity_mpi);
    constexpr long kOwn = 3;  // the job, everybody's keys, and who is here; strides go by some of them
    if (sweep.step == 1)
      expect_equal(met.libcomity_mpi, kOwn, "each allocation of libcomity_mpi fails once in a create");
    expect(met.libcomity_mpi <= kOwn, "allocations of libcomity_mpi that failed in a create");
    expect(met.libcomity > 5, "allocations of libcomity in a create fail");
  }
  expect_next_works();
}

void share_without_memory() {
  const Context context = make_context(MPI_COMM_WORLD);
  const auto on_fresh = [&](MPI_Comm fresh) { return share_and_free(context, fresh); };
  const Met first = fail_allocations("first communicator", kEach, on_fresh);
  const Met later = fail_allocations("communicator", kEach, [&](MPI_Comm) { return on_fresh(MPI_COMM_WORLD); });
  const Met sharers =
      fail_allocations("sharers", kEach, [&](MPI_Comm) { return find_sharers_and_free(context, MPI_COMM_WORLD); });
  if (victim) {
    expect_equal(sharers.libcomity_mpi, 2L, "allocations of libcomity_mpi that failed, of sharers");
    expect_equal(first.libcomity_mpi, 5L, "allocations of libcomity_mpi that failed, on a fresh communicator");
    expect_equal(later.libcomity_mpi, 2L, "allocations of libcomity_mpi that failed, on a known communicator");
  }
  expect_next_works();
}

// A sort that gets no room does without: then all succeed. A rank that were left waiting would be ended by the watchdog.
template <typename Reorder>
void fail_reordering(const std::string& what, Reorder&& reorder) {
  for (long nth = 1; nth < kMost; ++nth) {
    MPI_Comm made = MPI_COMM_NULL;
    if (victim) run_out_of_memory(nth, Shortage::one_allocation);
    const comity_status status = reorder(&made);
    const bool failed = on_any_rank(end_shortage());
    const bool failed_somewhere = on_any_rank(status != COMITY_OK);
    expect_equal(made == MPI_COMM_NULL, failed_somewhere, what + ", " + std::to_string(nth) + ": none on all ranks");
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    if (failed_somewhere) expect_status(status, COMITY_ERR_MEMORY, what + ", " + std::to_string(nth));
    if (!failed) return;
  }
  expect(false, what + ": allocates without end");
}

// With a context alive: what a create allocates is looked at above.
void reorder_without_memory(int size) {
  const Context context = make_context(MPI_COMM_WORLD);
  const std::int32_t extents[] = {size}, from[] = {world_rank}, to[] = {(world_rank + 1) % size};
  fail_reordering("grid", [&](MPI_Comm* made) {
    return comity_place_cart_create(MPI_COMM_WORLD, 1, extents, nullptr, nullptr, COMITY_PLACE_WORST, made);
  });
  fail_reordering("graph", [&](MPI_Comm* made) {
    return comity_place_graph_create(MPI_COMM_WORLD, 1, from, to, nullptr, COMITY_PLACE_WORST, made);
  });
}

// MPI refuses to keep what the first create has made, on one rank.
void attribute_refused() {
  const long before = communicators();
  {
    const Fresh fresh;
    if (victim) refuse_next_attribute();
    expect_status(create_and_free(fresh.get()), COMITY_ERR_MPI, "create with an attribute refused");
    expect_equal(communicators(), before + 1, "communicators after an attribute was refused");
    expect_status(create_and_free(fresh.get()), COMITY_OK, "the next create on that communicator");
  }
  expect_equal(communicators(), before, "communicators in the end");
}

long number(int argc, char** argv, int place) { return argc > place ? std::max(1L, std::atol(argv[place])) : 1; }

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  setenv("HWLOC_SYNTHETIC", "package:2 core:2 pu:1", 1);  // not before MPI has looked at the machine
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool leader = argc > 1 && std::string_view(argv[1]) == "leader";
  const Sweep sweep{number(argc, argv, 2), number(argc, argv, 3)};
  victim = world_rank == (leader ? 0 : size - 1);
  create_without_memory(sweep);
  share_without_memory();
  if (size == 2 && sweep.first == 1) reorder_without_memory(size);
  attribute_refused();
  MPI_Finalize();
  return finish();
}
