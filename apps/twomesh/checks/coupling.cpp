// SPDX-License-Identifier: BSD-3-Clause
// The joint between L0 and L1. L1's mesh is 2 x 3 times as fine, so that a cell of L0 is six whole cells of L1. Then
// two things are known exactly: each of the six holds what the cell held, and comes back as that; and one wave of heat
// in uniform gas stays this wave, smaller by a factor that backward Euler, stencil and remap give in closed form.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "checks/check.hpp"
#include "checks/rough.hpp"
#include "coupling/simulation.hpp"
#include "mesh/counted.hpp"

namespace twomesh::checks {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr int kFinerX = 2, kFinerY = 3;
constexpr Grid kGasGrid{32, 24};

l0::HydroOptions gas_options() {
  l0::HydroOptions options;
  options.grid = kGasGrid;
  options.block_nx = 8;
  options.block_ny = 6;
  return options;
}

coupling::HeatOptions heat_options(const l1::Material& material) {
  coupling::HeatOptions options;
  options.grid = {kGasGrid.nx * kFinerX, kGasGrid.ny * kFinerY};
  options.strip_rows = 4;
  options.material = material;
  options.solver = {1e-13, 1000, false};
  options.back = coupling::Return::all;
  return options;
}

// act(value, field, column, row of the grid) for each local cell of L0.
template <typename Act>
void for_each_value(l0::Hydro& hydro, Act act) {
  for (l0::Block& block : hydro.blocks()) {
    for (int field = 0; field < l0::kFields; ++field) {
      for (int j = 0; j < block.ny(); ++j) {
        for (int i = 0; i < block.nx(); ++i) {
          act(block.state[static_cast<std::size_t>(field)][block.at(i, j)], field, block.cells().x0 + i,
              block.cells().y0 + j);
        }
      }
    }
  }
}

double worst_of_all(MPI_Comm communicator, double worst) {
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, communicator);
  return worst;
}

// --- Every field of every cell ---

// No two fields, no two cells alike; heat stays above zero.
double sent_value(int field, int i, int j) {
  constexpr std::array<double, l0::kFields> kScale{1.0, 0.3, -0.2, 4.0};
  return kScale[static_cast<std::size_t>(field)] * rough(i + kGasGrid.nx * field, j);
}

// Largest relative error of a field on tiles of a grid that is finer than L0's by the factors.
double worst_error(const std::vector<remap::ConstTile>& tiles, int field, int finer_x, int finer_y) {
  double worst = 0.0;
  for (const remap::ConstTile& tile : tiles) {
    for (int j = tile.cells.y0; j < tile.cells.y1; ++j) {
      const double* row = tile.values + (j - tile.cells.y0) * tile.pitch;
      for (int i = tile.cells.x0; i < tile.cells.x1; ++i) {
        const double sent = sent_value(field, i / finer_x, j / finer_y);
        worst = std::max(worst, counted(std::fabs((row[i - tile.cells.x0] - sent) / sent)));
      }
    }
  }
  return worst;
}

struct RoundTrip {
  double there, back;
};

RoundTrip round_trip(MPI_Comm communicator, int threads) {
  std::vector<int> half;  // every other rank
  for (int rank = 0; rank < parallel::size_of(communicator); rank += 2) half.push_back(rank);
  l0::Hydro hydro(communicator, gas_options());
  for_each_value(hydro, [](double& value, int field, int i, int j) { value = sent_value(field, i, j); });
  coupling::Heat heat(communicator, heat_options({0.1, 0.5}), hydro, half);
  heat.gather(hydro);
  RoundTrip errors{0.0, 0.0};
  for (int field = 0; field < l0::kFields; ++field) {
    errors.there = std::max(errors.there, worst_error(heat.held(field), field, kFinerX, kFinerY));
  }
  if (parallel::rank_in(communicator) % 2 == 0) heat.solve(0.01, threads);
  heat.scatter(hydro);
  for (const int field : {l0::kDensity, l0::kMomentumX, l0::kMomentumY}) {
    errors.back = std::max(errors.back, worst_error(heat.returned(hydro, field), field, 1, 1));
  }
  return {worst_of_all(communicator, errors.there), worst_of_all(communicator, errors.back)};
}

// --- The decay of one wave of heat ---

constexpr double kUniformDensity = 1.3, kUniformMomentumX = 0.36, kUniformMomentumY = -0.48;  // a momentum of 0.6
constexpr double kTemperature = 1.5, kAmplitude = 0.5;
constexpr int kWavesX = 3, kWavesY = 2;
constexpr l1::Material kMaterial{0.05, 0.7};
constexpr double kStep = 0.05;
constexpr int kSteps = 3;

double wave(int i, int j) {
  return std::cos(kTurn * kWavesX * kGasGrid.x_centre(i)) * std::sin(kTurn * kWavesY * kGasGrid.y_centre(j));
}

double gas_value(int field, double temperature) {
  const double kinetic =
      0.5 * (kUniformMomentumX * kUniformMomentumX + kUniformMomentumY * kUniformMomentumY) / kUniformDensity;
  const std::array<double, l0::kFields> values{kUniformDensity, kUniformMomentumX, kUniformMomentumY,
                                               kUniformDensity * kHeatCapacity * temperature + kinetic};
  return values[static_cast<std::size_t>(field)];
}

// What L1's finer mesh sees of a wave along one axis: the steps that the remap makes of it are `finer` waves, all of
// which average to the same coarse wave. `share`: what each contributes; `eigenvalue`: of minus the second difference.
struct FineWave {
  double share, eigenvalue;
};

std::vector<FineWave> fine_waves(int waves, int coarse_cells, int finer) {
  const double angle = kTurn * waves / coarse_cells;  // from a coarse cell to the next
  std::vector<FineWave> all;
  for (int alias = 0; alias < finer; ++alias) {
    const double half = 0.5 * (angle + kTurn * alias) / finer;  // half the angle from a fine cell to the next
    const double seen = std::sin(0.5 * angle) / (finer * std::sin(half));
    const double per_cell = 2.0 * std::sin(half) * coarse_cells * finer;
    all.push_back({seen * seen, per_cell * per_cell});
  }
  return all;
}

// By how much conduction over a time multiplies the wave.
double exact_factor(double time, const l1::Material& material) {
  const double speed = std::hypot(kUniformMomentumX, kUniformMomentumY);
  const double conductivity = material.conductivity * (kUniformDensity + material.mixing * speed);
  const double diffusion = time * conductivity / (kUniformDensity * kHeatCapacity);
  double factor = 0.0;
  for (const FineWave& x : fine_waves(kWavesX, kGasGrid.nx, kFinerX)) {
    for (const FineWave& y : fine_waves(kWavesY, kGasGrid.ny, kFinerY)) {
      factor += x.share * y.share / (1.0 + diffusion * (x.eigenvalue + y.eigenvalue));
    }
  }
  return factor;
}

// Largest error of any field after coupled steps without gas steps, against the wave's energy at their start.
double decay_error(MPI_Comm communicator, int threads) {
  l0::Hydro hydro(communicator, gas_options());
  for_each_value(hydro, [](double& value, int field, int i, int j) {
    value = gas_value(field, kTemperature + kAmplitude * wave(i, j));
  });
  coupling::LayoutOptions layout;
  layout.threads = threads;
  const auto coupler = coupling::make_coupler(communicator, layout, heat_options(kMaterial), hydro);
  coupling::Trace trace(communicator, coupling::Timeline::off);
  for (int step = 0; step < kSteps; ++step) {
    trace.begin_step();
    coupler->conduct(hydro, kStep, trace);
  }
  const double left = kAmplitude * std::pow(exact_factor(kStep, kMaterial), kSteps);
  double worst = 0.0;
  for_each_value(hydro, [&](double value, int field, int i, int j) {
    const double error = std::fabs(value - gas_value(field, kTemperature + left * wave(i, j)));
    worst = std::max(worst, counted(error / (kUniformDensity * kHeatCapacity * kAmplitude)));
  });
  return worst_of_all(communicator, worst);
}

// --- The same wave in a step of both libraries ---

// The gas steps are so short that it hardly moves, and conduction so strong that the wave shrinks all the same.
constexpr double kShortCourant = 0.05;
constexpr int kGasSteps = 3;
constexpr l1::Material kStrong{0.5, 0.7};

void start_wave(l0::Hydro& hydro) {
  for_each_value(hydro, [](double& value, int field, int i, int j) {
    value = gas_value(field, kTemperature + kAmplitude * wave(i, j));
  });
}

double time_of_gas(MPI_Comm communicator, const l0::HydroOptions& options) {
  l0::Hydro gas(communicator, options);
  start_wave(gas);
  double time = 0.0;
  for (int step = 0; step < kGasSteps; ++step) {
    const double dt = gas.stable_step();
    gas.step(dt);
    time += dt;
  }
  return time;
}

// Whether conduction takes the time of all gas steps: how much of the wave is left, against what is to be left.
double both_error(MPI_Comm communicator, int threads) {
  l0::HydroOptions options = gas_options();
  options.courant = kShortCourant;
  l0::Hydro hydro(communicator, options);
  start_wave(hydro);
  coupling::LayoutOptions layout;
  layout.threads = threads;
  const auto coupler = coupling::make_coupler(communicator, layout, heat_options(kStrong), hydro);
  coupling::AdvanceOptions steps;
  steps.substeps = kGasSteps;
  const auto gas = coupling::make_advance(communicator, steps, layout, hydro);
  coupling::Trace trace(communicator, coupling::Timeline::off);
  const double told = coupling::coupled_step(hydro, *gas, *coupler, trace);
  std::array<double, 2> sums{0.0, 0.0};  // what is left, and what there was
  for_each_value(hydro, [&](double value, int field, int i, int j) {
    if (field != l0::kEnergy) return;
    sums[0] += value * wave(i, j);
    sums[1] += kUniformDensity * kHeatCapacity * kAmplitude * wave(i, j) * wave(i, j);
  });
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, communicator);
  const double time = time_of_gas(communicator, options);
  const double left = std::fabs(sums[0] / sums[1] / exact_factor(time, kStrong) - 1.0);
  return std::max(counted(left), counted(std::fabs(told / time - 1.0)));
}

}  // namespace

CheckResult check_coupling(MPI_Comm communicator, int threads) {
  constexpr double kRemapBound = 1e-14;
  constexpr double kDecayBound = 1e-11;
  constexpr double kBothBound = 0.02;
  const RoundTrip trip = round_trip(communicator, threads);
  const double decay = decay_error(communicator, threads);
  const double both = both_error(communicator, threads);
  return {"coupling",
          std::max(trip.there, trip.back) <= kRemapBound && decay <= kDecayBound && both <= kBothBound,
          {{"there", trip.there},
           {"back", trip.back},
           {"decay", decay},
           {"factor", exact_factor(kStep, kMaterial)},
           {"both_libraries", both},
           {"both_bound", kBothBound},
           {"remap_bound", kRemapBound},
           {"decay_bound", kDecayBound}}};
}

}  // namespace twomesh::checks
