// SPDX-License-Identifier: BSD-3-Clause
#include "coupling/advance.hpp"

#include <utility>
#include <vector>

#include "l0/migration.hpp"
#include "parallel/communicator.hpp"

namespace twomesh::coupling {
namespace {

// Returns `elapsed` with the steps added one by one, so that the sum has the same bits whoever takes which step.
double gas_steps(l0::Hydro& hydro, int count, double elapsed) {
  for (int step = 0; step < count; ++step) {
    const double dt = hydro.stable_step();
    hydro.step(dt);
    elapsed += dt;
  }
  return elapsed;
}

class EveryRank final : public Advance {
 public:
  explicit EveryRank(const AdvanceOptions& options) : substeps_(options.substeps) {}

  double advance(l0::Hydro& hydro, Trace& /*trace*/) override { return gas_steps(hydro, substeps_, 0.0); }
  [[nodiscard]] int narrow_ranks() const override { return 0; }

 private:
  int substeps_;
};

// The few ranks hold a second set of blocks, all of the mesh between them. The layout is L0's own: L1 makes another, and
// neither knows of the other.
class LastOnFew final : public Advance {
 public:
  LastOnFew(MPI_Comm communicator, const AdvanceOptions& options, const LayoutOptions& layout, const l0::Hydro& hydro)
      : communicator_(communicator),
        options_(options),
        layout_(make_narrow_layout(communicator, layout)),
        few_owners_(hydro.tiling().count(), layout_->ranks()),
        there_(communicator, hydro.ownership(), few_owners_),
        back_(communicator, few_owners_, hydro.ownership()) {
    const bool is_one = few_owners_.part_on(parallel::rank_in(communicator)) >= 0;
    parallel::Communicator few = parallel::Communicator::subset(communicator, is_one);
    if (is_one) few_ = std::make_unique<Few>(std::move(few), hydro.options());
  }

  double advance(l0::Hydro& hydro, Trace& trace) override {
    double elapsed = gas_steps(hydro, options_.substeps - options_.narrow_substeps, 0.0);
    trace.mark(Mark::full_done);
    there_.move(hydro.blocks(), few_blocks());
    trace.mark(Mark::collected);
    layout_->run([&](int /*team*/) {
      trace.mark(Mark::narrow_start);
      elapsed = gas_steps(few_->hydro, options_.narrow_substeps, elapsed);
      trace.mark(Mark::narrow_done);
    });
    trace.mark(Mark::narrow_resumed);
    back_.move(few_blocks(), hydro.blocks());
    MPI_Bcast(&elapsed, 1, MPI_DOUBLE, few_owners_.rank_of_part(0), communicator_);
    trace.mark(Mark::returned);
    return elapsed;
  }
  [[nodiscard]] int narrow_ranks() const override { return few_owners_.parts(); }

 private:
  struct Few {  // what only the few have
    Few(parallel::Communicator own, const l0::HydroOptions& options)
        : communicator(std::move(own)), hydro(communicator.handle(), options) {}
    parallel::Communicator communicator;
    l0::Hydro hydro;
  };

  [[nodiscard]] std::span<l0::Block> few_blocks() {
    return few_ ? std::span<l0::Block>(few_->hydro.blocks()) : std::span<l0::Block>();
  }

  MPI_Comm communicator_;
  AdvanceOptions options_;
  std::unique_ptr<Layout> layout_;
  Ownership few_owners_;
  l0::Migration there_, back_;
  std::unique_ptr<Few> few_;
};

}  // namespace

std::unique_ptr<Advance> make_advance(MPI_Comm communicator, const AdvanceOptions& options, const LayoutOptions& layout,
                                      const l0::Hydro& hydro) {
  if (layout.mode != Mode::full_under) return std::make_unique<EveryRank>(options);
  return std::make_unique<LastOnFew>(communicator, options, layout, hydro);
}

}  // namespace twomesh::coupling
