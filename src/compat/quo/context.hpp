// SPDX-License-Identifier: BSD-3-Clause
// QUO_t: what a QUO_context points to. Not: the binding stack, which is the process's and stands in Comity.
// Invariant: from QUO_create to QUO_free `context`, `all` and `here` are good, the numbers never change, and who is lost stays
// lost.
#pragma once

#include <comity/comity_mpi.h>
#include <quo.h>

#include "compat/quo/generation.hpp"

struct QUO_t {
  comity_context* context = nullptr;
  MPI_Comm all = MPI_COMM_NULL;             // a duplicate of the communicator that the context was created on
  MPI_Group here = MPI_GROUP_NULL;          // of its ranks those of my node, in the order of their qids
  MPI_Comm node = MPI_COMM_NULL;            // theirs, where there are several nodes: made when it is first asked for
  int process = comity::quo::generation();  // that created it: a fork child has its parent's MPI, and calls none of it
  int nodes = 1;
  int qid = 0;
  int qids = 1;
  bool has_lost = false;          // a rank of my node has ended, as a call of this rank has found
  MPI_Comm made = MPI_COMM_NULL;  // what MPI is making: where it waits for who has ended it holds on to this for good
  bool mpi_holds_on = false;
};

namespace comity::quo {

constexpr int kMostPushes = 127;  // of a context: libquo's stack has 128 places, the first is that of its start

[[nodiscard]] inline bool is_in_fork_child(const QUO_t& q) { return generation() != q.process; }

// Remembers in `q` what a call on it has found.
[[nodiscard]] inline comity_status noted(QUO_context q, comity_status status) {
  q->has_lost = q->has_lost || status == COMITY_ERR_PEER_LOST;
  return status;
}

// Whether a rank of my node has ended: one that a call has missed, or that is nowhere now and whose launcher has it no more. A
// system call a rank, and milliseconds where one is nowhere. False where nobody can tell.
[[nodiscard]] bool has_lost_a_rank(QUO_context q);

// The kind of object that Comity calls so; false, and told, where there is none.
[[nodiscard]] bool find_type(const char* call, QUO_obj_type_t type, comity_type& found);

}  // namespace comity::quo
