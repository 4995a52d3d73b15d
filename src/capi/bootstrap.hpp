// SPDX-License-Identifier: BSD-3-Clause
// The C callbacks of comity_bootstrap as a node::Bootstrap.
#pragma once

#include <comity/bootstrap.h>

#include <string>

#include "base/error.hpp"
#include "node/bootstrap.hpp"

namespace comity::capi {

class CallbackBootstrap final : public node::Bootstrap {
 public:
  explicit CallbackBootstrap(const comity_bootstrap& callbacks) : callbacks_(callbacks) {
    const bool complete =
        callbacks.candidate_gather != nullptr && callbacks.job_max != nullptr && callbacks.job_sum != nullptr;
    if (complete) return;
    throw Error(Status::argument, "create a context: a callback of the bootstrap is null; set all three");
  }

  // Asked inside the collective call: the callbacks work, so one rank's wrong numbers fail all ranks.
  void require_ranks() const {
    const bool fit = callbacks_.job_rank >= 0 && callbacks_.job_rank < callbacks_.job_size &&
                     callbacks_.candidate_rank >= 0 && callbacks_.candidate_rank < callbacks_.candidate_size &&
                     callbacks_.candidate_size <= callbacks_.job_size;
    if (fit) return;
    throw Error(Status::argument,
                "create a context: the bootstrap's ranks and sizes do not fit together; ranks are 0 .. size-1, and "
                "candidates are part of the job");
  }

  [[nodiscard]] int job_rank() const override { return callbacks_.job_rank; }
  [[nodiscard]] int job_size() const override { return callbacks_.job_size; }
  [[nodiscard]] int candidate_rank() const override { return callbacks_.candidate_rank; }
  [[nodiscard]] int candidate_size() const override { return callbacks_.candidate_size; }

  void candidate_gather(const void* mine, void* all, std::size_t bytes) override {
    expect_ok(callbacks_.candidate_gather(callbacks_.self, mine, all, bytes), "candidate_gather");
  }
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override {
    std::int64_t result = 0;
    expect_ok(callbacks_.job_max(callbacks_.self, mine, &result), "job_max");
    return result;
  }
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override {
    std::int64_t result = 0;
    expect_ok(callbacks_.job_sum(callbacks_.self, mine, &result), "job_sum");
    return result;
  }

 private:
  static void expect_ok(comity_status status, const char* callback) {
    if (status == COMITY_OK) return;
    if (status == COMITY_ERR_PEER_LOST) throw Error(Status::peer_lost, comity_last_error());  // it has said who
    const bool known = static_cast<std::size_t>(status) < kStatusTable.size();
    throw Error(known ? static_cast<Status>(status) : Status::mpi,
                std::string("create a context: the bootstrap's ") + callback + " failed; see the launcher or MPI");
  }

  comity_bootstrap callbacks_;
};

}  // namespace comity::capi
