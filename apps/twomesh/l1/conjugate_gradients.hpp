// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients with a diagonal preconditioner, threads over strips. Every number that an iterate depends on is
// computed a strip at a time and summed in strip order: iterates are bitwise equal for all ranks and threads.
#pragma once

#include <vector>

#include "l1/neighbourhood.hpp"
#include "l1/system.hpp"
#include "mesh/checksum.hpp"

namespace twomesh::l1 {

struct SolverOptions {
  double tolerance = 1e-9;  // on |b - A x| / |b|
  int max_iterations = 500;
  bool hash_iterates = false;  // checksum every iterate, which costs a pass over it
};

struct SolveReport {
  int iterations = 0;
  double relative_residual = 0.0;  // as the recurrence has it
  int threads = 0;                 // that ran, in the narrowest loop
};

class ConjugateGradients {
 public:
  ConjugateGradients(int nx, int rows, Strips strips, const SolverOptions& options);

  // Collective over the neighbourhood. Improves x, whose ghosts need no value, with so many threads.
  SolveReport solve(const System& system, RowField& x, Neighbourhood& neighbours, int threads);

  // |b - A x| / |b| computed afresh. Collective.
  double true_residual(const System& system, RowField& x, Neighbourhood& neighbours, int threads);

  // Squared residual norms of all iterations so far, the same on every rank.
  [[nodiscard]] const Checksum& history() const { return history_; }
  // One checksum a local strip over all iterates so far (the last of each solve where hash_iterates is off).
  [[nodiscard]] const std::vector<Checksum>& iterates() const { return iterates_; }

 private:
  // (r, r / diagonal) and (r, r).
  struct Norms {
    double energy, squared;
  };

  double start(const System& system, RowField& x, Neighbourhood& neighbours, Team& team);
  double apply(const System& system, Neighbourhood& neighbours, Team& team);
  void advance(const System& system, RowField& x, double step, Team& team);
  void turn(const System& system, double beta, Team& team);
  void hash(const RowField& x, std::size_t strip);
  [[nodiscard]] Norms total_norms(Neighbourhood& neighbours) const;
  [[nodiscard]] double total(Neighbourhood& neighbours) const;

  Strips strips_;
  SolverOptions options_;
  RowField residual_, direction_, product_;
  std::vector<double> partial_;     // one a local strip
  std::vector<Norms> strip_norms_;  // likewise
  Checksum history_;
  std::vector<Checksum> iterates_;
};

}  // namespace twomesh::l1
