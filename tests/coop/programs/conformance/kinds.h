// SPDX-License-Identifier: BSD-3-Clause
// Kinds of communication: each draws one from the script, and adds what it gave. `round` is its tag. All ranks call them alike.
#pragma once

#include "script.h"

void blocking_sends(int round);
void blocking_receive(int round);
void exchanges(int round);
void chain(int round);
void same_envelope(int round);
void derived_types(int round);
void many_requests(int round);
void questions(int round);
void own_requests(int round);
void window_requests(int round);
void window_epochs(int round);
void persistent(int round);
void cancelled(int round);
void collectives(int round, MPI_Comm comm);
void collectives_of_all(int round);
void arrivals(int round);
void nonblocking_collectives(int round);
void persistent_collectives(int round);
void neighbours(int round);
void communicators(int round);
void between_groups(int round);
void errors(int round);
void truncated(int round);
void failures_of_many(int round);
void nobody(int round);
void files(int round);
void large_counts(int round);
