// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/launched.hpp"

#include <comity/bootstrap.h>

#include <mutex>
#include <new>
#include <numeric>

namespace comity::mpi {
namespace {

// What a look has once seen stays: who was started here does not change.
class Memory {
 public:
  [[nodiscard]] bool knows() {
    const std::lock_guard hold(mutex_);
    return !all_.empty();
  }
  void learn_or_tell(Launched& found) {
    const std::lock_guard hold(mutex_);
    if (all_.empty() && found.started > 0 && static_cast<int>(found.living.size()) == found.started) {
      all_ = found.living;
    }
    found.all = all_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::int32_t> all_;
};

// Never destroyed: the program's end is not ours to stand in.
Memory& memory() {
  static Memory& memory = *new Memory;
  return memory;
}

std::vector<int> numbers_of_group(MPI_Group group) {
  int size = 0;
  MPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<int> numbers(ranks.size());
  MPI_Group world = MPI_GROUP_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, size, ranks.data(), world, numbers.data());
  MPI_Group_free(&world);
  return numbers;
}

}  // namespace

std::optional<Launched> launched(int own) {
  Launched found;
  std::int32_t count = 0;
  if (comity_launched_ranks(nullptr, 0, &count, &found.started) != COMITY_OK) return std::nullopt;
  found.living.resize(static_cast<std::size_t>(count));
  if (comity_launched_ranks(found.living.data(), count, &count, &found.started) != COMITY_OK) return std::nullopt;
  found.living.resize(static_cast<std::size_t>(count));
  if (!found.has(own)) return std::nullopt;
  memory().learn_or_tell(found);
  return found;
}

void know_who_was_launched(int own) {
  if (memory().knows()) return;
  try {
    (void)launched(own);
  } catch (const std::bad_alloc&) {
    return;  // who has no memory to look knows less
  }
}

int own_number() {
  int own = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  return own;
}

std::vector<int> numbers_of_ranks(MPI_Comm communicator) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(communicator, &group);
  std::vector<int> numbers;
  try {
    numbers = numbers_of_group(group);
  } catch (const std::bad_alloc&) {
    MPI_Group_free(&group);
    throw;
  }
  MPI_Group_free(&group);
  return numbers;
}

}  // namespace comity::mpi
