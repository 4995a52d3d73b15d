// SPDX-License-Identifier: BSD-3-Clause
#include "coop/mpi_bootstrap.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {
namespace {

namespace real = interpose::real;

void check(int code) {
  if (code != MPI_SUCCESS) throw Error(Status::mpi, "find out who shares this node: MPI reports an error");
}

}  // namespace

MpiBootstrap::MpiBootstrap(MPI_Comm job, MPI_Comm candidates) : job_(job), candidates_(candidates) {
  real::MPI_Comm_rank(job_, &job_rank_);
  real::MPI_Comm_size(job_, &job_size_);
  real::MPI_Comm_rank(candidates_, &candidate_rank_);
  real::MPI_Comm_size(candidates_, &candidate_size_);
}

void MpiBootstrap::candidate_gather(const void* mine, void* all, std::size_t bytes) {
  const MPI_Datatype byte = interpose::handles().byte;
  const int count = static_cast<int>(bytes);
  check(real::MPI_Allgather(mine, count, byte, all, count, byte, candidates_));
}

void MpiBootstrap::job_gather(const void* mine, void* all, std::size_t bytes) {
  const MPI_Datatype byte = interpose::handles().byte;
  const int count = static_cast<int>(bytes);
  check(real::MPI_Allgather(mine, count, byte, all, count, byte, job_));
}

std::vector<std::uint64_t> MpiBootstrap::job_gather(std::uint64_t mine) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(job_size_));
  job_gather(&mine, all.data(), sizeof mine);
  return all;
}

// By a gather: there are few such moments, and MPI's operations are objects of the library that is really loaded.
std::int64_t MpiBootstrap::job_max(std::int64_t mine) {
  const auto all = job_gather(static_cast<std::uint64_t>(mine));
  return static_cast<std::int64_t>(*std::ranges::max_element(all, [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b);
  }));
}

std::int64_t MpiBootstrap::job_sum(std::int64_t mine) {
  const auto all = job_gather(static_cast<std::uint64_t>(mine));
  return static_cast<std::int64_t>(std::accumulate(all.begin(), all.end(), std::uint64_t{0}));
}

}  // namespace comity::coop
