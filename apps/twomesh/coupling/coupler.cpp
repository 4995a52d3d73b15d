// SPDX-License-Identifier: BSD-3-Clause
#include "coupling/coupler.hpp"

#include <comity/comity.hpp>

namespace twomesh::coupling {
namespace {

// Gather to the wide ranks, run wide, scatter back: the same three steps whoever takes them.
void conduct_wide(Heat& heat, Layout& layout, l0::Hydro& hydro, double dt, Trace& trace) {
  {
    const comity::Region region("remap");
    heat.gather(hydro);
  }
  trace.mark(Mark::gathered);
  {
    const comity::Region region("l1");
    layout.run([&](int team) {
      trace.begin_wide(team);
      heat.solve(dt, team);
      trace.end_wide(team);
    });
  }
  trace.mark(Mark::resumed);
  {
    const comity::Region region("remap");
    heat.scatter(hydro);
  }
  trace.mark(Mark::scattered);
}

// The program that calls L1 chooses the layout and moves the data (the paper's Example 1).
class CallerDriven final : public Coupler {
 public:
  CallerDriven(MPI_Comm communicator, const LayoutOptions& layout, const HeatOptions& heat, const l0::Hydro& hydro)
      : layout_(make_layout(communicator, layout)), heat_(communicator, heat, hydro, layout_->ranks()) {}

  void conduct(l0::Hydro& hydro, double dt, Trace& trace) override { conduct_wide(heat_, *layout_, hydro, dt, trace); }
  [[nodiscard]] Heat& heat() override { return heat_; }

 private:
  std::unique_ptr<Layout> layout_;
  Heat heat_;
};

// L1 as a library that looks after itself: its caller hands over fields where they lie and knows of no
// layout. The library makes its own at the first call.
class ConductionLibrary {
 public:
  ConductionLibrary(MPI_Comm communicator, const LayoutOptions& layout, const HeatOptions& heat)
      : communicator_(communicator), layout_options_(layout), heat_options_(heat) {}

  void solve(l0::Hydro& fields, double dt, Trace& trace) {
    if (!layout_) {
      layout_ = make_layout(communicator_, layout_options_);
      heat_ = std::make_unique<Heat>(communicator_, heat_options_, fields, layout_->ranks());
    }
    conduct_wide(*heat_, *layout_, fields, dt, trace);
  }
  [[nodiscard]] Heat& heat() { return *heat_; }

 private:
  MPI_Comm communicator_;
  LayoutOptions layout_options_;
  HeatOptions heat_options_;
  std::unique_ptr<Layout> layout_;
  std::unique_ptr<Heat> heat_;
};

// The oblivious caller of such a library.
class CalleeDriven final : public Coupler {
 public:
  CalleeDriven(MPI_Comm communicator, const LayoutOptions& layout, const HeatOptions& heat)
      : library_(communicator, layout, heat) {}

  void conduct(l0::Hydro& hydro, double dt, Trace& trace) override { library_.solve(hydro, dt, trace); }
  [[nodiscard]] Heat& heat() override { return library_.heat(); }

 private:
  ConductionLibrary library_;
};

}  // namespace

std::unique_ptr<Coupler> make_coupler(MPI_Comm communicator, const LayoutOptions& layout, const HeatOptions& heat,
                                      const l0::Hydro& hydro) {
  if (layout.mode == Mode::comity_callee) return std::make_unique<CalleeDriven>(communicator, layout, heat);
  return std::make_unique<CallerDriven>(communicator, layout, heat, hydro);
}

}  // namespace twomesh::coupling
