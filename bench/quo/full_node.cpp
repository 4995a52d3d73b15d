// SPDX-License-Identifier: BSD-3-Clause
#include "quo/full_node.hpp"

#include <comity/bootstrap.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <comity/comity.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "quo/memory.hpp"

namespace bench::quo {
namespace {

using comity::Context;

constexpr int kMostRanks = 1024;
constexpr std::size_t kBlock_bytes = 4096;  // the most that a rank gives to one collective call

// What the ranks share before they have a context.
struct Square {
  pthread_barrier_t all;
  double grown_kb[kMostRanks];
  double segment_kb;  // that the kernel has set aside for it, touched or not
  std::int64_t numbers[kMostRanks];
  std::byte blocks[kMostRanks][kBlock_bytes];  // touched only as far as it is used
};

class Job {
 public:
  Job(Square& square, int rank, int ranks) : square_(square), rank_(rank), ranks_(ranks) {}

  void meet() { (void)pthread_barrier_wait(&square_.all); }

  // So that the pages of the callbacks are there before it counts.
  void touch_all() {
    std::vector<std::byte> mine(kBlock_bytes), all(mine.size() * static_cast<std::size_t>(ranks_));
    (void)gather(this, mine.data(), all.data(), mine.size());
  }

  [[nodiscard]] comity_bootstrap callbacks() { return {this, rank_, ranks_, rank_, ranks_, gather, largest, sum}; }

 private:
  static comity_status gather(void* self, const void* mine, void* all, std::size_t bytes) {
    Job& job = *static_cast<Job*>(self);
    if (bytes > kBlock_bytes) return COMITY_ERR_ARGUMENT;
    std::memcpy(job.square_.blocks[job.rank_], mine, bytes);
    job.meet();
    for (int rank = 0; rank < job.ranks_; ++rank) {
      std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(rank) * bytes, job.square_.blocks[rank],
                  bytes);
    }
    job.meet();
    return COMITY_OK;
  }

  template <typename Fold>
  comity_status fold(std::int64_t mine, std::int64_t* result, Fold&& fold) {
    square_.numbers[rank_] = mine;
    meet();
    *result = square_.numbers[0];
    for (int rank = 1; rank < ranks_; ++rank) *result = fold(*result, square_.numbers[rank]);
    meet();
    return COMITY_OK;
  }
  static comity_status largest(void* self, std::int64_t mine, std::int64_t* result) {
    return static_cast<Job*>(self)->fold(mine, result, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  static comity_status sum(void* self, std::int64_t mine, std::int64_t* result) {
    return static_cast<Job*>(self)->fold(mine, result, [](std::int64_t a, std::int64_t b) { return a + b; });
  }

  Square& square_;
  int rank_, ranks_;
};

// Ranks are programs of their own, as under a launcher: children that only fork would share pages that ranks do not.
Square& map_square(int memory) {
  void* const start = mmap(nullptr, sizeof(Square), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (start == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "map what the ranks share");
  return *static_cast<Square*>(start);
}

void make_barrier(Square& square, int ranks) {
  pthread_barrierattr_t shared;
  pthread_barrierattr_init(&shared);
  pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  const int problem = pthread_barrier_init(&square.all, &shared, static_cast<unsigned>(ranks));
  pthread_barrierattr_destroy(&shared);
  if (problem != 0) throw std::system_error(problem, std::generic_category(), "make the ranks' barrier");
}

void start_rank(int rank, int ranks, int memory) {
  const std::string words[] = {std::to_string(rank), std::to_string(ranks), std::to_string(memory)};
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "start rank " + std::to_string(rank));
  if (child > 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // lasts over the exec
  if (getppid() == parent) {
    execl("/proc/self/exe", "bench-quo", kRankWord, words[0].c_str(), words[1].c_str(), words[2].c_str(), nullptr);
  }
  _exit(1);
}

// One that fails leaves the others at the barrier: they are ended with this process.
void wait_for(int ranks) {
  for (int ended = 0; ended < ranks; ++ended) {
    int status = 0;
    if (wait(&status) > 0 && status == 0) continue;
    throw std::runtime_error("a rank of the full node failed, status " + std::to_string(status));
  }
}

// Of the segment that this process has open; PSS counts of it what somebody has touched.
double segment_kb() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;  // the listing's own
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    struct stat facts {};
    if (target.find("memfd:comity") == std::string::npos || stat(entry.path().c_str(), &facts) != 0) continue;
    return static_cast<double>(facts.st_blocks) / 2;  // of 512 bytes
  }
  return 0;
}

}  // namespace

void be_rank_of_full_node(int rank, int ranks, int memory) {
  Square& square = map_square(memory);
  Job job(square, rank, ranks);
  job.touch_all();
  (void)memory_kb();  // what looking itself needs is there before it counts
  job.meet();
  const double before_kb = memory_kb();
  job.meet();
  Context context(job.callbacks());
  if (context.size() != ranks || context.node_count() != 1) {
    throw std::runtime_error("the ranks of the full node do not share one node: COMITY_NODE_HANDOVER keeps them apart");
  }
  context.quiesce();  // all have the segment when it is divided among them
  square.grown_kb[rank] = memory_kb() - before_kb;
  if (rank == 0) square.segment_kb = segment_kb();
  context.quiesce();
}

Outcome full_node(int ranks) {
  if (ranks < 1 || ranks > kMostRanks) {
    throw std::runtime_error("a full node has 1 to " + std::to_string(kMostRanks) + " ranks, not " +
                             std::to_string(ranks));
  }
  const int memory = memfd_create("bench-quo", 0);
  if (memory < 0 || ftruncate(memory, sizeof(Square)) != 0) {
    throw std::system_error(errno, std::generic_category(), "make what the ranks share");
  }
  Square& square = map_square(memory);
  make_barrier(square, ranks);
  for (int rank = 0; rank < ranks; ++rank) start_rank(rank, ranks, memory);
  wait_for(ranks);

  Outcome outcome{"state_node", "KB", "", {0.0}, {1.0}};
  for (int rank = 0; rank < ranks; ++rank) outcome.values.front() += square.grown_kb[rank];
  outcome.extra = {{"segment_kb", square.segment_kb}};
  return outcome;
}

}  // namespace bench::quo
