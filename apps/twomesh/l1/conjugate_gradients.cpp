// SPDX-License-Identifier: BSD-3-Clause
#include "l1/conjugate_gradients.hpp"

#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace twomesh::l1 {
namespace {

// direction = residual / diagonal + beta direction on one row.
void turn_row(const double* __restrict residual, const double* __restrict inverse, double beta, int count,
              double* __restrict direction) {
  for (int i = 0; i < count; ++i) direction[i] = residual[i] * inverse[i] + beta * direction[i];
}

// Adds (r, r / diagonal) and (r, r) of one row, each in ordered_dot's order; `scratch` comes to hold r / diagonal.
template <typename Norms>
void add_norms(const double* residual, const double* inverse, int count, double* scratch, Norms& norms) {
  for (int i = 0; i < count; ++i) scratch[i] = residual[i] * inverse[i];
  norms.energy += ordered_dot(residual, scratch, count);
  norms.squared += ordered_dot(residual, residual, count);
}

}  // namespace

ConjugateGradients::ConjugateGradients(int nx, int rows, Strips strips, const SolverOptions& options)
    : strips_(std::move(strips)),
      options_(options),
      residual_(nx, rows),
      direction_(nx, rows),
      product_(nx, rows),
      partial_(strips_.size()),
      strip_norms_(strips_.size()),
      iterates_(strips_.size()) {}

SolveReport ConjugateGradients::solve(const System& system, RowField& x, Neighbourhood& neighbours, int threads) {
  Team team(threads);
  const double size_of_b = start(system, x, neighbours, team);
  const double goal = options_.tolerance * options_.tolerance * size_of_b;
  Norms norms = total_norms(neighbours);
  SolveReport report;
  history_.add(norms.squared);
  while (norms.squared > goal && report.iterations < options_.max_iterations) {
    advance(system, x, norms.energy / apply(system, neighbours, team), team);
    const double before = std::exchange(norms, total_norms(neighbours)).energy;
    history_.add(norms.squared);
    ++report.iterations;
    turn(system, norms.energy / before, team);
  }
  if (!options_.hash_iterates) {
    for_each_strip(strips_, team, [&](std::size_t strip) { hash(x, strip); });
  }
  report.relative_residual = size_of_b > 0.0 ? std::sqrt(norms.squared / size_of_b) : 0.0;
  report.threads = team.ran;
  return report;
}

// residual = b - A x, direction = residual / diagonal; leaves the strips' parts in strip_norms_. Returns (b, b).
double ConjugateGradients::start(const System& system, RowField& x, Neighbourhood& neighbours, Team& team) {
  const int nx = x.nx();
  for_each_strip(strips_, team, [&](std::size_t strip) {
    double squared = 0.0;
    for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) {
      x.wrap_row(j);
      squared += ordered_dot(system.right_hand.row(j), system.right_hand.row(j), nx);
    }
    partial_[strip] = squared;
  });
  const double size_of_b = total(neighbours);
  neighbours.exchange_rows(x);
  for_each_strip(strips_, team, [&](std::size_t strip) {
    apply_strip(system, x, product_, strips_[strip]);
    strip_norms_[strip] = {0.0, 0.0};
    for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) {
      double* residual = residual_.row(j);
      for (int i = 0; i < nx; ++i) residual[i] = system.right_hand.row(j)[i] - product_.row(j)[i];
      add_norms(residual, system.inverse_diagonal.row(j), nx, direction_.row(j), strip_norms_[strip]);
      direction_.wrap_row(j);
    }
  });
  return size_of_b;
}

// product = A direction; returns (direction, product).
double ConjugateGradients::apply(const System& system, Neighbourhood& neighbours, Team& team) {
  neighbours.exchange_rows(direction_);
  for_each_strip(strips_, team, [&](std::size_t strip) {
    partial_[strip] = apply_strip(system, direction_, product_, strips_[strip]);
  });
  return total(neighbours);
}

// x += step direction, residual -= step product, and the parts of the new norms.
void ConjugateGradients::advance(const System& system, RowField& x, double step, Team& team) {
  const int nx = x.nx();
  for_each_strip(strips_, team, [&](std::size_t strip) {
    strip_norms_[strip] = {0.0, 0.0};
    for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) {
      double* __restrict out = x.row(j);
      double* __restrict residual = residual_.row(j);
      double* __restrict product = product_.row(j);
      const double* __restrict direction = direction_.row(j);
      for (int i = 0; i < nx; ++i) {
        out[i] += step * direction[i];
        residual[i] -= step * product[i];
      }
      // The product is not needed any more: its row is the scratch of the norms.
      add_norms(residual, system.inverse_diagonal.row(j), nx, product, strip_norms_[strip]);
    }
    if (options_.hash_iterates) hash(x, strip);
  });
}

void ConjugateGradients::turn(const System& system, double beta, Team& team) {
  for_each_strip(strips_, team, [&](std::size_t strip) {
    for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) {
      turn_row(residual_.row(j), system.inverse_diagonal.row(j), beta, residual_.nx(), direction_.row(j));
      direction_.wrap_row(j);
    }
  });
}

void ConjugateGradients::hash(const RowField& x, std::size_t strip) {
  for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) {
    iterates_[strip].add(std::span<const double>(x.row(j), static_cast<std::size_t>(x.nx())));
  }
}

double ConjugateGradients::true_residual(const System& system, RowField& x, Neighbourhood& neighbours, int threads) {
  Team team(threads);
  const double size_of_b = start(system, x, neighbours, team);
  const double squared = total_norms(neighbours).squared;
  return size_of_b > 0.0 ? std::sqrt(squared / size_of_b) : 0.0;
}

ConjugateGradients::Norms ConjugateGradients::total_norms(Neighbourhood& neighbours) const {
  std::vector<double> local;
  for (const Norms& strip : strip_norms_) local.insert(local.end(), {strip.energy, strip.squared});
  std::array<double, 2> totals{};
  neighbours.sum(local, totals);
  return {totals[0], totals[1]};
}

double ConjugateGradients::total(Neighbourhood& neighbours) const {
  double sum = 0.0;
  neighbours.sum(partial_, std::span<double>(&sum, 1));
  return sum;
}

}  // namespace twomesh::l1
