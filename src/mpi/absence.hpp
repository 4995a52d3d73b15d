// SPDX-License-Identifier: BSD-3-Clause
// Absence: who of those that a wait is for has ended, so that it can end too. MPI itself would wait for ever.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>
#include <vector>

namespace comity::mpi {

class Absence {
 public:
  static constexpr int kNobody = -1;
  static constexpr int kUnknown = -2;  // somebody, but the launcher does not say who

  // Nobody knows yet who of the communicator's ranks is on this node. All of them where the launcher started all of its job
  // here; else that somebody of this node has ended is told where the communicator has all ranks of the job.
  explicit Absence(MPI_Comm awaited) : awaited_(awaited) {}
  // Our duplicate of a communicator, and those of its ranks that are on this node. Ranks of other nodes look for theirs, and
  // tell (tell_of_loss).
  Absence(MPI_Comm ours, std::span<const int> here) : awaited_(ours), here_(here) {}

  // Whether a rank was missing in this look and in the one before, or another node told of one. Takes milliseconds. Two looks,
  // for a process that is just becoming another program shows no environment. The ranks that are told may end at once: of those
  // missing, one that was missing before counts, and is told.
  [[nodiscard]] bool found();
  // The last look that told something missed one: the next should come soon.
  [[nodiscard]] bool misses_somebody() const { return !missed_.empty(); }
  // The one that was found, by its number in MPI_COMM_WORLD; or kUnknown.
  [[nodiscard]] int rank() const { return suspect_; }
  // By another node, which tells everybody.
  [[nodiscard]] bool was_told() const { return was_told_; }

 private:
  [[nodiscard]] bool hear();
  [[nodiscard]] std::optional<std::vector<int>> missing()
      const;  // that anybody knows of; none: this look tells nothing

  MPI_Comm awaited_;
  std::span<const int> here_;  // empty: not known
  std::vector<int> missed_;    // in the last look that told something
  int suspect_ = kNobody;
  bool was_told_ = false;
};

// To all ranks of our duplicate that are not here. `rank` stays where it is for good. Waits for a fifth of a second at the most.
void tell_of_loss(MPI_Comm ours, std::span<const int> here, const int& rank);

}  // namespace comity::mpi
