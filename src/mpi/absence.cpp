// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/absence.hpp"

#include <comity/bootstrap.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "mpi/tags.hpp"

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

// The ranks that the launcher of this job started here.
struct Launched {
  std::vector<std::int32_t> living;  // ascending
  std::int32_t started = 0;

  [[nodiscard]] bool has(int rank) const { return std::ranges::binary_search(living, rank); }
  [[nodiscard]] bool all_live() const { return static_cast<int>(living.size()) >= started; }
};

// None where nobody can tell, or where the numbers are of a job that is not this one.
std::optional<Launched> launched() {
  Launched found;
  std::int32_t count = 0;
  if (comity_launched_ranks(nullptr, 0, &count, &found.started) != COMITY_OK) return std::nullopt;
  found.living.resize(static_cast<std::size_t>(count));
  if (comity_launched_ranks(found.living.data(), count, &count, &found.started) != COMITY_OK) return std::nullopt;
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  if (!found.has(own)) return std::nullopt;
  return found;
}

}  // namespace

std::optional<std::vector<int>> Absence::missing() const {
  const auto launched_here = launched();
  if (!launched_here) return std::nullopt;
  const Group world(MPI_COMM_WORLD);
  const Ranks in_world = Group(awaited_).in(world);
  Ranks ended;
  const auto add_if_ended = [&](int rank) {
    const int number = in_world[static_cast<std::size_t>(rank)];
    if (number != MPI_UNDEFINED && !launched_here->has(number)) ended.push_back(number);
  };
  const int awaited = static_cast<int>(in_world.size());
  if (launched_here->started == world.size()) {
    for (int rank = 0; rank < awaited; ++rank) add_if_ended(rank);
    return ended;
  }
  for (const int rank : here_) add_if_ended(rank);
  const bool all_are_awaited = awaited == world.size();
  if (here_.empty() && all_are_awaited && !launched_here->all_live()) ended.push_back(kUnknown);
  return ended;
}

bool Absence::hear() {
  int waits = 0;
  MPI_Status sender;
  if (MPI_Iprobe(MPI_ANY_SOURCE, kLostTag, awaited_, &waits, &sender) != MPI_SUCCESS || waits == 0) return false;
  was_told_ = MPI_Recv(&suspect_, 1, MPI_INT, sender.MPI_SOURCE, kLostTag, awaited_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  return was_told_;
}

// One that is missing for the second time, whoever else has ended since: those who were told may be gone already. A look that
// tells nothing, as when a process is just ending, takes nothing back.
bool Absence::found() {
  if (!here_.empty() && hear()) return true;
  try {
    std::optional<Ranks> now = missing();
    if (!now) return false;
    const auto again = std::ranges::find_first_of(missed_, *now);
    if (again != missed_.end()) suspect_ = *again;
    missed_ = std::move(*now);
  } catch (const std::bad_alloc&) {
    return false;  // who has no memory to look goes on waiting
  }
  return suspect_ != kNobody;
}

void tell_of_loss(MPI_Comm ours, std::span<const int> here, const int& rank) {
  using namespace std::chrono_literals;
  int size = 0;
  MPI_Comm_size(ours, &size);
  std::vector<MPI_Request> sent;
  try {
    sent.reserve(static_cast<std::size_t>(size));
  } catch (const std::bad_alloc&) {
    return;  // they wait in MPI, as they would without Comity
  }
  for (int other = 0; other < size; ++other) {
    if (std::ranges::binary_search(here, other)) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&rank, 1, MPI_INT, other, kLostTag, ours, &request) == MPI_SUCCESS) sent.push_back(request);
  }
  // Some may first have to be connected to, which MPI does while it is called. Who has ended there gets nothing.
  int done = 0;
  const auto end = std::chrono::steady_clock::now() + 200ms;
  while (done == 0 && std::chrono::steady_clock::now() < end) {
    if (MPI_Testall(static_cast<int>(sent.size()), sent.data(), &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) return;
    if (done == 0) std::this_thread::sleep_for(100us);
  }
}

}  // namespace comity::mpi
