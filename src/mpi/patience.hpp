// SPDX-License-Identifier: BSD-3-Clause
// Waiting for an operation of MPI without burning the core: a short spin, then the core is offered between tests, then
// sleeps. A blocking call spins, and where ranks share cores it spins against the very ranks that it waits for.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace comity::mpi {

// Returns the operation's code.
inline int wait_patiently(MPI_Request& request) {
  using namespace std::chrono_literals;
  constexpr auto kSpin = 30us;  // as long as a message between two cores takes, a few times over
  constexpr auto kOffer = 1ms;  // as long as a crowd of ranks takes to come by
  constexpr std::chrono::microseconds kLongestSleep = 200us;
  const auto start = std::chrono::steady_clock::now();
  std::chrono::microseconds sleep = 20us;
  while (true) {
    int done = 0;
    const int code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0 || code != MPI_SUCCESS) return code;
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited < kSpin) continue;
    if (waited < kOffer) {
      std::this_thread::yield();
      continue;
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(2 * sleep, kLongestSleep);
  }
}

}  // namespace comity::mpi
