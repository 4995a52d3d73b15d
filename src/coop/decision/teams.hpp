// SPDX-License-Identifier: BSD-3-Clause
// Teams: what this rank knows of its OpenMP threads and of where it may run, and the changes that it makes where threads
// outnumber cores. They leave alone what the user asked for. Not: whether to make them (crowd).
#pragma once

#include <sys/types.h>

#include <vector>

#include "coop/decision/crowd.hpp"
#include "coop/decision/idle_threads.hpp"
#include "os/threads/gnu_spin.hpp"

namespace comity::coop {

// Whether a rank's binding is the default of Open MPI's launcher, which has one core for each of two ranks however many
// threads they have; and no variable asks for another one.
[[nodiscard]] bool is_bound_by_default(const Lookup& variable);

// Of the calling thread, which is the one that calls MPI_Init. `may_spread`: its mask is nobody's wish.
[[nodiscard]] RankFacts facts_of_this_rank(const Lookup& variable, bool may_spread);

// The threads with that rank's mask get this one instead; those with another one and those that sleep in poll, MPI's helpers, stay. Returns
// these, ascending. A team of LLVM's is started first.
std::vector<pid_t> move_threads(const RankFacts& rank, const CpuSet& to);

// Idle threads sleep at once, LLVM's of this thread's teams, all of GNU's, where the runtime lets itself be told and the user leaves it
// to us. Returns GNU's, which can be told anew at any time and from any thread.
std::vector<os::GnuSpin> let_idle_threads_sleep(const Lookup& variable);

// The calls of an OpenBLAS with a pool of its own run on the thread that makes them, beside a team of OpenMP whose members call it: its
// threads would be more than anybody asked for, and members would wait for one another to have them. Source: OpenBLAS's FAQ, "How can I
// use OpenBLAS in multi-threaded applications?".
void let_openblas_compute_alone(const Lookup& variable);

}  // namespace comity::coop
