// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/absence.hpp"

#include <comity/bootstrap.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>
#include <optional>
#include <vector>

namespace comity::mpi {
namespace {

using Ranks = std::vector<int>;

class Group {
 public:
  explicit Group(MPI_Comm communicator) { MPI_Comm_group(communicator, &handle_); }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { MPI_Group_free(&handle_); }

  [[nodiscard]] int size() const {
    int size = 0;
    MPI_Group_size(handle_, &size);
    return size;
  }
  // Of each of its ranks the one in `other`; MPI_UNDEFINED: not there.
  [[nodiscard]] Ranks in(const Group& other) const {
    Ranks mine(static_cast<std::size_t>(size()));
    std::iota(mine.begin(), mine.end(), 0);
    Ranks theirs(mine.size());
    MPI_Group_translate_ranks(handle_, size(), mine.data(), other.handle_, theirs.data());
    return theirs;
  }

 private:
  MPI_Group handle_ = MPI_GROUP_NULL;
};

struct Launched {
  std::vector<std::int32_t> living;  // ascending
  std::int32_t started = 0;
};

std::optional<Launched> launched() {
  Launched found;
  std::int32_t count = 0;
  if (comity_launched_ranks(nullptr, 0, &count, &found.started) != COMITY_OK) return std::nullopt;
  found.living.resize(static_cast<std::size_t>(count));
  if (comity_launched_ranks(found.living.data(), count, &count, &found.started) != COMITY_OK) return std::nullopt;
  return found;
}

}  // namespace

int Absence::missing() const {
  const Group world(MPI_COMM_WORLD);
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  const auto here = launched();
  const auto lives = [&](int rank) { return std::ranges::binary_search(here->living, rank); };
  if (!here || !lives(own)) return -1;  // numbers of a job that is not this one

  const bool all_here = here->started == world.size();
  if (node_ == MPI_COMM_NULL && !all_here) return -1;
  const Group group(awaited_);
  const Ranks in_world = group.in(world);
  const Ranks on_node = all_here ? in_world : group.in(Group(node_));
  for (std::size_t rank = 0; rank < in_world.size(); ++rank) {
    if (on_node[rank] == MPI_UNDEFINED || in_world[rank] == MPI_UNDEFINED) continue;
    if (!lives(in_world[rank])) return in_world[rank];
  }
  return -1;
}

bool Absence::found() {
  const int before = suspect_;
  try {
    suspect_ = missing();
  } catch (const std::bad_alloc&) {
    suspect_ = -1;  // who has no memory to look goes on waiting
  }
  return suspect_ >= 0 && suspect_ == before;
}

}  // namespace comity::mpi
