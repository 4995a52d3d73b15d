// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one node that meet in one place in shared memory: a communicator of its own beside that of ForkBootstrap, for
// threads that create at once and for those who are left of a job. Nobody looks whether a rank has ended: the watchdog of
// run_ranks does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "node/fork_bootstrap.hpp"

namespace comity::testing {

class MeetingBootstrap : public node::Bootstrap {
 public:
  MeetingBootstrap(Meeting& meeting, int rank, int size) : meeting_(meeting), rank_(rank), size_(size) {}

  [[nodiscard]] int job_rank() const override { return rank_; }
  [[nodiscard]] int job_size() const override { return size_; }
  [[nodiscard]] int candidate_rank() const override { return rank_; }
  [[nodiscard]] int candidate_size() const override { return size_; }

  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    meeting_.gather(rank_, size_, mine, all, bytes, [] { return false; });
  }
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override {
    const auto all = gather(mine);
    return *std::max_element(all.begin(), all.end());
  }
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override {
    const auto all = gather(mine);
    return std::accumulate(all.begin(), all.end(), std::int64_t{0});
  }

 private:
  [[nodiscard]] std::vector<std::int64_t> gather(std::int64_t mine) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(size_));
    candidate_gather(&mine, all.data(), sizeof(mine));
    return all;
  }

  Meeting& meeting_;
  int rank_;
  int size_;
};

}  // namespace comity::testing
