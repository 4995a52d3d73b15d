// SPDX-License-Identifier: BSD-3-Clause
// The callee decides: a threaded library that finds its own ranks and cores, so that its caller need not know.
//   mpirun -n 4 callee
// Source of the pattern: 003_468943038a8a97cc, appendix A.2.
#include <cmath>
#include <comity/comity_mpi.hpp>
#include <cstdio>
#include <memory>
#include <vector>

namespace solver {

// Adds up sqrt of all ranks' values. Ranks of a node give theirs to a leader, which computes wide; every rank gets the sum.
class WideSum {
 public:
  explicit WideSum(MPI_Comm communicator) : communicator_(communicator), context_(comity::make_context(communicator)) {
    MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
  }
  ~WideSum() { MPI_Comm_free(&node_); }
  WideSum(const WideSum&) = delete;
  WideSum& operator=(const WideSum&) = delete;

  double operator()(const std::vector<double>& values) {
    // Asked at each call, as the phase does: masks may have changed since the last one. Ranks of one leader on one node
    // form a communicator in which the leader is rank 0.
    const comity::Distribution mine = context_.distribute(comity::Resource::package, 1);
    MPI_Comm team = MPI_COMM_NULL;
    MPI_Comm_split(node_, mine.leader, mine.share, &team);
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(team, &rank);
    MPI_Comm_size(team, &size);
    const int count = static_cast<int>(values.size());
    std::vector<double> all(rank == 0 ? values.size() * static_cast<std::size_t>(size) : 0);
    MPI_Gather(values.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, team);
    MPI_Comm_free(&team);

    double part = 0;
    context_.phase(comity::Resource::package, 1, [&] {
#pragma omp parallel for reduction(+ : part)
      for (const double value : all) part += std::sqrt(value);
    });

    double sum = 0;
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, communicator_);
    return sum;
  }

 private:
  MPI_Comm communicator_;
  comity::Context context_;
  MPI_Comm node_ = MPI_COMM_NULL;
};

}  // namespace solver

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int failed = 0;
  {
    solver::WideSum sum(MPI_COMM_WORLD);
    const double total = sum(std::vector<double>(1000, 4.0));
    failed = std::abs(total - 2000.0 * size) > 1e-6 ? 1 : 0;
    if (rank == 0) std::printf("sum of square roots over %d ranks: %.1f\n", size, total);
  }
  MPI_Finalize();
  return failed;
}
