// SPDX-License-Identifier: BSD-3-Clause
#include "quiesce/mechanism.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace bench::quiesce {
namespace {

constexpr std::array<std::pair<const char*, Case>, 4> kCases{{
    {"ideal", Case::ideal},
    {"comity", Case::comity},
    {"mpi_barrier_world", Case::mpi_barrier_world},
    {"mpi_barrier_shared", Case::mpi_barrier_shared},
}};

}  // namespace

Case case_named(const std::string& name) {
  std::string known;
  for (const auto& [word, which] : kCases) {
    if (name == word) return which;
    known += std::string(known.empty() ? "" : ", ") + word;
  }
  throw std::invalid_argument("no case '" + name + "': there are " + known);
}

Mechanism::Mechanism(Case which, comity::Context& context) : case_(which), context_(context) {
  if (case_ == Case::mpi_barrier_shared) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared_);
  }
}

Mechanism::~Mechanism() {
  if (shared_ != MPI_COMM_NULL) MPI_Comm_free(&shared_);
}

void Mechanism::wait() {
  switch (case_) {
    case Case::ideal:
      return;
    case Case::comity:
      context_.quiesce();
      return;
    case Case::mpi_barrier_world:
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    case Case::mpi_barrier_shared:
      MPI_Barrier(shared_);
      return;
  }
}

}  // namespace bench::quiesce
