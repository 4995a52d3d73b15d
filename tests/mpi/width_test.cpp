// SPDX-License-Identifier: BSD-3-Clause
// Two libraries at once on the real machine (the graded approach, 000_... VII): one holds a phase of one core on the rank
// that it selects, and in the midst of it the other one's ranks go on working on the other cores. The kernel's masks tell.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <new>

#include "expect.hpp"
#include "libraries/narrow.hpp"
#include "libraries/steady.hpp"

using namespace comity;
using namespace comity::testing;
using steady::Board;

namespace {

constexpr int kSkipped = 77;
constexpr int kPhases = 3;
constexpr int kRounds = 20;  // of the other library within each phase
constexpr std::chrono::seconds kPatience(10);

template <typename Entry>
Entry entry_of(const char* path, const char* name) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Entry>(dlsym(library, name));
}

// Of a thread, as the kernel tells it; 0 as the thread: the calling one.
std::string kernel_mask(int process, int thread) {
  const std::string id =
      process == 0 ? std::string("thread-self") : std::to_string(process) + "/task/" + std::to_string(thread);
  std::ifstream status("/proc/" + id + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Cpus_allowed_list:\t")) return line.substr(19);
  }
  return "none: the thread is gone";
}

std::string list_of(const comity_cpuset& set) {
  char text[8192];
  check(comity_cpuset_string(&set, COMITY_FORM_LIST, text, sizeof(text), nullptr));
  return text;
}

struct Job {
  Board* board;
  int ranks;
  std::string first_core;
  std::string other_cores;
  int selected;  // ranks on which the phase ran: this one or none
};

// Memory that all ranks of the node share, all zero.
Board* shared_board(MPI_Win& window) {
  void* own = nullptr;
  MPI_Win_allocate_shared(world_rank == 0 ? sizeof(Board) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  void* base = nullptr;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
  if (world_rank == 0) new (base) Board{};
  MPI_Barrier(MPI_COMM_WORLD);
  return static_cast<Board*>(base);
}

bool goes_on_working(const steady::Seat& seat) {
  const int before = seat.rounds.load();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (seat.rounds.load() < before + kRounds) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::usleep(500);
  }
  return true;
}

// On the selected rank, within the phase.
void look_round(comity_context*, void* data) {
  auto& job = *static_cast<Job*>(data);
  ++job.selected;
  for (int rank = 0; rank < job.ranks; ++rank) {
    if (rank == world_rank) continue;
    const steady::Seat& seat = job.board->seats[rank];
    const std::string who = "rank " + std::to_string(rank) + " of the other library";
    expect(goes_on_working(seat), who + " does not go on");
    expect_equal(kernel_mask(seat.process.load(), seat.thread.load()), job.other_cores, who + " is on");
    expect_equal(kernel_mask(seat.process.load(), seat.process.load()), job.other_cores,
                 who + ", its main thread, is on");
    expect_equal(kernel_mask(0, 0), job.first_core, "the phase of width 1 is on");
  }
}

void two_libraries_at_once(const narrow::Functions& first, const steady::Functions& second, comity_context* handle) {
  Context context(handle);
  comity_cpuset others = context.cpuset(Resource::machine, 0);
  const comity_cpuset core = context.cpuset(Resource::core, 0);
  for (std::size_t word = 0; word < std::size(others.words); ++word) others.words[word] &= ~core.words[word];
  MPI_Win window = MPI_WIN_NULL;
  Job job{shared_board(window), context.size(), list_of(core), list_of(others), 0};
  const std::string before = kernel_mask(0, 0);

  void* const work = second.start(MPI_COMM_WORLD, !first.selects_me(handle), job.board);
  for (int phase = 0; phase < kPhases; ++phase) {
    expect_equal(std::string(first.run(handle, look_round, &job)), std::string(), "the first library's phase");
  }
  expect_equal(job.selected, first.selects_me(handle) ? kPhases : 0, "phases on this rank");
  job.board->stop.store(1);
  expect_equal(std::string(second.finish(work)), std::string(), "the second library's work");
  expect_equal(kernel_mask(0, 0), before, "binding after both");
  int total = 0;
  MPI_Allreduce(&job.selected, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect_equal(total, kPhases, "one rank ran each phase");
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const auto* first = entry_of<const narrow::Functions* (*)()>(argv[1], "narrow_library")();
  const auto* second = entry_of<const steady::Functions* (*)()>(argv[2], "steady_library")();
  comity_context* context = first->open(MPI_COMM_WORLD);
  expect(context != nullptr, comity_last_error());
  std::int32_t cores = 0;
  check(comity_context_count(context, COMITY_CORE, &cores));
  if (cores < 2) {
    if (world_rank == 0) std::printf("NOT TESTED: one core only, so no other is left to work on\n");
    (void)comity_context_free(&context);
  } else {
    two_libraries_at_once(*first, *second, context);
  }
  MPI_Finalize();
  return cores < 2 ? kSkipped : finish();
}
