// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/communicators.hpp"

#include <comity/comity_mpi.h>

#include <array>
#include <cstdlib>

// communicators.f90; an integer of Fortran and its type(MPI_Comm) are one number.
extern "C" {
void communicators_in_fortran(comity_context* context, const MPI_Fint* all, int turns, MPI_Fint* made);
void communicators_f08_in_fortran(comity_context* context, const MPI_Fint* all, int turns, MPI_Fint* made);
void creates_in_fortran(const MPI_Fint* all, int turns);
}

namespace bench::fortran {
namespace {

constexpr const char* kInC = "the same call in C";
constexpr int kCreates = 20;  // a loop
constexpr int kHalves = 2;    // a create, and a free

// A call that fails is no figure.
void check(comity_status status) {
  if (status != COMITY_OK) std::abort();
}

void communicators_in_c(comity_context* context, int turns, MPI_Comm* made) {
  for (int i = 0; i < turns; ++i) {
    check(comity_context_communicator(context, MPI_COMM_SELF, COMITY_MACHINE, &made[i]));
  }
}

void creates_in_c(int turns) {
  for (int i = 0; i < turns; ++i) {
    comity_context* context = nullptr;
    check(comity_context_create(MPI_COMM_SELF, &context));
    check(comity_context_free(&context));
  }
}

// What was made is freed when the clock has stopped: its free is a call of the MPI.
Outcome communicator(const char* name, comity_context* context, decltype(communicators_in_fortran)& in_fortran) {
  Outcome outcome{name, "ns", kInC, {}, {}};
  const MPI_Fint all = MPI_Comm_c2f(MPI_COMM_SELF);
  std::array<MPI_Fint, kLoop> of_fortran{};
  std::array<MPI_Comm, kLoop> of_c{};
  repeat_within_budget(kBatches, [&] {
    outcome.values.push_back(time_loop(1, [&] { in_fortran(context, &all, kLoop, of_fortran.data()); }) / kLoop);
    for (const MPI_Fint made : of_fortran) {
      MPI_Comm one = MPI_Comm_f2c(made);
      MPI_Comm_free(&one);
    }
    outcome.references.push_back(time_loop(1, [&] { communicators_in_c(context, kLoop, of_c.data()); }) / kLoop);
    for (MPI_Comm& made : of_c) MPI_Comm_free(&made);
  });
  return outcome;
}

Outcome create() {
  Outcome outcome{"create", "ns", kInC, {}, {}};
  const MPI_Fint all = MPI_Comm_c2f(MPI_COMM_SELF);
  repeat_within_budget(kBatches, [&] {
    outcome.values.push_back(time_loop(1, [&] { creates_in_fortran(&all, kCreates); }) / (kCreates * kHalves));
    outcome.references.push_back(time_loop(1, [] { creates_in_c(kCreates); }) / (kCreates * kHalves));
  });
  return outcome;
}

}  // namespace

std::vector<Outcome> communicator_cases(comity_context* context) {
  return {communicator("communicator", context, communicators_in_fortran),
          communicator("communicator_f08", context, communicators_f08_in_fortran), create()};
}

}  // namespace bench::fortran
