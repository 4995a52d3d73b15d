// SPDX-License-Identifier: BSD-3-Clause
// The deque of tasks under every interleaving of an owner and thieves: each access to what they share is a place where another
// may go on, and all orders are tried. Each task is taken exactly once.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "harts.hpp"
#include "interleavings.hpp"
#include "sched/tasks/task_deque.hpp"

namespace comity::testing {
namespace {

using sched::Entered;
using sched::RoundRobin;

struct Piece {
  int times_taken = 0;
};
using Deque = sched::TaskDeque<Piece, StoppingAtomic>;

class EveryInterleaving : public ::testing::Test {
 protected:
  // An owner that does what the word says, letter by letter ('+' push, '-' pop, 'o' offer), and thieves that try so often each.
  void expect_each_taken_once(const std::string& owner, std::size_t thieves, int tries, std::size_t at_once) {
    // Two slots, so that the ring grows and its places are used again.
    const auto make = [&] {
      deque_ = std::make_unique<Deque>(2);
      pieces_.assign(owner.size(), {});
      std::vector<Interleavings::Actor> actors;
      actors.emplace_back([this, &owner] {
        std::size_t pushed = 0;
        for (const char what : owner) {
          if (what == '+') {
            EXPECT_TRUE(deque_->push(pieces_[pushed++]));
          } else if (what == 'o') {
            deque_->offer();
          } else if (Piece* const piece = deque_->pop()) {
            ++piece->times_taken;
          }
        }
      });
      for (std::size_t i = 0; i < thieves; ++i) {
        actors.emplace_back([this, tries, at_once] {
          std::array<Piece*, 4> found{};
          for (int k = 0; k < tries; ++k) {
            const std::size_t count = deque_->steal({found.data(), at_once});
            for (std::size_t n = 0; n < count; ++n) ++found[n]->times_taken;
          }
        });
      }
      return actors;
    };
    const auto check = [&] {
      // What is left is the owner's.
      while (Piece* const piece = deque_->pop()) ++piece->times_taken;
      std::size_t pushed = 0;
      for (const char what : owner) pushed += what == '+' ? 1 : 0;
      for (std::size_t i = 0; i < pushed; ++i) ASSERT_EQ(pieces_[i].times_taken, 1) << "piece " << i;
    };
    std::size_t runs = 0;
    join(start(fair_, [&] { runs = Interleavings::try_all(fair_, make, check); }));
    EXPECT_GT(runs, 100U);
    RecordProperty("interleavings", static_cast<int>(runs));
  }

 private:
  Harts here_{{.harts = 1}};
  Entered<RoundRobin> fair_{here_.root()};
  std::unique_ptr<Deque> deque_;
  std::vector<Piece> pieces_;
};

bool has_no_memory = false;

template <typename T>
struct ScarceAtomic : std::atomic<T> {
  using std::atomic<T>::atomic;
  ScarceAtomic() : std::atomic<T>(T{}) {
    if (has_no_memory) throw std::bad_alloc();
  }
};

// Else a group would wait for ever for the task that it has counted.
TEST(TaskDeque, TakesNoMoreWhereThereIsNoMemoryForThem) {
  sched::TaskDeque<Piece, ScarceAtomic> deque(2);
  std::array<Piece, 4> pieces;
  ASSERT_TRUE(deque.push(pieces[0]));
  ASSERT_TRUE(deque.push(pieces[1]));
  has_no_memory = true;
  EXPECT_FALSE(deque.push(pieces[2]));
  EXPECT_FALSE(deque.push(pieces[2]));
  has_no_memory = false;
  EXPECT_TRUE(deque.push(pieces[2]));
  for (const std::size_t left : {2U, 1U, 0U}) EXPECT_EQ(deque.pop(), &pieces[left]);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST_F(EveryInterleaving, OfPushesAndPopsWithAThief) { expect_each_taken_once("++o-+--", 1, 2, 1); }
TEST_F(EveryInterleaving, OfAThiefWhoTakesTwice) { expect_each_taken_once("+-+-", 1, 2, 1); }
TEST_F(EveryInterleaving, OfAThiefWhoTakesSeveral) { expect_each_taken_once("+++o+--", 1, 1, 4); }
TEST_F(EveryInterleaving, OfTwoThieves) { expect_each_taken_once("++-", 2, 1, 1); }

}  // namespace
}  // namespace comity::testing
