// SPDX-License-Identifier: BSD-3-Clause
// rings: how often the ranks of a node ring one another for a collective to which they come one after the other, each in turn as the last
// one, on a communicator that has just been made. Rank 0 tells, a line a collective: its name, the calls, and all rings in them (of all
// ranks; they stand in the segment of the cooperative waits).
#include <mpi.h>
#include <unistd.h>

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

using comity::node::Header;
using comity::node::ParticipantRecord;

constexpr int kCalls = 48;
constexpr unsigned kApart_us = 400;  // a wake-up takes less

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

void reduce_for_all(MPI_Comm comm) { MPI_Allreduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, comm); }
void broadcast(MPI_Comm comm) { MPI_Bcast(out.data(), 1, MPI_INT, 0, comm); }
void all_to_all(MPI_Comm comm) { MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, comm); }
void reduce(MPI_Comm comm) { MPI_Reduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, 0, comm); }
void barrier(MPI_Comm comm) { MPI_Barrier(comm); }
void nothing(MPI_Comm /*comm*/) {}

struct Collective {
  const char* name;
  void (*call)(MPI_Comm comm);
};
constexpr std::array<Collective, 6> kCollectives{{{"Nothing", nothing},
                                                  {"Barrier", barrier},
                                                  {"Allreduce", reduce_for_all},
                                                  {"Bcast", broadcast},
                                                  {"Alltoall", all_to_all},
                                                  {"Reduce", reduce}}};

void call_apart(const Collective& collective, MPI_Comm comm) {
  for (int time = 0; time < kCalls; ++time) {
    MPI_Barrier(comm);
    ::usleep(kApart_us * static_cast<unsigned>((me + time) % size));
    collective.call(comm);
  }
  MPI_Barrier(comm);
}

void tell(const Header& segment, const Collective& collective) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Barrier(comm);  // its ranks make their meeting place
  MPI_Barrier(comm);
  const std::uint64_t before = rings(segment);
  call_apart(collective, comm);
  const auto all = static_cast<unsigned long long>(rings(segment) - before);
  if (me == 0) std::printf("%s %d %llu\n", collective.name, kCalls, all);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  out.assign(static_cast<std::size_t>(size), me);
  in.assign(static_cast<std::size_t>(size), 0);
  const Header* const segment = find_segment();
  if (segment == nullptr) {
    std::fprintf(stderr, "there is no segment\n");
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 3;
  }
  for (const Collective& collective : kCollectives) tell(*segment, collective);
  MPI_Finalize();
  return 0;
}
