// SPDX-License-Identifier: BSD-3-Clause
// ObjectChanges: the object that a call makes or ends, if it does. Its handle is read before a call that ends it, for the MPI writes a
// null one there. Not: which calls do (calls.py).
#pragma once

#include <mpi.h>

#include <cstdint>

#include "interpose/function.hpp"
#include "interpose/watch.hpp"

namespace comity::interpose {

class ObjectChanges {
 public:
  // Before the call. at: the addresses of its arguments.
  ObjectChanges(unsigned function, void* const* at) {
    if (kRows[function].object.act != ObjectAct::none) look(function, at);
  }

  // Behind it, with what it has come back with. inside: as in ObjectChange.
  void tell(unsigned function, const Watch& watch, int code, bool inside) {
    if (kRows[function].object.act != ObjectAct::none && code == MPI_SUCCESS) tell_change(function, watch, inside);
  }

 private:
  void look(unsigned function, void* const* at);
  void tell_change(unsigned function, const Watch& watch, bool inside);

  const void* argument_ = nullptr;  // where the handle is; a block that ends: the block itself
  std::uint64_t handle_ = 0;
};

}  // namespace comity::interpose
