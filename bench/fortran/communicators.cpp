// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/communicators.hpp"

#include <comity/comity_mpi.h>

#include <cstdlib>

#include "fortran/measure.hpp"

// communicators.f90; an integer of Fortran and its type(MPI_Comm) are one number. [ns] what the call took.
extern "C" {
double communicator_in_fortran(comity_context* context, const MPI_Fint* all, MPI_Fint* made);
double communicator_f08_in_fortran(comity_context* context, const MPI_Fint* all, MPI_Fint* made);
double create_in_fortran(const MPI_Fint* all);
double communicators_now_ns() { return bench::now_ns(); }
}

namespace bench::fortran {
namespace {

constexpr int kPairs = 2000;
constexpr double kHalves = 2;  // a create, and a free

// A call that fails is no figure.
void check(comity_status status) {
  if (status != COMITY_OK) std::abort();
}

// Such a call takes tens of microseconds of the MPI's, which vary by more than what a language adds. So each call stands beside
// one of the other language, every other time in front of it, and what counts is the median by which they differ.
template <typename InFortran, typename InC>
Outcome measure_pairs(const char* name, double parts, InFortran&& in_fortran, InC&& in_c) {
  std::vector<double> more_ns;
  std::vector<double> in_c_ns;
  repeat_within_budget(kPairs, [&] {
    const bool c_first = more_ns.size() % 2 == 0;
    if (c_first) in_c_ns.push_back(in_c() / parts);
    const double time_ns = in_fortran() / parts;
    if (!c_first) in_c_ns.push_back(in_c() / parts);
    more_ns.push_back(time_ns - in_c_ns.back());
  });
  const double reference_ns = median(in_c_ns);
  return {name, "ns", kInC, {reference_ns + median(more_ns)}, {reference_ns}};
}

// What was made is freed when the clock has stopped: its free is a call of the MPI.
Outcome communicator(const char* name, comity_context* context, decltype(communicator_in_fortran)& call) {
  const MPI_Fint all = MPI_Comm_c2f(MPI_COMM_SELF);
  const auto in_fortran = [&] {
    MPI_Fint made = 0;
    const double time_ns = call(context, &all, &made);
    MPI_Comm one = MPI_Comm_f2c(made);
    MPI_Comm_free(&one);
    return time_ns;
  };
  const auto in_c = [&] {
    MPI_Comm made = MPI_COMM_NULL;
    const double start_ns = communicators_now_ns();
    check(comity_context_communicator(context, MPI_COMM_SELF, COMITY_MACHINE, &made));
    const double time_ns = communicators_now_ns() - start_ns;
    MPI_Comm_free(&made);
    return time_ns;
  };
  return measure_pairs(name, 1, in_fortran, in_c);
}

Outcome create() {
  const MPI_Fint all = MPI_Comm_c2f(MPI_COMM_SELF);
  const auto in_fortran = [&] { return create_in_fortran(&all); };
  const auto in_c = [&] {
    comity_context* context = nullptr;
    const double start_ns = communicators_now_ns();
    check(comity_context_create(MPI_COMM_SELF, &context));
    check(comity_context_free(&context));
    return communicators_now_ns() - start_ns;
  };
  return measure_pairs("create", kHalves, in_fortran, in_c);
}

}  // namespace

std::vector<Outcome> communicator_cases(comity_context* context) {
  return {communicator("communicator", context, communicator_in_fortran),
          communicator("communicator_f08", context, communicator_f08_in_fortran), create()};
}

}  // namespace bench::fortran
