// SPDX-License-Identifier: BSD-3-Clause
// The bootstrap of a job of one rank: nobody to talk to.
#pragma once

#include <cstring>

#include "node/bootstrap.hpp"

namespace comity::runtime {

class LoneBootstrap final : public node::Bootstrap {
 public:
  [[nodiscard]] int job_rank() const override { return 0; }
  [[nodiscard]] int job_size() const override { return 1; }
  [[nodiscard]] int candidate_rank() const override { return 0; }
  [[nodiscard]] int candidate_size() const override { return 1; }
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    if (bytes > 0) std::memcpy(all, mine, bytes);
  }
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override { return mine; }
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override { return mine; }
};

}  // namespace comity::runtime
