// SPDX-License-Identifier: BSD-3-Clause
// Initial states by name. Each is a function of the place alone, so every decomposition starts from the same bits.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "l0/gas.hpp"

namespace twomesh::l0 {

using Initial = std::function<Primitive(double x, double y)>;  // on the unit square

// "blobs": hot spots in a shear flow; "blast": one hot spot in gas at rest; "wave": a density wave that only moves.
[[nodiscard]] std::span<const std::string_view> problem_names();
// The named state; the name must be one of problem_names().
[[nodiscard]] Initial problem(std::string_view name);

// Sod's shock tube along x with the membrane at x = 0.5, and its exact density at a place and time.
[[nodiscard]] Primitive sod_initial(double x, double y);
[[nodiscard]] double sod_density(double x, double time);

}  // namespace twomesh::l0
