// SPDX-License-Identifier: BSD-3-Clause
// The standard streams of this process: none of MPI's files takes the place of one that is closed, and a result that standard
// output did not take is a failure.
#pragma once

namespace twomesh::app {

// Before MPI starts. What is printed to a stream that is closed would else go into MPI's first socket.
void hold_closed_streams();
// Throws LostResult where standard output has not taken all that was printed.
void require_printed();

}  // namespace twomesh::app
