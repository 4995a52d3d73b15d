// SPDX-License-Identifier: BSD-3-Clause
// What tasks have of the thread that runs them: threadprivate variables, errno, exceptions, malloc, printf, over waits and beside
// one another on all harts. Once with GNU's OpenMP and once with LLVM's.
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <comity/sched.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace comity::sched;  // NOLINT(google-build-using-namespace): a program of a user

int of_the_thread = 0;
#pragma omp threadprivate(of_the_thread)

// Compilers may keep the address of what belongs to a thread, which is why it is asked for in functions of their own.
[[gnu::noinline]] int* address_of_the_thread() { return &of_the_thread; }
[[gnu::noinline]] void set_errno(int number) { errno = number; }
[[gnu::noinline]] int get_errno() { return errno; }

constexpr int kTasks = 64;
constexpr int kRounds = 20;

// Tasks that all run the same: body(0) .. body(63). wait() leaves the hart to others: each task waits for all of them, by turns.
class ThreadStateOfTasks : public ::testing::Test {
 protected:
  template <typename Body>
  void all_do(const Body& body) {
    harts_.run([&] {
      Group group;
      for (int task = 0; task < kTasks; ++task) group.run([&body, task] { body(task); });
      group.wait();
    });
  }
  void wait() { all_.wait(); }

  Harts harts_;

 private:
  Barrier all_{kTasks};
};

TEST_F(ThreadStateOfTasks, HasThreadprivateVariablesThatStayWhereTheyAre) {
  std::vector<std::atomic<int*>> of_hart(static_cast<std::size_t>(harts()));
  all_do([&](int) {
    const int here = hart();
    int* const mine = address_of_the_thread();
    for (int round = 0; round < kRounds; ++round) {
      wait();
      EXPECT_EQ(hart(), here);
      EXPECT_EQ(address_of_the_thread(), mine);
    }
    of_hart[static_cast<std::size_t>(here)] = mine;
  });
  // And no two harts share one.
  std::vector<int*> seen(of_hart.begin(), of_hart.end());
  std::erase(seen, static_cast<int*>(nullptr));
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end());
}

// What is said of them: a value is safe until the task waits, and is then that of whoever of its hart was last.
TEST_F(ThreadStateOfTasks, HasThreadprivateValuesThatTasksOfAHartShare) {
  std::vector<int> last(static_cast<std::size_t>(harts()), -1);  // by hart, and each of its hart alone
  all_do([&](int task) {
    int& of_my_hart = last[static_cast<std::size_t>(hart())];
    for (int round = 0; round < kRounds; ++round) {
      of_the_thread = of_my_hart = task;
      EXPECT_EQ(of_the_thread, task);
      wait();
      EXPECT_EQ(of_the_thread, of_my_hart);
    }
  });
}

// A function, for Clang takes no threadprivate variable into a region of a lambda.
void expect_values_of_members(int round) {
  std::vector<int*> seen(static_cast<std::size_t>(omp_get_max_threads()), nullptr);
  of_the_thread = -1;
#pragma omp parallel copyin(of_the_thread)
  {
    EXPECT_EQ(of_the_thread, -1);
    of_the_thread = 100 * round + omp_get_thread_num();
    seen[static_cast<std::size_t>(omp_get_thread_num())] = &of_the_thread;
  }
#pragma omp parallel
  {
    EXPECT_EQ(of_the_thread, 100 * round + omp_get_thread_num());
    EXPECT_EQ(seen[static_cast<std::size_t>(omp_get_thread_num())], &of_the_thread);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "two members share one";
}

// A team that a task begins keeps what its members have from one region to the next, as OpenMP says.
TEST_F(ThreadStateOfTasks, HasThreadprivateValuesOfEachMemberOfATeam) {
  harts_.run([] {
    for (int round = 0; round < kRounds; ++round) {
      openmp(harts(), [round] { expect_values_of_members(round); });
    }
  });
}

TEST_F(ThreadStateOfTasks, HasTheErrnoOfEachTask) {
  all_do([this](int task) {
    for (int round = 0; round < kRounds; ++round) {
      set_errno(1 + task);
      wait();
      EXPECT_EQ(get_errno(), 1 + task);
      EXPECT_EQ(std::fopen("/nowhere/to/be/found", "r"), nullptr);
      yield();
      EXPECT_EQ(get_errno(), ENOENT);
    }
  });
}

struct WaitsWhileUnwound {
  explicit WaitsWhileUnwound(Barrier& all) : all_(all) {}
  WaitsWhileUnwound(const WaitsWhileUnwound&) = delete;
  WaitsWhileUnwound& operator=(const WaitsWhileUnwound&) = delete;
  ~WaitsWhileUnwound() {
    EXPECT_EQ(std::uncaught_exceptions(), 1);
    all_.wait();
    EXPECT_EQ(std::uncaught_exceptions(), 1);
  }

 private:
  Barrier& all_;
};

// Thrown, unwound and handled over waits, while all other tasks do the same with theirs.
TEST_F(ThreadStateOfTasks, HasTheExceptionsOfEachTask) {
  Barrier unwound(kTasks);
  all_do([&](int task) {
    const std::string mine = "of task " + std::to_string(task);
    for (int round = 0; round < kRounds; ++round) {
      try {
        const WaitsWhileUnwound local(unwound);
        throw std::runtime_error(mine);
      } catch (const std::exception& error) {
        EXPECT_EQ(std::uncaught_exceptions(), 0);
        wait();
        EXPECT_EQ(error.what(), mine);
        try {
          throw;
        } catch (const std::exception& again) {
          wait();
          EXPECT_EQ(again.what(), mine);
        }
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  });
}

// Blocks that one task fills and another, often of another hart, looks at and frees; both wait meanwhile.
TEST_F(ThreadStateOfTasks, HasAMallocForBlocksOfOtherTasks) {
  struct Block {
    unsigned char* bytes = nullptr;
    std::size_t size = 0;
  };
  std::vector<Block> blocks(kTasks);
  all_do([&](int task) {
    for (int round = 0; round < kRounds; ++round) {
      const std::size_t size = 1 + static_cast<std::size_t>(task * 7919 + round * 104'729) % 20'000;
      auto* const bytes = static_cast<unsigned char*>(std::malloc(size));
      ASSERT_NE(bytes, nullptr);
      std::memset(bytes, task, size);
      blocks[static_cast<std::size_t>(task)] = {bytes, size};
      wait();
      const int other = (task + 1 + round) % kTasks;
      const Block taken = blocks[static_cast<std::size_t>(other)];
      EXPECT_EQ(std::count(taken.bytes, taken.bytes + taken.size, other), static_cast<std::ptrdiff_t>(taken.size));
      std::free(taken.bytes);
      wait();
    }
  });
}

// All print into one stream; each line is whole, and each task's are in its order.
TEST_F(ThreadStateOfTasks, HasAPrintfWhoseLinesAreWhole) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  ASSERT_NE(file, nullptr);
  all_do([&](int task) {
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_GT(std::fprintf(file.get(), "task %d round %d %.3f %Lg %s\n", task, round, task / 8.0,
                             static_cast<long double>(round), std::string(300, 'x').c_str()),
                300);
      if (round % 4 == 0) wait();
    }
  });
  std::rewind(file.get());
  std::array<int, kTasks> rounds{};
  std::array<char, 1000> line{};
  while (std::fgets(line.data(), line.size(), file.get()) != nullptr) {
    int task = -1;
    int round = -1;
    ASSERT_EQ(std::sscanf(line.data(), "task %d round %d", &task, &round), 2) << line.data();
    ASSERT_LT(static_cast<unsigned>(task), rounds.size());
    std::array<char, 1000> expected{};
    (void)std::snprintf(expected.data(), expected.size(), "task %d round %d %.3f %Lg %s\n", task,
                        rounds[static_cast<std::size_t>(task)]++, task / 8.0, static_cast<long double>(round),
                        std::string(300, 'x').c_str());
    ASSERT_STREQ(line.data(), expected.data());
  }
  EXPECT_EQ(std::accumulate(rounds.begin(), rounds.end(), 0), kTasks * kRounds);
}

}  // namespace
