// SPDX-License-Identifier: BSD-3-Clause
// Rules of the barrier, and of communicators.
#include <unistd.h>

#include <atomic>
#include <ctime>

#include "rules.hpp"

// What the Fortran module calls; no header declares it.
extern "C" {
int QUO_create_f2c(QUO_context* q, MPI_Fint comm);
int QUO_create_with_flags_f2c(QUO_context* q, MPI_Fint comm, int flags);
int QUO_get_mpi_comm_by_type_f2c(QUO_context q, QUO_obj_type_t target_type, MPI_Fint* out_comm);
int QUO_ptr_free(void* memory);
}

namespace conform {
namespace {

// A number that all ranks of the node share.
class SharedNumber {
 public:
  SharedNumber() {
    const bool has_it = node().rank == 0;
    void* mine = nullptr;
    MPI_Win_allocate_shared(has_it ? sizeof(std::atomic<long>) : 0, 1, MPI_INFO_NULL, node().communicator, &mine,
                            &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &mine);
    number_ = static_cast<std::atomic<long>*>(mine);
    if (has_it) number_->store(0);
    meet();
  }
  SharedNumber(const SharedNumber&) = delete;
  SharedNumber& operator=(const SharedNumber&) = delete;
  ~SharedNumber() { MPI_Win_free(&window_); }
  std::atomic<long>& operator*() { return *number_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::atomic<long>* number_ = nullptr;
};

void barrier_waits_for_all() {
  const Context q;
  int qids = 1;
  expect_equal(QUO_nqids(q, &qids), QUO_SUCCESS, "QUO_nqids");
  SharedNumber arrived;
  constexpr int kRounds = 50;
  for (int round = 1; round <= kRounds; ++round) {
    ++*arrived;
    expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
    expect_equal(*arrived, static_cast<long>(round) * qids, "ranks that had come");
    expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");  // all have looked
  }
}

// Only the first half of each node meets: nobody else is waited for.
void barrier_waits_for_members_only() {
  const int mine = node().rank < (node().size + 1) / 2 ? 0 : 1;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, mine, my_rank(), &half);
  {
    const Context q(half);
    for (int time = 0; mine == 0 && time < 10; ++time) expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
    meet();
  }
  MPI_Comm_free(&half);
}

long own_cpu_us() {
  timespec used{};
  (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * 1'000'000L + used.tv_nsec / 1'000;
}

// One rank is late, and nobody sees that but by it. What the others burn meanwhile is counted together: where they spin, however
// many share the cores, that is at least a core's time.
void barrier_leaves_the_cores() {
  if (fewest_of_all_ranks(node().size) < 2) return not_tested("a node has one rank");
  constexpr long kLate_us = 300'000;
  const Context q;
  SharedNumber burnt_us;
  if (node().rank == 0) (void)usleep(kLate_us);
  const long before = own_cpu_us();
  expect_equal(QUO_barrier(q), QUO_SUCCESS, "QUO_barrier");
  *burnt_us += own_cpu_us() - before;
  meet();
  expect(*burnt_us < kLate_us / 2, "in 300 ms the ranks burnt " + std::to_string(*burnt_us) + " us of their cores");
}

void communicator_of_the_machine() {
  const Context q;
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  expect_equal(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &first), QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  expect_equal(QUO_get_mpi_comm_by_type(q, QUO_OBJ_MACHINE, &second), QUO_SUCCESS, "QUO_get_mpi_comm_by_type");
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(first, node().communicator, &relation);
  expect_equal(relation, MPI_CONGRUENT, "it has the node's ranks in their order");
  MPI_Comm_compare(first, second, &relation);
  expect_equal(relation, MPI_CONGRUENT, "each call makes one of its own");
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
}

void communicators_of_other_types() {
  const Context q;
  for (const QUO_obj_type_t type : {QUO_OBJ_NUMANODE, QUO_OBJ_SOCKET, QUO_OBJ_CORE, QUO_OBJ_PU}) {
    MPI_Comm untouched = MPI_COMM_SELF;
    expect_equal(QUO_get_mpi_comm_by_type(q, type, &untouched), QUO_ERR_NOT_SUPPORTED, "QUO_get_mpi_comm_by_type");
    expect(untouched == MPI_COMM_SELF, "the result of a failure has changed");
  }
}

void fortran_helpers() {
  QUO_context q = nullptr;
  expect_equal(QUO_create_f2c(&q, MPI_Comm_c2f(MPI_COMM_WORLD)), QUO_SUCCESS, "QUO_create_f2c");
  MPI_Fint made = MPI_Comm_c2f(MPI_COMM_NULL);
  expect_equal(QUO_get_mpi_comm_by_type_f2c(q, QUO_OBJ_MACHINE, &made), QUO_SUCCESS, "QUO_get_mpi_comm_by_type_f2c");
  MPI_Comm node = MPI_Comm_f2c(made);
  int size = -1;
  int qids = -2;
  MPI_Comm_size(node, &size);
  expect_equal(QUO_nqids(q, &qids), QUO_SUCCESS, "QUO_nqids");
  expect_equal(size, qids, "the size of the node's communicator");
  MPI_Comm_free(&node);
  int length = 0;
  int* list = nullptr;
  expect_equal(QUO_qids_in_type(q, QUO_OBJ_MACHINE, 0, &length, &list), QUO_SUCCESS, "QUO_qids_in_type");
  expect_equal(QUO_ptr_free(list), QUO_SUCCESS, "QUO_ptr_free");
  expect_equal(QUO_ptr_free(nullptr), QUO_SUCCESS, "QUO_ptr_free of null");
  expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free");
  expect_equal(QUO_create_with_flags_f2c(&q, MPI_Comm_c2f(MPI_COMM_WORLD), QUO_CREATE_NO_MT), QUO_SUCCESS,
               "QUO_create_with_flags_f2c");
  expect_equal(QUO_free(q), QUO_SUCCESS, "QUO_free");
}

void fortran_gets_no_communicator_from_a_failure() {
  const Context q;
  MPI_Fint made = MPI_Comm_c2f(MPI_COMM_SELF);
  expect_equal(QUO_get_mpi_comm_by_type_f2c(q, QUO_OBJ_CORE, &made), QUO_ERR_NOT_SUPPORTED, "of cores");
  expect_equal(made, MPI_Comm_c2f(MPI_COMM_NULL), "the communicator");
}

}  // namespace

std::span<const Rule> collective_rules() {
  static constexpr Rule kRules[] = {
      {"a-barrier-waits-for-all-ranks", barrier_waits_for_all},
      {"a-barrier-waits-for-members-only", barrier_waits_for_members_only},
      {"a-barrier-leaves-the-cores", barrier_leaves_the_cores},
      {"the-machine-has-a-communicator", communicator_of_the_machine},
      {"other-types-have-no-communicator", communicators_of_other_types},
      {"the-helpers-of-fortran-work", fortran_helpers},
      {"fortran-gets-no-communicator-from-a-failure", fortran_gets_no_communicator_from_a_failure},
  };
  return kRules;
}

}  // namespace conform
