// SPDX-License-Identifier: BSD-3-Clause
// Comity moves the ranks between phases. comity, comity-callee: every rank sits alone on a core; for L1 a few
// leaders take the node while the others rest. under-full: every rank is a leader of its share of the node.
#include <omp.h>

#include <comity/comity_mpi.hpp>
#include <stdexcept>

#include "coupling/layout.hpp"
#include "parallel/communicator.hpp"

namespace twomesh::coupling {
namespace {

comity::Resource resource_named(const std::string& name) {
  if (name == "machine") return comity::Resource::machine;
  if (name == "package") return comity::Resource::package;
  if (name == "l3") return comity::Resource::l3;
  return comity::Resource::numa;
}

class ComityLayout final : public Layout {
 public:
  ComityLayout(MPI_Comm communicator, const LayoutOptions& options)
      : context_(comity::make_context(communicator)), threads_(options.threads) {
    const bool all_wide = options.mode == Mode::under_full;
    resource_ = all_wide ? comity::Resource::machine : resource_named(options.resource);
    per_ = all_wide ? context_.size() : options.per;
    context_.spread(comity::Resource::core);
    selected_ = context_.distribute(resource_, per_).selected;
    find_wide_ranks(communicator);
  }

  [[nodiscard]] const std::vector<int>& wide_ranks() const override { return wide_ranks_; }

  void run_wide(const std::function<void(int team)>& body) override {
    const bool ran = context_.phase(resource_, per_, [&] { body(threads_ > 0 ? threads_ : omp_get_max_threads()); });
    if (ran != selected_) throw std::runtime_error("Comity selected other ranks than at the start of the run");
  }

 private:
  void find_wide_ranks(MPI_Comm communicator) {
    std::vector<int> chosen(static_cast<std::size_t>(parallel::size_of(communicator)));
    const int mine = selected_ ? 1 : 0;
    MPI_Allgather(&mine, 1, MPI_INT, chosen.data(), 1, MPI_INT, communicator);
    for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
      if (chosen[rank] != 0) wide_ranks_.push_back(static_cast<int>(rank));
    }
  }

  comity::Context context_;
  int threads_;
  comity::Resource resource_ = comity::Resource::machine;
  int per_ = 1;
  bool selected_ = false;
  std::vector<int> wide_ranks_;
};

}  // namespace

std::unique_ptr<Layout> make_comity_layout(MPI_Comm communicator, const LayoutOptions& options) {
  return std::make_unique<ComityLayout>(communicator, options);
}

}  // namespace twomesh::coupling
