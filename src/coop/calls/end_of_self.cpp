// SPDX-License-Identifier: BSD-3-Clause
#include "coop/calls/end_of_self.hpp"

#include <mpi.h>

#include <atomic>

#include "coop/calls/meetings.hpp"

namespace comity::coop {
namespace {

std::atomic<bool> is_attached{false};

// Not the MPI's own function of that kind, whose name would have to be there when this library is loaded.
int copy_nothing(MPI_Comm /*from*/, int /*key*/, void* /*state*/, void* /*value*/, void* /*copy*/, int* is_copied) {
  *is_copied = 0;
  return MPI_SUCCESS;
}

int come_to_the_end(MPI_Comm /*self*/, int /*key*/, void* /*value*/, void* /*state*/) {
  LibraryWait::end();  // the meeting's wait is another one
  meet_at_the_end();
  LibraryWait::begin();
  return MPI_SUCCESS;
}

}  // namespace

void attach_to_self() noexcept {
  int key = MPI_KEYVAL_INVALID;
  if (real::MPI_Comm_create_keyval(copy_nothing, come_to_the_end, &key, nullptr) != MPI_SUCCESS) return;
  is_attached = real::MPI_Comm_set_attr(interpose::handles().self, key, nullptr) == MPI_SUCCESS;
  real::MPI_Comm_free_keyval(&key);
}

bool self_tells_its_end() noexcept { return is_attached; }

void meet_at_the_end() noexcept { (void)meet(key_of(interpose::handles().world), Whom::everybody()); }

}  // namespace comity::coop
