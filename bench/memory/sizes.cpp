// SPDX-License-Identifier: BSD-3-Clause
// Messages of many sizes between all pairs at once, as OSU's multi-pair message rate has them. Source of the method:
// osu_mbw_mr of the OSU micro-benchmarks.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "common/together.hpp"
#include "memory/cases.hpp"

namespace bench::memory {
namespace {

constexpr std::array kSizes{1, 4, 16, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20};
constexpr int kWindow = 64;
constexpr int kMostInWindow_bytes = 8 << 20;  // on their way at once
constexpr int kBatch_bytes = 16 << 20;
constexpr int kMostWindows = 20;  // a batch
constexpr double kSize_ns = 2e7;  // launches are many
constexpr int kTag = 2;

std::string name_of(int bytes) {
  if (bytes < 1 << 10) return "message_" + std::to_string(bytes) + "B";
  return bytes < 1 << 20 ? "message_" + std::to_string(bytes >> 10) + "KiB"
                         : "message_" + std::to_string(bytes >> 20) + "MiB";
}

// The lower half of the ranks sends, each to one of the upper half, which answers each window with four bytes.
class Pair {
 public:
  Pair(int rank, int size) : sends_(rank < size / 2), other_(sends_ ? rank + size / 2 : rank - size / 2) {}

  void pass_window(std::vector<char>& data, int bytes, int messages) {
    for (int i = 0; i < messages; ++i) {
      MPI_Request& request = requests_[static_cast<std::size_t>(i)];
      if (sends_) {
        MPI_Isend(data.data(), bytes, MPI_BYTE, other_, kTag, MPI_COMM_WORLD, &request);
      } else {
        MPI_Irecv(data.data(), bytes, MPI_BYTE, other_, kTag, MPI_COMM_WORLD, &request);
      }
    }
    MPI_Waitall(messages, requests_.data(), MPI_STATUSES_IGNORE);
    int all = 0;
    if (sends_) {
      MPI_Recv(&all, 1, MPI_INT, other_, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&all, 1, MPI_INT, other_, kTag, MPI_COMM_WORLD);
    }
  }

 private:
  bool sends_;
  int other_;
  std::array<MPI_Request, kWindow> requests_{};
};

// [ns] a message of rank 0's pair, while all pairs are at it.
double message_ns(Pair& pair, std::vector<char>& data, int bytes) {
  const int messages = std::clamp(kMostInWindow_bytes / bytes, 1, kWindow);
  const int windows = std::clamp(kBatch_bytes / bytes / messages, 1, kMostWindows);
  MPI_Barrier(MPI_COMM_WORLD);
  return time_loop(windows, [&] { pair.pass_window(data, bytes, messages); }) / messages;
}

}  // namespace

std::vector<Outcome> sizes(int rank, int size) {
  Pair pair(rank, size);
  std::vector<char> data(kSizes.back(), 1);
  std::vector<Outcome> outcomes;
  for (const int bytes : kSizes) {
    Outcome outcome{name_of(bytes), "ns", "bare MPI", {}, {}, {{"bytes", bytes}}};
    (void)message_ns(pair, data, bytes);
    const double start_ns = now_ns();
    int loops = 0;
    do {
      outcome.values.push_back(message_ns(pair, data, bytes));
    } while (all_go_on(++loops, start_ns, kSize_ns));
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace bench::memory
