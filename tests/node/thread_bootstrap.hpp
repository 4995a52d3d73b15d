// SPDX-License-Identifier: BSD-3-Clause
// Ranks as threads of one process, for what the thread sanitizer shall see:
//
//   const auto failures = run_threads(4, [](ThreadBootstrap& job) { ... });
//   EXPECT_TRUE(failures.empty()) << failures.front();
//
// A rank that throws makes the others' collective calls throw too, so nobody hangs.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "node/bootstrap.hpp"

namespace comity::testing {

// The meeting place of all threads.
class ThreadMeeting {
 public:
  explicit ThreadMeeting(int size) : size_(size) {}

  void gather(int rank, const void* mine, void* all, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    auto& board = boards_[generation_ % 2];
    board.resize(static_cast<std::size_t>(size_) * bytes);
    std::memcpy(board.data() + static_cast<std::size_t>(rank) * bytes, mine, bytes);
    const std::size_t now = generation_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++generation_;
      moved_.notify_all();
    }
    moved_.wait(lock, [&] { return generation_ != now || left_ > 0; });
    if (generation_ == now) throw Error(Status::mpi, "gather: a rank has ended");
    std::memcpy(all, board.data(), board.size());
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    moved_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  int size_;
  int arrived_ = 0;
  int left_ = 0;
  std::size_t generation_ = 0;
  std::vector<std::byte> boards_[2];  // by turns: nobody is two calls ahead
};

class ThreadBootstrap final : public node::Bootstrap {
 public:
  ThreadBootstrap(ThreadMeeting& meeting, int rank, int size) : meeting_(meeting), rank_(rank), size_(size) {}

  [[nodiscard]] int job_rank() const override { return rank_; }
  [[nodiscard]] int job_size() const override { return size_; }
  [[nodiscard]] int candidate_rank() const override { return rank_; }
  [[nodiscard]] int candidate_size() const override { return size_; }
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    meeting_.gather(rank_, mine, all, bytes);
  }
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override {
    const auto all = job_gather(mine);
    return *std::max_element(all.begin(), all.end());
  }
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override {
    std::int64_t sum = 0;
    for (const std::int64_t one : job_gather(mine)) sum += one;
    return sum;
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> job_gather(std::int64_t mine) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
    meeting_.gather(rank_, &mine, all.data(), sizeof(mine));
    return all;
  }

  ThreadMeeting& meeting_;
  int rank_;
  int size_;
};

// Runs `body` on each of `ranks` threads; returns what those that threw said.
inline std::vector<std::string> run_threads(int ranks, const std::function<void(ThreadBootstrap&)>& body) {
  ThreadMeeting meeting(ranks);
  std::mutex mutex;
  std::vector<std::string> failures;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        ThreadBootstrap bootstrap(meeting, rank, ranks);
        body(bootstrap);
      } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failures.push_back("rank " + std::to_string(rank) + ": " + error.what());
      }
      meeting.leave();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return failures;
}

}  // namespace comity::testing
