// SPDX-License-Identifier: BSD-3-Clause
// Functions of large counts (MPI 4's _c) are told as those of ordinary ones, whose bytes traffic_test works out by hand: a
// line each, called in both forms. Runs under the witness.
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <vector>

#include "interpose/witness.h"
#include "mpi/expect.hpp"

#if MPI_VERSION >= 4

using namespace comity::testing;

namespace {

constexpr int kTag = 4;
enum class Beside : std::uint8_t {
  nothing,
  a_send,
  a_found_send,
  a_receive
};  // what the call needs, of each rank to the next one

std::array<int, 4096> out;
std::array<int, 4096> in;
std::array<int, 64> beside_bytes;
MPI_Request request = MPI_REQUEST_NULL;  // that the call makes
MPI_Message message = MPI_MESSAGE_NULL;

// What goes from each rank to each, a part a rank, and what goes around.
template <class Count, class Place>
struct Counts {
  std::vector<Count> pairs, parts, around{2, 2};
  std::vector<Place> places, byte_places, places_around{0, 50};

  Counts(int rank, int size) {
    for (int i = 0; i < size; ++i) {
      pairs.push_back(1 + (rank + i) % 3);
      parts.push_back(1 + i);
      places.push_back(20 * i);
      byte_places.push_back(100 * i);
    }
  }
};

struct Ring {
  int rank = world().rank;
  int size = world().size;
  int next = (rank + 1) % size;
  int previous = (rank + size - 1) % size;
};

struct Told {
  WitnessedCall call{};
  std::uint64_t message_bytes = 0;
};

// The call, and what its request has moved once it is complete.
Told told_of(const Ring& ring, const std::string& name, Beside beside, const std::function<void()>& make) {
  while (comity_witness_message().name != nullptr) {
  }
  MPI_Request other = MPI_REQUEST_NULL;
  auto* const bytes = beside_bytes.data();
  if (beside == Beside::a_send || beside == Beside::a_found_send)
    MPI_Isend(bytes, 3, MPI_INT, ring.next, kTag, MPI_COMM_WORLD, &other);
  if (beside == Beside::a_receive) MPI_Irecv(bytes, 64, MPI_INT, ring.previous, kTag, MPI_COMM_WORLD, &other);
  if (beside == Beside::a_found_send) MPI_Mprobe(ring.previous, kTag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  make();
  Told told{comity_witness_last()};
  const bool persists = name.find("_init") != std::string::npos;
  if (persists) MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (persists) MPI_Request_free(&request);
  MPI_Wait(&other, MPI_STATUS_IGNORE);
  for (WitnessedCall one = comity_witness_message(); one.name != nullptr; one = comity_witness_message()) {
    if (name == one.name) told.message_bytes += one.sent_bytes + one.received_bytes;
  }
  expect_equal(std::string(told.call.name), name, "the call told");
  return told;
}

void compare(const Ring& ring, const std::string& name, Beside beside, const std::function<void()>& ordinary,
             const std::function<void()>& large) {
  const Told wanted = told_of(ring, name, beside, ordinary);
  const Told found = told_of(ring, name + "_c", beside, large);
  expect(wanted.call.sent_bytes + wanted.call.received_bytes + wanted.message_bytes > 0, name + " moves nothing");
  expect_equal(found.call.to, wanted.call.to, name + "_c went to");
  expect_equal(found.call.from, wanted.call.from, name + "_c came from");
  expect_equal(found.call.sent_bytes, wanted.call.sent_bytes, name + "_c sent");
  expect_equal(found.call.received_bytes, wanted.call.received_bytes, name + "_c received");
  expect_equal(found.message_bytes, wanted.message_bytes, name + "_c moved later");
}

// `c`: the counts and places in the form that the function takes.
#define BOTH(BESIDE, FUNCTION, ...)       \
  compare(                                \
      ring, #FUNCTION, Beside::BESIDE,    \
      [&] {                               \
        [[maybe_unused]] auto& c = few;   \
        FUNCTION(__VA_ARGS__);            \
      },                                  \
      [&] {                               \
        [[maybe_unused]] auto& c = large; \
        FUNCTION##_c(__VA_ARGS__);        \
      })

void all_functions(const Ring& ring) {
  Counts<int, int> few(ring.rank, ring.size);
  Counts<MPI_Count, MPI_Aint> large(ring.rank, ring.size);
  const MPI_Comm world = MPI_COMM_WORLD;
  int* const from = out.data();
  int* const into = in.data();
  const int mine = 1 + ring.rank;
  const std::vector<MPI_Datatype> ints(static_cast<std::size_t>(ring.size < 2 ? 2 : ring.size), MPI_INT);

  BOTH(a_receive, MPI_Send, from, 5, MPI_INT, ring.next, kTag, world);
  BOTH(a_receive, MPI_Ssend, from, 5, MPI_INT, ring.next, kTag, world);
  BOTH(a_receive, MPI_Isend, from, 5, MPI_INT, ring.next, kTag, world, &request);
  BOTH(a_receive, MPI_Send_init, from, 5, MPI_INT, ring.next, kTag, world, &request);
  BOTH(a_send, MPI_Recv, into, 20, MPI_INT, ring.previous, kTag, world, MPI_STATUS_IGNORE);
  BOTH(a_send, MPI_Irecv, into, 20, MPI_INT, MPI_ANY_SOURCE, kTag, world, &request);
  BOTH(a_send, MPI_Recv_init, into, 20, MPI_INT, ring.previous, kTag, world, &request);
  BOTH(a_found_send, MPI_Mrecv, into, 20, MPI_INT, &message, MPI_STATUS_IGNORE);
  BOTH(nothing, MPI_Sendrecv, from, 2, MPI_INT, ring.next, 1, into, 9, MPI_INT, ring.previous, 1, world,
       MPI_STATUS_IGNORE);
  BOTH(nothing, MPI_Sendrecv_replace, from, 2, MPI_INT, ring.next, 1, ring.previous, 1, world, MPI_STATUS_IGNORE);

  BOTH(nothing, MPI_Bcast, from, 4, MPI_INT, 0, world);
  BOTH(nothing, MPI_Reduce, from, into, 4, MPI_INT, MPI_SUM, 0, world);
  BOTH(nothing, MPI_Allreduce, from, into, 4, MPI_INT, MPI_SUM, world);
  BOTH(nothing, MPI_Scan, from, into, 4, MPI_INT, MPI_SUM, world);
  BOTH(nothing, MPI_Gather, from, 4, MPI_INT, into, 4, MPI_INT, 0, world);
  BOTH(nothing, MPI_Gatherv, from, mine, MPI_INT, into, c.parts.data(), c.places.data(), MPI_INT, 0, world);
  BOTH(nothing, MPI_Scatter, from, 4, MPI_INT, into, 4, MPI_INT, 0, world);
  BOTH(nothing, MPI_Scatterv, from, c.parts.data(), c.places.data(), MPI_INT, into, mine, MPI_INT, 0, world);
  BOTH(nothing, MPI_Allgather, from, 4, MPI_INT, into, 4, MPI_INT, world);
  BOTH(nothing, MPI_Allgatherv, from, mine, MPI_INT, into, c.parts.data(), c.places.data(), MPI_INT, world);
  BOTH(nothing, MPI_Alltoall, from, 4, MPI_INT, into, 4, MPI_INT, world);
  BOTH(nothing, MPI_Alltoallv, from, c.pairs.data(), c.places.data(), MPI_INT, into, c.pairs.data(), c.places.data(),
       MPI_INT, world);
  BOTH(nothing, MPI_Alltoallw, from, c.pairs.data(), c.byte_places.data(), ints.data(), into, c.pairs.data(),
       c.byte_places.data(), ints.data(), world);
  BOTH(nothing, MPI_Ialltoallw, from, c.pairs.data(), c.byte_places.data(), ints.data(), into, c.pairs.data(),
       c.byte_places.data(), ints.data(), world, &request);
  BOTH(nothing, MPI_Reduce_scatter, from, into, c.parts.data(), MPI_INT, MPI_SUM, world);
  BOTH(nothing, MPI_Reduce_scatter_block, from, into, 4, MPI_INT, MPI_SUM, world);
  BOTH(nothing, MPI_Allreduce_init, from, into, 4, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &request);
  BOTH(nothing, MPI_Alltoallv_init, from, c.pairs.data(), c.places.data(), MPI_INT, into, c.pairs.data(),
       c.places.data(), MPI_INT, world, MPI_INFO_NULL, &request);
}

void around(const Ring& ring) {
  Counts<int, int> few(ring.rank, ring.size);
  Counts<MPI_Count, MPI_Aint> large(ring.rank, ring.size);
  const std::vector<MPI_Aint> apart{0, 400};
  const std::vector<MPI_Datatype> ints(2, MPI_INT);
  MPI_Comm circle = MPI_COMM_NULL;
  const int closed = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ring.size, &closed, 0, &circle);
  int* const from = out.data();
  int* const into = in.data();
  BOTH(nothing, MPI_Neighbor_allgather, from, 2, MPI_INT, into, 2, MPI_INT, circle);
  BOTH(nothing, MPI_Neighbor_allgatherv, from, 2, MPI_INT, into, c.around.data(), c.places_around.data(), MPI_INT,
       circle);
  BOTH(nothing, MPI_Neighbor_alltoall, from, 2, MPI_INT, into, 2, MPI_INT, circle);
  BOTH(nothing, MPI_Neighbor_alltoallv, from, c.around.data(), c.places_around.data(), MPI_INT, into, c.around.data(),
       c.places_around.data(), MPI_INT, circle);
  BOTH(nothing, MPI_Neighbor_alltoallw, from, c.around.data(), apart.data(), ints.data(), into, c.around.data(),
       apart.data(), ints.data(), circle);
  MPI_Comm_free(&circle);
}

void one_sided(const Ring& ring) {
  Counts<int, int> few(ring.rank, ring.size);
  Counts<MPI_Count, MPI_Aint> large(ring.rank, ring.size);
  std::vector<int> shown(1000);
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create_c(shown.data(), 4000, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock_all(0, window);
  int* const from = out.data();
  int* const into = in.data();
  BOTH(nothing, MPI_Put, from, 3, MPI_INT, ring.next, 0, 3, MPI_INT, window);
  BOTH(nothing, MPI_Rput, from, 3, MPI_INT, ring.next, 0, 3, MPI_INT, window, &request);
  BOTH(nothing, MPI_Get, into, 4, MPI_INT, ring.next, 10, 4, MPI_INT, window);
  BOTH(nothing, MPI_Accumulate, from, 5, MPI_INT, ring.next, 20, 5, MPI_INT, MPI_SUM, window);
  BOTH(nothing, MPI_Get_accumulate, from, 6, MPI_INT, into, 6, MPI_INT, ring.next, 30, 6, MPI_INT, MPI_SUM, window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

void files(const Ring& ring) {
  Counts<int, int> few(ring.rank, ring.size);
  Counts<MPI_Count, MPI_Aint> large(ring.rank, ring.size);
  const std::string path = std::filesystem::temp_directory_path() / ("comity-large-" + std::to_string(::getpid()));
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &file);
  BOTH(nothing, MPI_File_write_at, file, 0, out.data(), 5, MPI_INT, MPI_STATUS_IGNORE);
  BOTH(nothing, MPI_File_iwrite_at, file, 0, out.data(), 5, MPI_INT, &request);
  BOTH(nothing, MPI_File_read_at, file, 0, in.data(), 100, MPI_INT, MPI_STATUS_IGNORE);
  BOTH(nothing, MPI_File_iread_at, file, 0, in.data(), 100, MPI_INT, &request);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  if (comity_witness_last == nullptr) {
    std::puts("FAIL: this program runs under the preloaded witness only");
    return 1;
  }
  MPI_Init(&argc, &argv);
  world_rank = world().rank;
  const Ring ring;
  all_functions(ring);
  around(ring);
  one_sided(ring);
  files(ring);
  MPI_Finalize();
  return finish();
}

#else

int main() { return 0; }  // no function has such a form

#endif
