// SPDX-License-Identifier: BSD-3-Clause
// What all have laid on a board is there for all or for none; and sums of it are folded as ranks of a library fold them.
#include "coop/board.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "coop/fold.hpp"
#include "coop/orders.hpp"

namespace comity::coop {
namespace {

struct Memory {
  explicit Memory(std::size_t members) : room(Board::bytes_for(members) + 64) {
    const auto at = reinterpret_cast<std::uintptr_t>(room.data()) % 64;
    begin = room.data() + (64 - at) % 64;
  }
  [[nodiscard]] Board board(std::size_t members, std::size_t rank, std::uint32_t epoch = 1) const {
    return {{begin, Board::bytes_for(members)}, members, rank, epoch};
  }
  std::vector<std::byte> room;
  std::byte* begin;
};

Board::Part part_of(const std::uint64_t& word, std::uint64_t kind) {
  return {kind, std::as_bytes(std::span(&word, 1))};
}
std::uint64_t word_of(const Board& board, std::uint64_t turn, std::size_t member) {
  std::uint64_t word = 0;
  std::memcpy(&word, board.part(turn, member).data(), sizeof(word));
  return word;
}

TEST(Board, GivesAllWhatAllHaveLaid) {
  const Memory memory(2);
  Board mine = memory.board(2, 0), other = memory.board(2, 1);
  for (std::uint64_t turn = 1; turn < 6; ++turn) {
    const std::uint64_t first = 10 * turn, second = 10 * turn + 1;
    mine.lay(turn, part_of(first, 7));
    other.lay(turn, part_of(second, 7));
    EXPECT_TRUE(mine.agree(turn, 7));
    EXPECT_TRUE(other.agree(turn, 7));
    EXPECT_EQ(word_of(mine, turn, 1), second);
    EXPECT_EQ(word_of(other, turn, 0), first);
  }
}

TEST(Board, GivesNothingOfAnotherKindOrAnotherTurn) {
  const Memory memory(2);
  Board mine = memory.board(2, 0), other = memory.board(2, 1);
  const std::uint64_t word = 1;
  mine.lay(1, part_of(word, 7));
  other.lay(1, part_of(word, 8));
  EXPECT_FALSE(mine.agree(1, 7));
  EXPECT_FALSE(other.agree(1, 8));
  mine.lay(2, part_of(word, 7));
  EXPECT_FALSE(mine.agree(2, 7)) << "the other has laid nothing";
  mine.lay(3, part_of(word, 7));
  EXPECT_FALSE(mine.agree(3, 7)) << "nothing since the first turn";
}

// Who no longer waits has gone into the library's call: the others have to follow, whatever they see later.
TEST(Board, KeepsTheFirstAnswer) {
  const Memory memory(2);
  Board mine = memory.board(2, 0), other = memory.board(2, 1);
  const std::uint64_t word = 1;
  mine.lay(1, part_of(word, 7));
  EXPECT_FALSE(mine.agree(1, 7));
  other.lay(1, part_of(word, 7));
  EXPECT_FALSE(other.agree(1, 7));
  mine.lay(2, part_of(word, 7));
  other.lay(2, part_of(word, 7));
  EXPECT_TRUE(other.agree(2, 7));
  EXPECT_TRUE(mine.agree(2, 7));
}

TEST(Board, KnowsNothingOfAGroupThatHadItsMemory) {
  const Memory memory(2);
  const std::uint64_t word = 1;
  for (const std::uint32_t epoch : {1U, 2U, 3U, 1U + (1U << 17U), 1U + (1U << 31U)}) {
    Board mine = memory.board(2, 0, epoch);
    mine.lay(1, part_of(word, 7));
    EXPECT_FALSE(mine.agree(1, 7)) << "of the group before, at most";
    Board other = memory.board(2, 1, epoch);
    mine.lay(2, part_of(word, 7));
    other.lay(2, part_of(word, 7));
    EXPECT_TRUE(mine.agree(2, 7));
  }
}

// Nor of a turn for which this member has laid nothing, or something else.
TEST(Board, GivesNothingToWhoHasNotLaid) {
  const Memory memory(2);
  Board mine = memory.board(2, 0), other = memory.board(2, 1);
  const std::uint64_t word = 1;
  mine.lay(1, part_of(word, 7));
  other.lay(1, part_of(word, 7));
  EXPECT_TRUE(other.agree(1, 7));
  EXPECT_FALSE(mine.agree(1, 8));
  EXPECT_FALSE(mine.agree(3, 7));
  EXPECT_TRUE(mine.agree(1, 7));
}

// Members come to each turn at different times, some give up waiting, and nobody is in the next turn before all are in this one.
TEST(BoardStress, ComesToOneAnswerOnAllMembers) {
  constexpr std::size_t kMembers = 4;
  constexpr std::uint64_t kTurns = 3000;
  const Memory memory(kMembers);
  std::array<std::atomic<std::uint64_t>, kMembers> come{};
  std::array<std::array<bool, kMembers>, kTurns + 1> answers{};
  std::array<std::array<std::uint64_t, kMembers>, kTurns + 1> sums{};
  std::barrier are_in_the_library(kMembers);
  const auto member = [&](std::size_t me) {
    Board board = memory.board(kMembers, me);
    std::minstd_rand draw(static_cast<unsigned>(me + 1));
    are_in_the_library.arrive_and_wait();
    for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
      const std::uint64_t word = turn * kMembers + me;
      board.lay(turn, part_of(word, turn % 5));
      come[me].store(turn, std::memory_order_seq_cst);
      const bool gives_up = draw() % 16 == 0;
      const auto all_have_come = [&] {
        return std::ranges::all_of(come, [&](const auto& one) { return one.load(std::memory_order_seq_cst) >= turn; });
      };
      while (!gives_up && !all_have_come()) std::this_thread::yield();
      answers[turn][me] = board.agree(turn, turn % 5);
      if (answers[turn][me]) {
        for (std::size_t other = 0; other < kMembers; ++other) sums[turn][me] += word_of(board, turn, other);
      } else {
        are_in_the_library.arrive_and_wait();
      }
    }
  };
  std::vector<std::jthread> members;
  for (std::size_t me = 0; me < kMembers; ++me) members.emplace_back(member, me);
  members.clear();
  std::uint64_t made = 0;
  for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
    for (std::size_t me = 1; me < kMembers; ++me) ASSERT_EQ(answers[turn][me], answers[turn][0]) << turn;
    if (!answers[turn][0]) continue;
    ++made;
    for (std::size_t me = 0; me < kMembers; ++me)
      ASSERT_EQ(sums[turn][me], kMembers * kMembers * turn + kMembers * (kMembers - 1) / 2) << turn;
  }
  EXPECT_GT(made, kTurns / 10);
  EXPECT_LT(made, kTurns) << "nobody has given up";
}

// Not commutative, so that it tells which was in front.
std::uint64_t joined(std::uint64_t in, std::uint64_t inout) { return std::rotl(in * 0x9e3779b97f4a7c15U, 17) + inout; }

using Words = std::vector<std::uint64_t>;  // of one rank

// As the ranks of a library make it: what each has, step by step.
class Ranks {
 public:
  explicit Ranks(std::vector<Words> given)
      : has_(std::move(given)), places_(std::bit_floor(has_.size())), pairs_(has_.size() - places_) {}

  std::vector<Words> doubled(Order order) {
    make_pairs();
    for (std::size_t distance = 1; distance < places_; distance *= 2) {
      const std::vector<Words> before = has_;
      for (std::size_t place = 0; place < places_; ++place) {
        const Words &mine = before[at(place)], &others = before[at(place ^ distance)];
        const bool is_other_first = order == Order::other_first || (place & distance) != 0;
        for (std::size_t word = 0; word < mine.size(); ++word) {
          has_[at(place)][word] = is_other_first ? joined(others[word], mine[word]) : joined(mine[word], others[word]);
        }
      }
    }
    return end();
  }

  // Reduced by halves, then gathered: each rank has from first[] to last[] of the pieces.
  std::vector<Words> halved() {
    make_pairs();
    std::vector<std::size_t> first(places_, 0), last(places_, places_);
    for (std::size_t distance = 1; distance < places_; distance *= 2) {
      const std::vector<Words> before = has_;
      for (std::size_t place = 0; place < places_; ++place) {
        const std::size_t middle = (first[place] + last[place]) / 2;
        ((place & distance) == 0 ? last[place] : first[place]) = middle;
        for (std::size_t word = begin_of(first[place]); word < begin_of(last[place]); ++word) {
          has_[at(place)][word] = joined(before[at(place ^ distance)][word], before[at(place)][word]);
        }
      }
    }
    Words whole(has_[0].size());
    for (std::size_t place = 0; place < places_; ++place) {
      for (std::size_t word = begin_of(first[place]); word < begin_of(last[place]); ++word)
        whole[word] = has_[at(place)][word];
    }
    std::ranges::fill(has_, whole);
    return has_;
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t place) const { return place < pairs_ ? 2 * place + 1 : place + pairs_; }
  [[nodiscard]] std::size_t begin_of(std::size_t piece) const {
    const std::size_t words = has_[0].size();
    return piece * (words / places_) + std::min(piece, words % places_);
  }
  void make_pairs() {
    for (std::size_t pair = 0; pair < pairs_; ++pair) {
      for (std::size_t word = 0; word < has_[0].size(); ++word)
        has_[2 * pair + 1][word] = joined(has_[2 * pair][word], has_[2 * pair + 1][word]);
    }
  }
  std::vector<Words> end() {
    for (std::size_t pair = 0; pair < pairs_; ++pair) has_[2 * pair] = has_[2 * pair + 1];
    return has_;
  }

  std::vector<Words> has_;
  std::size_t places_;
  std::size_t pairs_;
};

void join(const std::byte* in, std::byte* inout, std::size_t elements) {
  for (std::size_t element = 0; element < elements; ++element) {
    std::uint64_t one = 0, other = 0;
    std::memcpy(&one, in + element * sizeof(one), sizeof(one));
    std::memcpy(&other, inout + element * sizeof(other), sizeof(other));
    other = joined(one, other);
    std::memcpy(inout + element * sizeof(other), &other, sizeof(other));
  }
}

TEST(Fold, IsWhatRanksOfALibraryComeTo) {
  for (const Order order : {Order::other_first, Order::lower_first, Order::halves}) {
    for (std::size_t ranks = 2; ranks < 20; ++ranks) {
      for (std::size_t words = 1; words <= Board::kMostBytes / sizeof(std::uint64_t); words += 3) {
        std::vector<Words> given(ranks, Words(words));
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          for (std::size_t word = 0; word < words; ++word) given[rank][word] = 1000000 * ranks + 1000 * rank + word;
        }
        const auto of = [&](std::size_t rank) { return std::as_bytes(std::span(given[rank])).data(); };
        const std::vector<Words> expected =
            order == Order::halves ? Ranks(given).halved() : Ranks(given).doubled(order);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          Words result(words);
          Fold(order, ranks, sizeof(std::uint64_t), of, join).of(rank, std::as_writable_bytes(std::span(result)));
          ASSERT_EQ(result, expected[rank]) << rank << " of " << ranks;
        }
      }
    }
  }
}

TEST(Orders, AreTriedOnceForEachKindThatComesOften) {
  Orders orders;
  int trials = 0;
  for (int turn = 0; turn < 100; ++turn) {
    if (orders.of(5) == Order::unknown && orders.is_time_to_try(5)) {
      ++trials;
      EXPECT_EQ(turn, 7);
      orders.note(5, Order::lower_first);
    }
  }
  EXPECT_EQ(trials, 1);
  EXPECT_EQ(orders.of(5), Order::lower_first);
  EXPECT_EQ(orders.of(6), Order::unknown);
  for (std::uint64_t kind = 100; kind < 130; ++kind) (void)orders.is_time_to_try(kind);
  EXPECT_EQ(orders.of(129), Order::another) << "there is room for some kinds alone";
  EXPECT_EQ(orders.of(5), Order::lower_first);
}

}  // namespace
}  // namespace comity::coop
