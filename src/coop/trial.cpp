// SPDX-License-Identifier: BSD-3-Clause
#include "coop/trial.hpp"

#include "base/error.hpp"
#include "interpose/handles.hpp"
#include "real.hpp"

namespace comity::coop {

namespace real = interpose::real;

Trial::Trial() {
  const interpose::Handles& handles = interpose::handles();
  if (real::MPI_Comm_dup(handles.self, &alone_) != MPI_SUCCESS ||
      real::MPI_Comm_set_errhandler(alone_, handles.errors_return) != MPI_SUCCESS) {
    throw Error(Status::mpi, "make a communicator on which calls are tried: MPI reports an error");
  }
}

}  // namespace comity::coop
