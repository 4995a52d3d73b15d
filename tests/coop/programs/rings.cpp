// SPDX-License-Identifier: BSD-3-Clause
// rings: how often the ranks of a node ring one another for a collective to which they come one after the other, each in turn as the last
// one, on a communicator that has just been made; and for a question that rank 0 asks again and again while the others sleep. Rank 0 tells,
// a line a collective or question: its name, the calls, and all rings in them (of all ranks; they stand in the segment of the cooperative
// waits). And how many places in the segment stay taken by windows that a function freed which MPI called.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "node/layout.hpp"

namespace {

using comity::node::GroupRecord;
using comity::node::Header;
using comity::node::MemberRecord;
using comity::node::ParticipantRecord;

constexpr int kCalls = 48;
constexpr unsigned kApart_us = 400;  // a wake-up takes less
constexpr int kMuch = 64;            // elements, more than ranks lay side by side
constexpr int kFirstSums = 12;       // by which ranks learn how the library combines them

int me = 0;
int size = 0;
std::vector<int> out;
std::vector<int> in;

// Where it is mapped; null: nowhere. Several ranks of one node share it.
const Header* find_segment() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("rw-s") == std::string::npos) continue;
    const auto* const header = reinterpret_cast<const Header*>(std::stoull(line, nullptr, 16));
    const bool is_named = line.find("comity") != std::string::npos;
    if (is_named && header->magic == comity::node::kLayoutMagic) return header;
  }
  return nullptr;
}

std::uint64_t rings(const Header& segment) {
  const auto* const first = reinterpret_cast<const ParticipantRecord*>(reinterpret_cast<const std::byte*>(&segment) +
                                                                       segment.participants_offset);
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < segment.participants; ++i) all += first[i].bell.load();
  return all;
}

void reduce_much(MPI_Comm comm) { MPI_Allreduce(out.data(), in.data(), kMuch, MPI_INT, MPI_SUM, comm); }
void reduce_for_all(MPI_Comm comm) { MPI_Allreduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, comm); }
void gather_to_all(MPI_Comm comm) { MPI_Allgather(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm); }
void broadcast(MPI_Comm comm) { MPI_Bcast(out.data(), 1, MPI_INT, 0, comm); }
void all_to_all(MPI_Comm comm) { MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm); }
void reduce(MPI_Comm comm) { MPI_Reduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, 0, comm); }
void barrier(MPI_Comm comm) { MPI_Barrier(comm); }
void nothing(MPI_Comm /*comm*/) {}

MPI_Win window = MPI_WIN_NULL;
void put_and_fence(MPI_Comm /*comm*/) {
  MPI_Put(out.data(), 1, MPI_INT, (me + 1) % size, 0, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
}

// Rank 0 asks without a break until rank 1 is done with its part, which begins late.
constexpr unsigned kLate_us = 2000;
MPI_Group group_of(int rank) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group one = MPI_GROUP_NULL;
  MPI_Win_get_group(window, &all);
  MPI_Group_incl(all, 1, &rank, &one);
  MPI_Group_free(&all);
  return one;
}
void expose_and_ask(MPI_Comm /*comm*/) {
  if (me > 1) return;
  MPI_Group other = group_of(1 - me);
  if (me == 0) {
    MPI_Win_post(other, 0, window);
    for (int over = 0; over == 0;) MPI_Win_test(window, &over);
  } else {
    ::usleep(kLate_us);
    MPI_Win_start(other, 0, window);
    MPI_Put(out.data(), 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
  }
  MPI_Group_free(&other);
}

#if MPI_VERSION >= 4
constexpr int kParts = 4;
constexpr int kAskedAgain = 20000;
MPI_Request in_parts = MPI_REQUEST_NULL;
void prepare_parts(MPI_Comm comm) {
  if (me == 0) MPI_Precv_init(in.data(), kParts, 1, MPI_INT, 1, 0, comm, MPI_INFO_NULL, &in_parts);
  if (me == 1) MPI_Psend_init(out.data(), kParts, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &in_parts);
}
void ask_for_parts(MPI_Comm /*comm*/) {
  if (me > 1) return;
  MPI_Start(&in_parts);
  if (me == 1) {
    ::usleep(kLate_us);
    MPI_Pready_range(0, kParts - 1, in_parts);
  } else {
    int there = 0;
    for (int part = 0; part < kParts; part += there) MPI_Parrived(in_parts, part, &there);
    for (int time = 0; time < kAskedAgain; ++time) MPI_Parrived(in_parts, time % kParts, &there);
  }
  MPI_Wait(&in_parts, MPI_STATUS_IGNORE);
}
void end_parts(MPI_Comm /*comm*/) {
  if (me <= 1) MPI_Request_free(&in_parts);
}
#else  // has no such messages
void prepare_parts(MPI_Comm /*comm*/) {}
void ask_for_parts(MPI_Comm /*comm*/) {}
void end_parts(MPI_Comm /*comm*/) {}
#endif

void make_window(MPI_Comm comm) {
  MPI_Win_create(in.data(), static_cast<MPI_Aint>(in.size() * sizeof in[0]), sizeof in[0], MPI_INFO_NULL, comm,
                 &window);
}
void make_fenced_window(MPI_Comm comm) {
  make_window(comm);
  MPI_Win_fence(0, window);
}
void free_window(MPI_Comm /*comm*/) { MPI_Win_free(&window); }

// Behind which its ranks meet.
void reduce_first(MPI_Comm comm) {
  MPI_Barrier(comm);
  for (int time = 0; time < kFirstSums; ++time) reduce_for_all(comm);
}

struct Collective {
  const char* name;
  void (*call)(MPI_Comm comm);
  void (*prepare)(MPI_Comm comm) = nothing;
  void (*end)(MPI_Comm comm) = nothing;
};
// What tells everybody comes last: for some waits all are told again.
constexpr std::array<Collective, 12> kCollectives{{{"Nothing", nothing},
                                                   {"Barrier", barrier},
                                                   {"Allreduce", reduce_for_all, reduce_first},
                                                   {"Allgather", gather_to_all, gather_to_all},
                                                   {"Allreduce_of_much", reduce_much},
                                                   {"Bcast", broadcast},
                                                   {"Alltoall", all_to_all},
                                                   {"Reduce", reduce},
                                                   {"Barrier_with_window", barrier, make_window, free_window},
                                                   {"Put", put_and_fence, make_fenced_window, free_window},
                                                   {"Win_test", expose_and_ask, make_window, free_window},
                                                   {"Parrived", ask_for_parts, prepare_parts, end_parts}}};

void call_apart(const Collective& collective, MPI_Comm comm) {
  for (int time = 0; time < kCalls; ++time) {
    MPI_Barrier(comm);
    ::usleep(kApart_us * static_cast<unsigned>((me + time) % size));
    collective.call(comm);
  }
  MPI_Barrier(comm);
}

// Members of groups that have not left them.
std::uint64_t taken_places(const Header& segment) {
  std::uint64_t all = 0;
  const std::byte* slot = reinterpret_cast<const std::byte*>(&segment) + segment.slots_offset;
  for (std::uint64_t i = 0; i < segment.slots; ++i, slot += comity::node::slot_bytes(segment.participants)) {
    const auto* const group = reinterpret_cast<const GroupRecord*>(slot);
    const auto* const members = reinterpret_cast<const MemberRecord*>(group + 1);
    for (std::uint32_t member = 0; member < group->size.load(); ++member) {
      all += members[member].presence.load() == comity::node::Presence::joined ? 1 : 0;
    }
  }
  return all;
}

int free_it(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*state*/) { return MPI_Win_free(&window); }
void free_window_from_inside() {
  MPI_Comm alone = MPI_COMM_NULL;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_it, &key, nullptr);
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Comm_set_attr(alone, key, nullptr);
  MPI_Comm_free(&alone);
  MPI_Comm_free_keyval(&key);
}

void tell_places_of_freed_windows(const Header& segment) {
  constexpr int kWindows = 4;
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me < 2 ? 0 : MPI_UNDEFINED, me, &pair);
  if (pair != MPI_COMM_NULL) MPI_Barrier(pair);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t before = taken_places(segment);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < kWindows && pair != MPI_COMM_NULL; ++i) {
    make_fenced_window(pair);
    free_window_from_inside();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const auto left = static_cast<unsigned long long>(taken_places(segment) - before);
  if (me == 0) std::printf("Freed_windows %d %llu\n", kWindows, left);
  MPI_Barrier(MPI_COMM_WORLD);
  if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
}

void tell(const Header& segment, const Collective& collective) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  collective.prepare(comm);
  MPI_Barrier(comm);  // its ranks make their meeting place
  MPI_Barrier(comm);
  const std::uint64_t before = rings(segment);
  call_apart(collective, comm);
  const auto all = static_cast<unsigned long long>(rings(segment) - before);
  if (me == 0) std::printf("%s %d %llu\n", collective.name, kCalls, all);
  collective.end(comm);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  out.assign(static_cast<std::size_t>(std::max(size, kMuch)), me);
  in.assign(static_cast<std::size_t>(std::max(size, kMuch)), 0);
  const Header* const segment = find_segment();
  if (segment == nullptr) {
    std::fprintf(stderr, "there is no segment\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 3;
  }
  for (const Collective& collective : kCollectives) tell(*segment, collective);
  tell_places_of_freed_windows(*segment);
  MPI_Finalize();
  return 0;
}
