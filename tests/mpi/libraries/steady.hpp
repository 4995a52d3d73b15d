// SPDX-License-Identifier: BSD-3-Clause
// A library that goes on working with a thread of its own on some ranks of a node, whatever others do meanwhile: on all
// cores but the first. It meets its own kind each round.
#pragma once

#include <comity/comity_mpi.hpp>

#include <atomic>

namespace steady {

// In memory that all ranks of the node share; all zero at first.
struct Seat {
  std::atomic<int> thread;   // kernel id of the working thread
  std::atomic<int> process;  // that it belongs to
  std::atomic<int> rounds;   // of work done
};
struct Board {
  static constexpr int kMostRanks = 16;
  std::atomic<int> stop;     // set by whoever wants the work to end
  std::atomic<int> goes_on;  // what the first of the working ranks has made of that: all do the same round last
  Seat seats[kMostRanks];    // by rank of the node
};

struct Functions {
  // Collective. `works`: this rank takes part.
  void* (*start)(MPI_Comm communicator, bool works, Board* board);
  // After board->stop. "" or what is wrong.
  const char* (*finish)(void* started);
};

}  // namespace steady

extern "C" COMITY_EXPORT const steady::Functions* steady_library();
