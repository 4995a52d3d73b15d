// SPDX-License-Identifier: BSD-3-Clause
#include "coop/board.hpp"

#include <algorithm>

namespace comity::coop {

Board::Board(std::span<std::byte> memory, std::size_t members, std::size_t rank, std::uint32_t epoch)
    : head_(reinterpret_cast<Head*>(memory.data())),
      cells_(reinterpret_cast<Cell*>(memory.data() + sizeof(Head))),
      members_(members),
      rank_(rank),
      epoch_(epoch) {
  for (std::uint64_t turn = 0; turn < 2; ++turn) cell_of(turn, rank_).mark.store(0, std::memory_order_relaxed);
}

void Board::lay(std::uint64_t turn, const Part& part) {
  Cell& mine = cell_of(turn, rank_);
  mine.kind = part.kind;
  mine.size = static_cast<std::uint32_t>(part.bytes.size());
  std::ranges::copy(part.bytes, mine.bytes.begin());
  mine.mark.store(mark(turn), std::memory_order_release);
}

bool Board::agree(std::uint64_t turn, std::uint64_t kind) {
  const std::uint64_t expected = mark(turn);
  const Cell& mine = cell_of(turn, rank_);
  if (mine.mark.load(std::memory_order_relaxed) != expected || mine.kind != kind) return false;
  bool are_all_there = true;
  for (std::size_t member = 0; member < members_ && are_all_there; ++member) {
    const Cell& cell = cell_of(turn, member);
    are_all_there = cell.mark.load(std::memory_order_acquire) == expected && cell.kind == kind;
  }
  std::atomic<std::uint64_t>& answer = head_->answers[turn % 2];
  std::uint64_t seen = answer.load(std::memory_order_acquire);
  while (seen != expected && seen != expected + 1) {
    if (answer.compare_exchange_weak(seen, expected + (are_all_there ? 1 : 0), std::memory_order_acq_rel))
      return are_all_there;
  }
  return seen != expected;
}

}  // namespace comity::coop
