// SPDX-License-Identifier: BSD-3-Clause
// How Open MPI calls us: what it exports for its own parts, unchanged from 1.7 to 5.0.
#include "coop/library/library_wait.hpp"
#include "interpose/loaded_mpi.hpp"

namespace comity::coop {
namespace {

// Returns how many events there were.
int no_event() {
  rest_after_a_round();
  return 0;
}

}  // namespace

bool may_call_back() { return true; }

bool hook_into_progress() {
  using Callback = int (*)();
  const auto add = reinterpret_cast<int (*)(Callback)>(interpose::find_function("opal_progress_register"));
  return add != nullptr && add(&no_event) == 0;
}

bool sleeps_in_the_library() { return true; }

}  // namespace comity::coop
