// SPDX-License-Identifier: BSD-3-Clause
#include "l1/conduction.hpp"

#include <algorithm>
#include <cmath>

namespace twomesh::l1 {
namespace {

Strips local_strips(const Tiling& tiling, int first, int last) {
  Strips strips;
  for (int tile = first; tile < last; ++tile) {
    const int origin = tiling.tiles[static_cast<std::size_t>(first)].y0;
    const Rect& rows = tiling.tiles[static_cast<std::size_t>(tile)];
    strips.push_back({rows.y0 - origin, rows.y1 - origin});
  }
  return strips;
}

int rows_in(const Strips& strips) { return strips.empty() ? 0 : strips.back().end; }

}  // namespace

Conduction::Conduction(const Tiling& tiling, int first, int last, const Material& material,
                       const SolverOptions& options)
    : grid_(tiling.grid),
      material_(material),
      strips_(local_strips(tiling, first, last)),
      rows_(rows_in(strips_)),
      fields_{RowField(grid_.nx, rows_), RowField(grid_.nx, rows_), RowField(grid_.nx, rows_),
              RowField(grid_.nx, rows_)},
      conductivity_(grid_.nx, rows_),
      heat_capacity_(grid_.nx, rows_),
      temperature_(grid_.nx, rows_),
      gain_(grid_.nx, rows_),
      system_(grid_.nx, rows_),
      solver_(grid_.nx, rows_, strips_, options) {}

SolveReport Conduction::step(double dt, Neighbourhood& neighbours, int threads) {
  Team team(threads);
  set_material(team);
  neighbours.exchange_rows(conductivity_);
  const double per_dx2 = dt / (grid_.dx() * grid_.dx());
  const double per_dy2 = dt / (grid_.dy() * grid_.dy());
  for_each_strip(strips_, team, [&](std::size_t strip) {
    assemble_strip(system_, conductivity_, heat_capacity_, per_dx2, per_dy2, strips_[strip]);
  });
  SolveReport report = solver_.solve(system_, temperature_, neighbours, threads);
  for_each_strip(strips_, team, [&](std::size_t strip) {
    for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) temperature_.wrap_row(j);
  });
  neighbours.exchange_rows(temperature_);
  for_each_strip(strips_, team,
                 [&](std::size_t strip) { heat_gain_strip(system_, temperature_, gain_, strips_[strip]); });
  report.threads = std::min(report.threads, team.ran);
  return report;
}

double Conduction::true_residual(Neighbourhood& neighbours, int threads) {
  return solver_.true_residual(system_, temperature_, neighbours, threads);
}

// Heat capacity, conductivity, old temperature and right-hand side (heat per volume) from the conserved fields.
void Conduction::set_material(Team& team) {
  const int nx = grid_.nx;
  for_each_strip(strips_, team, [&](std::size_t strip) {
    for (int j = strips_[strip].begin; j < strips_[strip].end; ++j) {
      const double* __restrict density = field(l0::kDensity).row(j);
      const double* __restrict x = field(l0::kMomentumX).row(j);
      const double* __restrict y = field(l0::kMomentumY).row(j);
      const double* __restrict energy = field(l0::kEnergy).row(j);
      double* __restrict capacity = heat_capacity_.row(j);
      double* __restrict conductivity = conductivity_.row(j);
      double* __restrict temperature = temperature_.row(j);
      double* __restrict heat = system_.right_hand.row(j);
#pragma omp simd
      for (int i = 0; i < nx; ++i) {
        const double squared = x[i] * x[i] + y[i] * y[i];
        capacity[i] = density[i] * kHeatCapacity;
        conductivity[i] = material_.conductivity * (density[i] + material_.mixing * std::sqrt(squared));
        heat[i] = energy[i] - 0.5 * squared / density[i];
        temperature[i] = heat[i] / capacity[i];
      }
      conductivity_.wrap_row(j);
    }
  });
}

}  // namespace twomesh::l1
