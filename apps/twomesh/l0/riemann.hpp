// SPDX-License-Identifier: BSD-3-Clause
// The exact solution of the one-dimensional Riemann problem of an ideal gas: two states meet at x = 0 at t = 0 (Toro,
// Riemann Solvers and Numerical Methods for Fluid Dynamics, chapter 4). Not for states that leave a vacuum.
#pragma once

namespace twomesh::l0 {

struct LineState {
  double density, velocity, pressure;
};

class ExactRiemann {
 public:
  ExactRiemann(const LineState& left, const LineState& right);

  [[nodiscard]] double contact_pressure() const { return pressure_; }
  [[nodiscard]] double contact_velocity() const { return velocity_; }
  // The state on the ray x / t = speed.
  [[nodiscard]] LineState sample(double speed) const;

 private:
  LineState left_, right_;
  double pressure_ = 0.0, velocity_ = 0.0;  // between the two outer waves
};

}  // namespace twomesh::l0
