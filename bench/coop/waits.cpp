// SPDX-License-Identifier: BSD-3-Clause
// One rank computes with a thread on every core while the others wait for it, in four calls. A job of one rank is the
// ideal: the same samples, and nobody who waits. Its clock runs from before the work until its own call has returned.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "coop/cases.hpp"
#include "coop/wait_kind.hpp"
#include "quiesce/kernel.hpp"

namespace bench::coop {
namespace {

class Experiment {
 public:
  Experiment(const World& world, const Arguments& arguments) : world_(world), arguments_(arguments) {
    if (arguments_.units == 0) throw std::runtime_error("waits: --units is needed; --case kernel_units finds it out");
    if (world_.rank == 0) kernel_ = std::make_unique<quiesce::Kernel>(arguments_.threads);
  }

  Found run() {
    Found found;
    for (const WaitKind& kind : kWaitKinds) {
      found.outcomes.push_back({"quiesce_" + std::string(kind.name), "ns", "the computing rank alone", {}, {}});
    }
    (void)sample(kWaitKinds.front(), 1);                            // threads are born, pages touched
    for (const WaitKind& kind : kWaitKinds) (void)sample(kind, 0);  // what is made once for a call is made
    std::array<double, kWaitKinds.size()> waiters_cpu_ns{};
    for (int count = 0; count < arguments_.samples; ++count) {  // in turn: a drift reaches all alike
      for (std::size_t kind = 0; kind < kWaitKinds.size(); ++kind) {
        const Sample one = sample(kWaitKinds[kind], arguments_.units);
        found.outcomes[kind].values.push_back(one.wall_ns);
        waiters_cpu_ns[kind] += one.waiter_cpu_ns;
      }
    }
    for (std::size_t kind = 0; world_.size > 1 && kind < kWaitKinds.size(); ++kind) {
      Outcome& outcome = found.outcomes[kind];
      const double wall_ns = std::accumulate(outcome.values.begin(), outcome.values.end(), 0.0);
      outcome.extra.emplace_back("waiter_cpu_percent", 100 * waiters_cpu_ns[kind] / wall_ns);
    }
    if (world_.rank == 0) found.work = std::to_string(kernel_->checksum());
    return found;
  }

 private:
  struct Sample {
    double wall_ns;        // on the computing rank
    double waiter_cpu_ns;  // of one of the others
  };

  Sample sample(const WaitKind& kind, int units) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double cpu_ns = process_cpu_ns();
    const double start_ns = now_ns();
    if (world_.rank == 0) {
      compute(units);
      kind.release(world_);
    } else {
      kind.wait();
    }
    const double wall_ns = now_ns() - start_ns;
    const double mine_ns = world_.rank == 0 ? 0 : process_cpu_ns() - cpu_ns;
    double all_ns = 0;
    MPI_Reduce(&mine_ns, &all_ns, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return {wall_ns, all_ns / std::max(1, world_.size - 1)};
  }

  // A narrower team is another experiment.
  void compute(int units) {
    const int ran = kernel_->run(units, arguments_.threads);
    if (ran == arguments_.threads) return;
    throw std::runtime_error("OpenMP gave the computing rank " + std::to_string(ran) + " of the " +
                             std::to_string(arguments_.threads) +
                             " threads that it has cores for; unset OMP_THREAD_LIMIT and OMP_DYNAMIC");
  }

  World world_;
  Arguments arguments_;
  std::unique_ptr<quiesce::Kernel> kernel_;
};

}  // namespace

Found waits(const World& world, const Arguments& arguments) { return Experiment(world, arguments).run(); }

}  // namespace bench::coop
