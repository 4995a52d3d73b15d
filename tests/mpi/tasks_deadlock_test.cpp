// SPDX-License-Identifier: BSD-3-Clause
// Fibers of an MPI program that wait for one another in a circle are told, though the MPI has threads of its own, which could wake
// others. Each rank plants its own, hears of it, and goes on to MPI_Finalize.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <comity/sched.hpp>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace {

namespace sched = comity::sched;

// What outlives the harts, which never end: fibers wait for ever.
struct Planted {
  std::array<sched::Mutex, 2> mutexes;
  sched::Barrier both{2};
  sched::Semaphore told{0};
  std::string text;

  void lock_one_then_the_other(std::size_t first) {
    const std::lock_guard<sched::Mutex> one(mutexes[first]);
    both.wait();
    const std::lock_guard<sched::Mutex> other(mutexes[1 - first]);
  }
};

// On a hart that sleeps: a thread wakes the first fiber.
void hear(const char* text, void* with) {
  auto& planted = *static_cast<Planted*>(with);
  planted.text = text;
  std::thread([&planted] { planted.told.release(); }).detach();
}

int wait_until_told(int rank) {
  auto& planted = *new Planted;
  comity_sched_options options{};
  options.on_deadlock = &hear;
  options.told_with = &planted;
  (void)new sched::Harts(options);
  for (const std::size_t first : {0U, 1U}) {
    (void)new sched::Fiber([&planted, first] { planted.lock_one_then_the_other(first); }, "member");
  }
  planted.told.acquire();
  if (planted.text.find("a circle of 2: ") != std::string::npos) return 0;
  std::printf("FAIL: rank %d was told\n%s", rank, planted.text.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int failed = wait_until_told(rank);
  MPI_Finalize();
  std::fflush(stdout);
  ::_exit(failed);
}
