// SPDX-License-Identifier: BSD-3-Clause
#include "place/exchange.hpp"

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "common/timing.hpp"

namespace bench::place {
namespace {

constexpr std::size_t kPool_bytes = std::size_t{32} << 20U;  // of each direction
constexpr int kTag = 7;
constexpr int kLoops = 15, kFewestLoops = 3;
constexpr double kLoop_ns = 5e5, kSize_ns = 3e7;  // a loop and a size last about so long
constexpr char kMore = 1, kLast = 0;

// The next buffer of a pool; all of a size are whole cache lines.
class Pool {
 public:
  explicit Pool(int bytes) : step_(std::max<std::size_t>(64, static_cast<std::size_t>(bytes))), data_(kPool_bytes, 1) {}

  char* next() {
    char* const buffer = data_.data() + at_;
    at_ = at_ + 2 * step_ <= data_.size() ? at_ + step_ : 0;
    return buffer;
  }

 private:
  std::size_t step_, at_ = 0;
  std::vector<char> data_;
};

class Ball {
 public:
  Ball(int bytes, int other) : bytes_(bytes), other_(other), out_(bytes), in_(bytes) {}

  void send(char mark) {
    char* const buffer = out_.next();
    *buffer = mark;
    MPI_Send(buffer, bytes_, MPI_BYTE, other_, kTag, MPI_COMM_WORLD);
  }
  char receive() {
    char* const buffer = in_.next();
    MPI_Recv(buffer, bytes_, MPI_BYTE, other_, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return *buffer;
  }

 private:
  int bytes_, other_;
  Pool out_, in_;
};

void there_and_back(Ball& ball) {
  ball.send(kMore);
  (void)ball.receive();
}

// [ns] a round, of so many or as many as there is time for: a crowded machine may make one a thousand times slower at once.
double round_ns(Ball& ball, int rounds) {
  constexpr int kAtOnce = 16;
  const double start_ns = now_ns();
  int done = 0;
  while (done < rounds && (done == 0 || now_ns() - start_ns < 4 * kLoop_ns)) {
    for (const int end = std::min(done + kAtOnce, rounds); done < end; ++done) there_and_back(ball);
  }
  return (now_ns() - start_ns) / done;
}

// [ns] half the way, a value a loop.
std::vector<double> measure(int bytes, int other) {
  Ball ball(bytes, other);
  there_and_back(ball);
  const double once_ns = std::max(1.0, round_ns(ball, 4));
  const int rounds = std::clamp(static_cast<int>(kLoop_ns / once_ns), 1, 5000);
  const double start_ns = now_ns();
  std::vector<double> halves;
  while (halves.size() < kLoops && (halves.size() < kFewestLoops || now_ns() - start_ns < kSize_ns)) {
    halves.push_back(round_ns(ball, rounds) / 2);
  }
  ball.send(kLast);
  return halves;
}

void give_back(int bytes, int other) {
  Ball ball(bytes, other);
  while (ball.receive() != kLast) ball.send(kMore);
}

}  // namespace

Cost exchange(const Pair& pair, int rank) {
  Cost cost;
  for (std::size_t i = 0; i < kBytes.size(); ++i) {
    if (rank == pair.second) {
      give_back(kBytes[i], pair.first);
      continue;
    }
    const std::vector<double> halves = measure(kBytes[i], pair.second);
    cost.ns[i] = median(halves);
    cost.unrest = std::max(cost.unrest, cost.ns[i] / *std::min_element(halves.begin(), halves.end()));
  }
  return cost;
}

}  // namespace bench::place
