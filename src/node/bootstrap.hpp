// SPDX-License-Identifier: BSD-3-Clause
// Bootstrap: all that Comity needs of a job before ranks share memory. MPI implements it for a communicator,
// tests with fork and with threads. Not: anything on a hot path.
//
// "Job" is the group that creates a context together; "candidates" are those of it that the launcher believes
// to be on this node (MPI: the shared split). Candidate order is job-rank order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace comity::node {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  [[nodiscard]] virtual int job_rank() const = 0;        // 0 .. job_size()-1
  [[nodiscard]] virtual int job_size() const = 0;        // at least 1
  [[nodiscard]] virtual int candidate_rank() const = 0;  // 0 .. candidate_size()-1
  [[nodiscard]] virtual int candidate_size() const = 0;  // at least 1

  // Collective over the candidates: `all` gets candidate_size() blocks of `bytes` in candidate order. Also a
  // barrier.
  virtual void candidate_gather(const void* mine, void* all, std::size_t bytes) = 0;
  // Collective over the job.
  [[nodiscard]] virtual std::int64_t job_max(std::int64_t mine) = 0;
  [[nodiscard]] virtual std::int64_t job_sum(std::int64_t mine) = 0;
};

}  // namespace comity::node
