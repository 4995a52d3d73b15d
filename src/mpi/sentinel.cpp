// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/sentinel.hpp"

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <new>
#include <system_error>
#include <utility>

#include "mpi/launched.hpp"

namespace comity::mpi {

Sentinel::Sentinel(std::vector<int> awaited, int own, const char* call)
    : awaited_(std::move(awaited)), own_(own), call_(call) {
  try {
    thread_ = std::thread([this] { stand_by(); });
  } catch (const std::system_error&) {
    return;
  }
}

Sentinel::~Sentinel() {
  {
    const std::lock_guard hold(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Sentinel::is_over_after(int milliseconds) {
  std::unique_lock hold(mutex_);
  return ended_.wait_for(hold, std::chrono::milliseconds(milliseconds), [this] { return over_; });
}

// None where all are there, or where nobody can tell.
std::optional<int> Sentinel::missing() const {
  try {
    const auto here = launched(own_);
    for (const int number : awaited_) {
      if (here && !here->has(number)) return number;
    }
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
  return std::nullopt;
}

// Two looks, as Absence needs them. The call may have returned meanwhile, and who is missing may have ended since.
void Sentinel::stand_by() {
  constexpr int kLookEvery_ms = 250;
  constexpr int kLookAgain_ms = 50;
  std::optional<int> missed;
  while (!is_over_after(missed ? kLookAgain_ms : kLookEvery_ms)) {
    const std::optional<int> now = missing();
    if (now && missed && !is_over_after(0)) {
      (void)std::fprintf(stderr,
                         "[mpi] rank %d of MPI_COMM_WORLD has ended inside %s, which waits for it; this job ends\n",
                         *now, call_);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    missed = now;
  }
}

}  // namespace comity::mpi
