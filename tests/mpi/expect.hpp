// SPDX-License-Identifier: BSD-3-Clause
// Expectations for programs of several MPI ranks: a failure is printed with its rank; finish() makes the exit code.
#pragma once

#include <comity/comity_mpi.hpp>

#include <cstdio>
#include <mutex>
#include <string>
#include <string_view>

namespace comity::testing {

struct World {
  int rank = 0;
  int size = 1;
};

inline World world(MPI_Comm communicator = MPI_COMM_WORLD) {
  World w;
  MPI_Comm_rank(communicator, &w.rank);
  MPI_Comm_size(communicator, &w.size);
  return w;
}

inline int failures = 0;
inline int world_rank = -1;

inline void expect(bool holds, const std::string& what) {
  if (holds) return;
  ++failures;
  std::printf("FAIL: rank %d: %s\n", world_rank, what.c_str());
  std::fflush(stdout);
}

template <typename A, typename B>
void expect_equal(const A& found, const B& wanted, const std::string& what) {
  if constexpr (std::is_convertible_v<A, std::string_view>) {
    expect(found == wanted, what + ": " + std::string(found) + ", expected " + std::string(wanted));
  } else {
    expect(found == static_cast<A>(wanted),
           what + ": " + std::to_string(found) + ", expected " + std::to_string(wanted));
  }
}

inline void expect_status(comity_status found, comity_status wanted, const std::string& what) {
  expect(found == wanted, what + ": " + comity_status_name(found) + " (" + comity_last_error() + "), expected " +
                              comity_status_name(wanted));
}

// As expect(false, ...), from any of several threads.
inline void fail_from_thread(const std::string& what) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  expect(false, what);
}

inline int finish() { return failures == 0 ? 0 : 1; }

}  // namespace comity::testing
