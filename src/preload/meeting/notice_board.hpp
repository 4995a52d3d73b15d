// SPDX-License-Identifier: BSD-3-Clause
// NoticeBoard: a number that each rank of the job leaves with the launcher before MPI_Init exchanges addresses over it, and that
// every other rank can look up once its own MPI_Init is over. Who leaves none has not loaded this library, or is not to be
// waited for: that is known without asking it. One a process; one form for Open MPI (over PMIx), one for MPICH (over the PMI of
// its launcher).
#pragma once

#include <cstdint>
#include <optional>

namespace comity::preload {

class NoticeBoard {
 public:
  enum class State : std::uint8_t {
    absent,  // the launcher has none, or none that is known here: nothing can be told of others
    broken,  // this rank's notice is not there, or nobody can tell whether all have had time to leave theirs
    good,
  };

  // Right before MPI_Init.
  static void leave(std::uint64_t notice);
  // MPI is prepared without MPI_Init: whatever is left after that may come too late.
  static void close();
  // From here on after MPI_Init, which has waited for all ranks to leave theirs: all get the same answers.
  [[nodiscard]] static State state();
  [[nodiscard]] static std::optional<std::uint64_t> of(int rank);
};

}  // namespace comity::preload
