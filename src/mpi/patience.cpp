// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/patience.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "mpi/report.hpp"

namespace comity::mpi {
namespace {

constexpr int kOnce = 1;
// A message that is on its way between two cores comes meanwhile; else its sender wants a core, perhaps this one. Fewer
// leave the core to nobody and come back late, many more keep it from the sender.
constexpr int kShortSpin = 64;

int test(MPI_Request& request, int& done, int times) {
  int code = MPI_SUCCESS;
  for (int i = 0; i < times && code == MPI_SUCCESS && done == 0; ++i) {
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return code;
}

}  // namespace

comity_status report_lost(int rank) {
  std::array<char, 160> sentence{};
  std::array<char, 32> who{"a rank of this job"};
  if (rank != Absence::kUnknown) std::snprintf(who.data(), who.size(), "rank %d of MPI_COMM_WORLD", rank);
  std::snprintf(sentence.data(), sentence.size(),
                "make or divide a context: %s has ended, and MPI waits for it; end this job", who.data());
  return report(COMITY_ERR_PEER_LOST, sentence.data());
}

comity_status wait_patiently(MPI_Request& request, Absence& who) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr auto kOffer = 1ms;  // as long as a crowd of ranks takes to come by
  constexpr std::chrono::microseconds kLongestSleep = 200us;
  constexpr auto kLookEvery = 250ms;
  constexpr auto kLookAgain = 50ms;  // some looks tell nothing, and yet a death is told within a second
  const auto start = Clock::now();
  auto next_look = start + kLookEvery;
  std::chrono::microseconds sleep = 20us;
  int tests = kShortSpin;
  while (true) {
    int done = 0;
    if (test(request, done, tests) != MPI_SUCCESS) return COMITY_ERR_MPI;
    if (done != 0) return COMITY_OK;
    const auto now = Clock::now();
    if (now - start < kOffer) {
      std::this_thread::yield();
      continue;
    }
    tests = kOnce;
    if (now >= next_look) {
      if (who.found()) return report_lost(who.rank());
      next_look = now + (who.misses_somebody() ? kLookAgain : kLookEvery);
    }
    std::this_thread::sleep_for(sleep);
    sleep = std::min(2 * sleep, kLongestSleep);
  }
}

}  // namespace comity::mpi
