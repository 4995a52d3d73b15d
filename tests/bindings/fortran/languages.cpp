// SPDX-License-Identifier: BSD-3-Clause
// The parts of languages_test in C++: a context of Fortran's that it borrows, and one of its own that it lends.
#include <comity/comity_mpi.hpp>

#include <cstdint>

extern "C" {

// Binds to a package by a push of its own, asks in C what Fortran will see, and leaves no entry.
int depth_inside_cpp(comity_context* lent, int package) {
  comity::LentContext context(lent);
  const comity::BindingGuard bound = context->bound(comity::Resource::package, package);
  std::int32_t depth = 0;
  return comity_context_depth(lent, &depth) == COMITY_OK && context->encloses(comity::Resource::package, package)
             ? depth
             : -1;
}

int ranks_in_fortran(comity_context* context);  // languages_test.f90
int depth_in_c(comity_context* context);        // languages.c

// A context of C++'s on all ranks, that Fortran and C use.
int with_context_of_cpp() {
  comity::Context context = comity::make_context(MPI_COMM_WORLD);
  context.push(comity::Resource::core, 0);
  const int depth = depth_in_c(context.handle());
  context.pop();
  return ranks_in_fortran(context.handle()) == context.size() && depth == 1 ? 0 : 1;
}
}
