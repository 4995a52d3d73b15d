// SPDX-License-Identifier: BSD-3-Clause
#include "common/futex_pair.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <new>

namespace bench {
namespace {

constexpr MPI_Aint kCacheLine_bytes = 64;

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value) {
  return syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

}  // namespace

FutexPair::FutexPair(MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  void* mine = nullptr;
  MPI_Win_allocate_shared(rank == 0 ? kCacheLine_bytes : 0, 1, MPI_INFO_NULL, communicator, &mine, &window_);
  MPI_Aint bytes = 0;
  int unit = 0;
  void* shared = nullptr;
  MPI_Win_shared_query(window_, 0, &bytes, &unit, &shared);
  word_ = rank == 0 ? new (shared) std::atomic<std::uint32_t>(0) : static_cast<std::atomic<std::uint32_t>*>(shared);
  MPI_Barrier(communicator);
}

FutexPair::~FutexPair() { MPI_Win_free(&window_); }

void FutexPair::wait_while(std::uint32_t old) {
  while (word_->load() == old) (void)futex(word_, FUTEX_WAIT, old);
}

void FutexPair::set_and_wake(std::uint32_t value) {
  word_->store(value);
  (void)futex(word_, FUTEX_WAKE, INT_MAX);
}

void FutexPair::ping_pong(int rank, std::uint32_t round) {
  if (rank == 0) {
    set_and_wake(2 * round + 1);
    wait_while(2 * round + 1);
  } else {
    wait_while(2 * round);
    set_and_wake(2 * round + 2);
  }
}

}  // namespace bench
