// SPDX-License-Identifier: BSD-3-Clause
// Absence: who of those that a wait is for has ended, so that it can end too. MPI itself would wait for ever.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace comity::mpi {

// The communicators over which those who wait are told of a loss by another node.
struct Lines {
  MPI_Comm ours = MPI_COMM_NULL;  // our duplicate; null before it is there
  // The user's, while the first create on it has not made the duplicate on all ranks: there is nothing else to tell them over.
  // What is sent there has the largest tag that there is, and is sent only when a rank has ended.
  MPI_Comm users = MPI_COMM_NULL;

  // Of the same ranks.
  [[nodiscard]] MPI_Comm any() const { return ours != MPI_COMM_NULL ? ours : users; }
};

// The message. Its size and its mark tell it from the program's own on the user's communicator.
struct Loss {
  static constexpr std::int64_t kMark = 0x73736F4C'74696D6F;
  std::int64_t mark = kMark;
  std::int64_t rank = -1;  // as Absence::rank
  std::int64_t mark_again = kMark;
};

class Absence {
 public:
  static constexpr int kNobody = -1;
  static constexpr int kUnknown = -2;  // somebody, but the launcher does not say who

  // `here`: those ranks of the communicator that are on this node; empty: nobody knows yet. Then it is all of them where the
  // launcher started all of its job here; else those that it shows here, and that somebody of this node has ended counts where
  // the communicator has all ranks of the job. Ranks of other nodes look for theirs, and tell (tell_of_loss).
  explicit Absence(const Lines& lines, std::span<const int> here = {}) : lines_(lines), here_(here) {}

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
  // The ranks of the communicator that this node does not tell: those that are here, as far as it is known. Ascending.
  [[nodiscard]] std::span<const int> nearby() const { return here_.empty() ? near_ : here_; }

 private:
  [[nodiscard]] bool hear();
  [[nodiscard]] bool hear_from(int source, MPI_Comm communicator, int tag);
  // That anybody knows of; none: this look tells nothing.
  [[nodiscard]] std::optional<std::vector<int>> missing();

  Lines lines_;
  std::span<const int> here_;
  std::vector<int> near_;    // as the last look that told something had them
  std::vector<int> missed_;  // in that look
  int suspect_ = kNobody;
  bool was_told_ = false;
};

// To all ranks but `nearby`. `loss` stays where it is for good. Waits for a fifth of a second at the most.
void tell_of_loss(const Lines& lines, std::span<const int> nearby, const Loss& loss);

}  // namespace comity::mpi
