// SPDX-License-Identifier: BSD-3-Clause
// A context goes from one shared library to another: one in C creates it on a communicator and lends it, one in C++ works
// on it inside the first one's push, and at last takes it over. Both are loaded as plugins are, apart from each other
// (dlopen, RTLD_LOCAL): still there is one Comity in the process, and one binding stack.
#include <dlfcn.h>

#include "expect.hpp"
#include "libraries/coupler.hpp"
#include "libraries/solver.h"

using namespace comity;
using namespace comity::testing;

namespace {

template <typename Entry>
Entry entry_of(const char* path, const char* name) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Entry>(dlsym(library, name));
}

struct Visit {
  const coupler::Functions* coupler;
  int core;
  const char* wrong;
};

// The coupler's turn inside the solver's push.
comity_status visit(comity_context* lent, void* data) {
  auto& turn = *static_cast<Visit*>(data);
  turn.wrong = turn.coupler->couple(lent, turn.core);
  return COMITY_OK;
}

void a_context_goes_round(const solver& first, const coupler::Functions& second) {
  comity_context* context = nullptr;
  expect_status(first.open(MPI_COMM_WORLD, &context), COMITY_OK, "the C library creates");
  std::int32_t cores = 0;
  expect_status(comity_context_count(context, COMITY_CORE, &cores), COMITY_OK, "this program asks it");
  for (int round = 0; round < 5; ++round) {
    Visit turn{&second, (world_rank + round) % cores, "it was not called"};
    expect_status(first.solve(context, visit, &turn), COMITY_OK, "the C library pushes and pops");
    expect_equal(std::string(turn.wrong), std::string(), "the C++ library inside that");
  }
  expect_equal(std::string(second.take_over(context)), std::string(), "the C++ library takes it over");
  expect_status(comity_context_quiesce(context, nullptr, 0, 0), COMITY_ERR_HANDLE, "the old handle");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const auto solver_library = entry_of<const solver* (*)()>(argv[1], "solver_library");
  const auto coupler_library = entry_of<const coupler::Functions* (*)()>(argv[2], "coupler_library");
  for (int round = 0; round < 3; ++round) a_context_goes_round(*solver_library(), *coupler_library());
  MPI_Finalize();
  return finish();
}
