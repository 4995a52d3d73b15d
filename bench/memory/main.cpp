// SPDX-License-Identifier: BSD-3-Clause
// bench-memory: what knowing whose memory it is costs a program that knows nothing of Comity: its blocks, its
// mappings, its messages, or memory. Not: with Comity or without (whoever launches it decides), comparing (comity bench memory).
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "common/line.hpp"
#include "memory/cases.hpp"

namespace {

std::vector<bench::Outcome> outcomes(std::string_view what, int rank, int size) {
  if (what == "malloc_free" && size == 1) return bench::memory::malloc_free();
  if (what == "mmap_munmap" && size == 1) return {bench::memory::mmap_munmap()};
  if (what == "own_memory") return bench::memory::own_memory();
  if (what == "own_memory_recorded") return bench::memory::own_memory_recorded();
  if (what == "computing") return bench::memory::computing();
  if (what == "messages" && size == 2) return bench::memory::messages(rank);
  if (what == "sizes" && size % 2 == 0) return bench::memory::sizes(rank, size);
  throw std::runtime_error(
      "takes one word: malloc_free or mmap_munmap, of one rank, own_memory, own_memory_recorded or computing, of any "
      "number, messages, of two, or sizes, of an even number");
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string_view what = count == 2 ? words[1] : "";
  std::vector<bench::Outcome> found;
  try {
    found = outcomes(what, rank, size);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "bench-memory: %s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  if (what == "own_memory_recorded") found.push_back(bench::memory::own_memory_at_the_end());
  if (rank == 0) bench::print(size, 1, found);
  return 0;
}
