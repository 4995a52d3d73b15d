// SPDX-License-Identifier: BSD-3-Clause
// MpiBootstrap: the ranks of a communicator as the node part needs them, by the library's own blocking calls. For moments at
// which all of them are here: the end of MPI_Init, a collective of the program.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "node/bootstrap.hpp"

namespace comity::coop {

class MpiBootstrap final : public node::Bootstrap {
 public:
  // Borrowed. All ranks of `job`; of these `candidates` may share my node.
  MpiBootstrap(MPI_Comm job, MPI_Comm candidates);

  [[nodiscard]] int job_rank() const override { return job_rank_; }
  [[nodiscard]] int job_size() const override { return job_size_; }
  [[nodiscard]] int candidate_rank() const override { return candidate_rank_; }
  [[nodiscard]] int candidate_size() const override { return candidate_size_; }
  void candidate_gather(const void* mine, void* all, std::size_t bytes) override;
  [[nodiscard]] std::int64_t job_max(std::int64_t mine) override;
  [[nodiscard]] std::int64_t job_sum(std::int64_t mine) override;
  // `all` gets a block of `bytes` from each rank of the job, in their order.
  void job_gather(const void* mine, void* all, std::size_t bytes);
  [[nodiscard]] std::vector<std::uint64_t> job_gather(std::uint64_t mine);

 private:
  MPI_Comm job_;
  MPI_Comm candidates_;
  int job_rank_ = 0;
  int job_size_ = 1;
  int candidate_rank_ = 0;
  int candidate_size_ = 1;
};

}  // namespace comity::coop
