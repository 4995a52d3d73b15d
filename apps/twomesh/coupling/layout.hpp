// SPDX-License-Identifier: BSD-3-Clause
// Layout: which ranks run a phase, how wide, and what the others do meanwhile. L1 has one in every mode, L0 one of its own
// in full-under. Numerics and remap see a list of ranks and a team size.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "coupling/mode.hpp"

namespace twomesh::coupling {

struct LayoutOptions {
  Mode mode = Mode::under;
  int threads = 0;                // [threads a wide rank] 0: as many as the binding has cores
  std::string resource = "numa";  // comity modes: what a wide rank gets: machine, package, numa, l3
  int per = 1;                    // [ranks] comity modes: wide ranks on each of it
  int narrow_per = 2;             // [ranks] full-under: those on each of it that run L0's narrow gas steps
};

// What was asked for is not to be had on these nodes: thrown by all ranks alike.
class LayoutError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "numa", as the configuration names it.
[[nodiscard]] LayoutError missing_resource(const std::string& name);

class Layout {
 public:
  virtual ~Layout() = default;
  // Ranks of the communicator that run the phase, ascending; the same on every rank and for the whole run.
  [[nodiscard]] virtual const std::vector<int>& ranks() const = 0;
  // Collective. Runs body(team size) on those ranks while the others wait or rest.
  virtual void run(const std::function<void(int team)>& body) = 0;
};

// L1's. Collective over the communicator, which stays the caller's and outlives the layout.
[[nodiscard]] std::unique_ptr<Layout> make_layout(MPI_Comm communicator, const LayoutOptions& options);

// That of L0's narrow gas steps: few ranks, each alone on one core, as far apart as their resource allows. Likewise.
[[nodiscard]] std::unique_ptr<Layout> make_narrow_layout(MPI_Comm communicator, const LayoutOptions& options);

// The parts that make_layout chooses from: every rank is wide (under, over); Comity moves ranks (the other modes).
[[nodiscard]] std::unique_ptr<Layout> make_static_layout(MPI_Comm communicator, const LayoutOptions& options);
[[nodiscard]] std::unique_ptr<Layout> make_comity_layout(MPI_Comm communicator, const LayoutOptions& options);

}  // namespace twomesh::coupling
