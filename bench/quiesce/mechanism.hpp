// SPDX-License-Identifier: BSD-3-Clause
// Mechanism: how ranks wait for the one that computes. The only thing in which the cases of this benchmark differ.
#pragma once

#include <mpi.h>

#include <comity/comity.hpp>
#include <string>

namespace bench::quiesce {

enum class Case { ideal, comity, mpi_barrier_world, mpi_barrier_shared };

[[nodiscard]] Case case_named(const std::string& name);  // throws std::invalid_argument with the names that it knows

class Mechanism {
 public:
  // Collective over the world; the context must be on it and outlive this.
  Mechanism(Case which, comity::Context& context);
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;
  ~Mechanism();

  // Collective: returns when all ranks have come. The ideal has nobody to wait for.
  void wait();

 private:
  Case case_;
  comity::Context& context_;
  MPI_Comm shared_ = MPI_COMM_NULL;
};

}  // namespace bench::quiesce
