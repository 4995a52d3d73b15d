// SPDX-License-Identifier: BSD-3-Clause
// Random graphs of tasks that depend on one another by their data, against the same tasks one after another.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <vector>

#include "harts.hpp"
#include "sanitizer.hpp"
#include "sched/tasks/dependences.hpp"
#include "sched/tasks/group.hpp"
#include "sched/tasks/stealing.hpp"

namespace comity::testing {
namespace {

using sched::Access;
using sched::Dependences;
using sched::Entered;
using sched::Group;
using sched::Stealing;

constexpr std::size_t kCells = 6;
using Cells = std::array<std::uint64_t, kCells>;

// What a task reads and writes, and what it does with that: any change of the order changes the result.
struct Step {
  std::vector<std::size_t> read;
  std::vector<std::size_t> written;
  std::uint64_t salt;
  bool yields;

  void apply(Cells& cells) const {
    std::uint64_t sum = salt;
    for (const std::size_t cell : read) sum = sum * 31 + cells[cell];
    for (const std::size_t cell : written) {
      const std::uint64_t before = cells[cell];
      if (yields) yield();
      cells[cell] = before * 1'000'003 + sum;
    }
  }
  [[nodiscard]] std::vector<Access> accesses(const Cells& cells) const {
    std::vector<Access> all;
    for (const std::size_t cell : read) all.push_back(sched::reads(cells[cell]));
    for (const std::size_t cell : written) all.push_back(sched::writes(cells[cell]));
    return all;
  }
};

std::vector<Step> random_steps(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Step> steps(1 + random() % 40);
  for (Step& step : steps) {
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      const auto what = random() % 6;
      if (what == 0) step.written.push_back(cell);
      if (what == 1 || what == 2) step.read.push_back(cell);
      if (what == 3 && random() % 4 == 0) {  // the same one twice
        step.read.push_back(cell);
        step.written.push_back(cell);
      }
    }
    step.salt = random();
    step.yields = random() % 4 == 0;
  }
  return steps;
}

class Dependent : public ::testing::Test {
 protected:
  template <typename Body>
  void in_a_fiber(const Body& body) {
    join(start(tasks_, [&body] { body(); }));
  }
  Harts here_;
  Entered<Stealing> tasks_{here_.root()};
};

TEST_F(Dependent, TasksGiveWhatOneAfterAnotherGives) {
  in_a_fiber([&] {
    const unsigned graphs = kHasSanitizer ? 1000 : 3000;
    for (unsigned seed = 0; seed < graphs; ++seed) {
      const std::vector<Step> steps = random_steps(seed);
      Cells expected{};
      Cells cells{};
      for (Step step : steps) {
        step.yields = false;
        step.apply(expected);
      }
      Group group(tasks_);
      Dependences order(group);
      for (const Step& step : steps) order.run(step.accesses(cells), [&step, &cells] { step.apply(cells); });
      order.wait();
      ASSERT_EQ(cells, expected) << "seed " << seed;
    }
  });
}

TEST_F(Dependent, ReadersRunBesideOneAnother) {
  in_a_fiber([&] {
    int data = 0;
    std::atomic<int> together{0};
    Group group(tasks_);
    Dependences order(group);
    order.run({sched::writes(data)}, [&] { data = 1; });
    for (int i = 0; i < 3; ++i) {
      order.run({sched::reads(data)}, [&] {
        ++together;
        while (together < 3) yield();
      });
    }
    order.run({sched::writes(data)}, [&] { EXPECT_EQ(together, 3); });
    order.wait();
  });
}

// What follows the one that threw is dropped, and nobody waits for it for ever.
TEST_F(Dependent, TasksAreDroppedBehindOneThatThrows) {
  in_a_fiber([&] {
    const auto held = std::make_shared<int>(1);
    int data = 0;
    bool run = false;
    {
      Group group(tasks_);
      Dependences order(group);
      order.run({sched::writes(data)}, [] {
        yield();
        throw std::runtime_error("first");
      });
      for (int i = 0; i < 50; ++i) order.run({sched::writes(data)}, [&run, held] { run = true; });
      EXPECT_THROW(order.wait(), std::runtime_error);
    }
    EXPECT_FALSE(run);
    EXPECT_EQ(held.use_count(), 1);
  });
}

}  // namespace
}  // namespace comity::testing
