// SPDX-License-Identifier: BSD-3-Clause
// UnseenBegin: tells of a process that MPI runs in, though no MPI_Init came to us: who asks an MPI's own file for it, as ctypes does,
// goes past every library that stands before it.
#pragma once

namespace comity::preload {

// When the process ends: once a job. Nothing where nobody asked for memory, or no MPI has begun here.
void tell_of_unseen_begin();

}  // namespace comity::preload
