// SPDX-License-Identifier: BSD-3-Clause
// QUO_t: what a QUO_context points to. Not: the binding stack, which is the process's and stands in Comity.
// Invariant: from QUO_create to QUO_free both handles are good, and the numbers never change.
#pragma once

#include <comity/comity_mpi.h>
#include <quo.h>

struct QUO_t {
  comity_context* context = nullptr;
  MPI_Comm node = MPI_COMM_NULL;  // the ranks of my node, in the order of their qids
  int nodes = 1;
  int qid = 0;
  int qids = 1;
};

namespace comity::quo {

constexpr int kMostPushes = 127;  // of a context: libquo's stack has 128 places, the first is that of its start

// The kind of object that Comity calls so; false, and told, where there is none.
[[nodiscard]] bool find_type(const char* call, QUO_obj_type_t type, comity_type& found);

}  // namespace comity::quo
