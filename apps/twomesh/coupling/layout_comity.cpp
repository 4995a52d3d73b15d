// SPDX-License-Identifier: BSD-3-Clause
// Comity moves the ranks between phases. comity, comity-callee, full-under: every rank sits alone on a core; for L1 a
// few leaders take the node while the others rest, and in full-under a few ranks keep a core each for L0's narrow gas
// steps. under-full: every rank is a leader of its share of the node.
#include <omp.h>

#include <algorithm>
#include <comity/comity_mpi.hpp>
#include <cstdint>
#include <iterator>
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

struct Choice {
  comity::Resource resource;
  int per;      // [ranks] on each of it; 0: all
  int width;    // [cores] of each; 0: its whole share of the resource
  int threads;  // [threads] of each; 0: as many as it has cores
};

class ComityLayout final : public Layout {
 public:
  ComityLayout(MPI_Comm communicator, const Choice& choice)
      : context_(comity::make_context(communicator)), choice_(choice) {
    require_resource(communicator);
    if (choice_.per == 0) choice_.per = context_.size();
    context_.spread(comity::Resource::core);
    selected_ = context_.distribute(choice_.resource, choice_.per).selected;
    find_ranks(communicator);
  }

  [[nodiscard]] const std::vector<int>& ranks() const override { return ranks_; }

  void run(const std::function<void(int team)>& body) override {
    const auto sized = [&] { body(choice_.threads > 0 ? choice_.threads : omp_get_max_threads()); };
    const bool ran = context_.phase(choice_.resource, choice_.per, sized, choice_.width);
    if (ran != selected_) throw std::runtime_error("Comity selected other ranks than at the start of the run");
  }

 private:
  void require_resource(MPI_Comm communicator) const {
    int count = 0;  // of those with CPUs
    for (int index = 0; index < context_.count(choice_.resource); ++index) {
      const comity_cpuset set = context_.cpuset(choice_.resource, index);
      count += std::any_of(std::begin(set.words), std::end(set.words), [](std::uint64_t word) { return word != 0; });
    }
    MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_INT, MPI_MIN, communicator);
    if (count > 0) return;
    throw missing_resource(comity_type_name(static_cast<comity_type>(choice_.resource)));
  }

  void find_ranks(MPI_Comm communicator) {
    std::vector<int> chosen(static_cast<std::size_t>(parallel::size_of(communicator)));
    const int mine = selected_ ? 1 : 0;
    MPI_Allgather(&mine, 1, MPI_INT, chosen.data(), 1, MPI_INT, communicator);
    for (std::size_t rank = 0; rank < chosen.size(); ++rank) {
      if (chosen[rank] != 0) ranks_.push_back(static_cast<int>(rank));
    }
  }

  comity::Context context_;
  Choice choice_;
  bool selected_ = false;
  std::vector<int> ranks_;
};

}  // namespace

LayoutError missing_resource(const std::string& name) {
  return LayoutError(
      "layout.resource \"" + name +
      "\": a node of this job has none with CPUs; `comity topo` shows what it has, and \"machine\" is always there");
}

std::unique_ptr<Layout> make_comity_layout(MPI_Comm communicator, const LayoutOptions& options) {
  const bool all_wide = options.mode == Mode::under_full;
  const Choice all{comity::Resource::machine, 0, 0, options.threads};
  const Choice leaders{resource_named(options.resource), options.per, 0, options.threads};
  return std::make_unique<ComityLayout>(communicator, all_wide ? all : leaders);
}

std::unique_ptr<Layout> make_narrow_layout(MPI_Comm communicator, const LayoutOptions& options) {
  const Choice few{resource_named(options.resource), options.narrow_per, 1, 1};
  return std::make_unique<ComityLayout>(communicator, few);
}

}  // namespace twomesh::coupling
