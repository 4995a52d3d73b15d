// SPDX-License-Identifier: BSD-3-Clause
// The floor of a wake-up: two ranks, one futex word in memory that the MPI shares between them, and nothing of Comity.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

namespace bench {

// Collective over the communicator; its ranks must share memory.
class FutexPair {
 public:
  explicit FutexPair(MPI_Comm communicator);
  FutexPair(const FutexPair&) = delete;
  FutexPair& operator=(const FutexPair&) = delete;
  ~FutexPair();

  // Sleeps until the word is no longer `old`.
  void wait_while(std::uint32_t old);
  void set_and_wake(std::uint32_t value);
  // There and back between ranks 0 and 1, whose rounds count from 0.
  void ping_pong(int rank, std::uint32_t round);
  [[nodiscard]] std::uint32_t value() const { return word_->load(); }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::atomic<std::uint32_t>* word_ = nullptr;
};

}  // namespace bench
