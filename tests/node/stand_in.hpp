// SPDX-License-Identifier: BSD-3-Clause
// A bootstrap that stands before another one and lets every call through; a test overrides what it wants to falsify.
#pragma once

#include <cstddef>
#include <cstdint>

#include "node/bootstrap.hpp"

namespace comity::testing {

class StandIn : public node::Bootstrap {
 public:
  explicit StandIn(node::Bootstrap& job) : job_(job) {}

  [[nodiscard]] int job_rank() const override { return job_.job_rank(); }
  [[nodiscard]] int job_size() const override { return job_.job_size(); }
  [[nodiscard]] int candidate_rank() const override { return job_.candidate_rank(); }
  [[nodiscard]] int candidate_size() const override { return job_.candidate_size(); }
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    job_.candidate_gather(mine, all, bytes);
  }
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override { return job_.job_max(mine); }
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override { return job_.job_sum(mine); }

 private:
  node::Bootstrap& job_;
};

}  // namespace comity::testing
