// SPDX-License-Identifier: BSD-3-Clause
// Every rank runs both libraries, as the launcher placed it: `under` and `over` differ in how the job is launched.
#include <omp.h>

#include <numeric>

#include "coupling/layout.hpp"
#include "parallel/communicator.hpp"

namespace twomesh::coupling {
namespace {

class StaticLayout final : public Layout {
 public:
  StaticLayout(int ranks, int threads) : ranks_(static_cast<std::size_t>(ranks)), threads_(threads) {
    std::iota(ranks_.begin(), ranks_.end(), 0);
  }

  [[nodiscard]] const std::vector<int>& ranks() const override { return ranks_; }
  void run(const std::function<void(int team)>& body) override {
    body(threads_ > 0 ? threads_ : omp_get_max_threads());
  }

 private:
  std::vector<int> ranks_;
  int threads_;
};

}  // namespace

std::unique_ptr<Layout> make_static_layout(MPI_Comm communicator, const LayoutOptions& options) {
  return std::make_unique<StaticLayout>(parallel::size_of(communicator), options.threads);
}

std::unique_ptr<Layout> make_layout(MPI_Comm communicator, const LayoutOptions& options) {
  const bool launched_wide = options.mode == Mode::under || options.mode == Mode::over;
  return launched_wide ? make_static_layout(communicator, options) : make_comity_layout(communicator, options);
}

}  // namespace twomesh::coupling
