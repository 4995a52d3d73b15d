// SPDX-License-Identifier: BSD-3-Clause
// Party: which ranks of MPI_COMM_WORLD wait cooperatively together. The others have not loaded this library, or are told
// otherwise: they enter no call of ours.
#pragma once

#include <cstdint>
#include <vector>

namespace comity::coop {

// The same on all that are in it.
struct Party {
  bool has_me = false;
  bool always = false;     // all of them are told so; else they look whether they are crowded
  bool is_whole = false;   // all ranks are in it
  std::vector<int> ranks;  // where it is not whole: who is in it, in order
};

}  // namespace comity::coop
