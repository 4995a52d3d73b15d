// SPDX-License-Identifier: BSD-3-Clause
// Hooks stand on the program's stack, which may be small: that of a signal handler, of a thread, of a fiber. Each ends at a page that nobody may touch.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "memory/hooks/since.hpp"

namespace comity::memory {
namespace {

using Step = void (*)();

constexpr std::size_t kPage = 4096;

// With a guard below.
class SmallStack {
 public:
  explicit SmallStack(std::size_t bytes) : bytes_(bytes), all_(with_guard(bytes)) {}
  ~SmallStack() { (void)::munmap(all_, bytes_ + kPage); }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;

  [[nodiscard]] stack_t told() const { return {.ss_sp = all_ + kPage, .ss_flags = 0, .ss_size = bytes_}; }
  [[nodiscard]] unsigned char* start() const { return all_ + kPage; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  static unsigned char* with_guard(std::size_t bytes) {
    void* const all = ::mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || ::mprotect(all, kPage, PROT_NONE) != 0) std::abort();
    return static_cast<unsigned char*>(all);
  }

  std::size_t bytes_;
  unsigned char* all_;
};

// More each time, so that what goes is looked at.
void map_and_unmap(int sharing) {
  static std::size_t last_bytes = kMega;
  const std::size_t bytes = last_bytes += 3 * kMega;
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) std::abort();
  touch(start, bytes);
  (void)::munmap(start, bytes);
}

void map_private() { map_and_unmap(MAP_PRIVATE); }
void map_shared() { map_and_unmap(MAP_SHARED); }

void allocate_and_free() {
  static std::size_t last_bytes = 40 * kMega;
  const std::size_t bytes = last_bytes += 20 * kMega;
  void* const block = std::malloc(bytes);
  touch(block, bytes);
  std::free(block);
}

void move_mapping() {
  static std::size_t last_bytes = 200 * kMega;
  const std::size_t bytes = last_bytes += 20 * kMega;
  void* const start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  touch(start, bytes);
  void* const moved = ::mremap(start, bytes, bytes + kPage, MREMAP_MAYMOVE);
  (void)::munmap(moved, bytes + kPage);
}

// The C library asks for it: whom for is found by going up the stack.
void copy_text() {
  char* (*volatile copy)(const char*) = &::strdup;
  std::free(copy("text"));
}

void nothing() {}

// A fiber runs one step.
ucontext_t back;
Step step_of_fiber;

void run_step() { step_of_fiber(); }

void run_as_fiber(Step step, const SmallStack& stack) {
  ucontext_t fiber;
  ASSERT_EQ(::getcontext(&fiber), 0);
  fiber.uc_stack = stack.told();
  fiber.uc_link = &back;
  step_of_fiber = step;
  ::makecontext(&fiber, &run_step, 0);
  ASSERT_EQ(::swapcontext(&back, &fiber), 0);
}

// [bytes] Of a stack that was painted before.
std::size_t deepest(Step step) {
  constexpr unsigned char kPaint = 0x5a;
  const SmallStack stack(64 * std::size_t{1024});
  std::memset(stack.start(), kPaint, stack.bytes());
  run_as_fiber(step, stack);
  const auto* const end = stack.start() + stack.bytes();
  const auto* const lowest =
      std::find_if(stack.start(), stack.start() + stack.bytes(), [](unsigned char one) { return one != kPaint; });
  return static_cast<std::size_t>(end - lowest);
}

TEST(MemorySmallStacks, OfASignalHandlerAreEnough) {
  const SmallStack stack(std::max<std::size_t>(8192, static_cast<std::size_t>(::sysconf(_SC_MINSIGSTKSZ)) + 4096));
  const stack_t told = stack.told();
  ASSERT_EQ(::sigaltstack(&told, nullptr), 0);
  struct sigaction action {};
  action.sa_handler = [](int) {
    map_private();
    map_shared();
  };
  action.sa_flags = SA_ONSTACK;
  ASSERT_EQ(::sigaction(SIGUSR1, &action, nullptr), 0);
  const std::uint32_t before = ledger().looks_before_releases();
  for (int i = 0; i < 4; ++i) ASSERT_EQ(::raise(SIGUSR1), 0);
  EXPECT_GT(ledger().looks_before_releases(), before) << "nothing was looked at";
}

void* run_on_thread(void*) {
  map_private();
  map_shared();
  allocate_and_free();
  copy_text();
  return nullptr;
}

TEST(MemorySmallStacks, OfAThreadAreEnough) {
  pthread_attr_t smallest;
  ASSERT_EQ(::pthread_attr_init(&smallest), 0);
  ASSERT_EQ(::pthread_attr_setstacksize(&smallest, static_cast<std::size_t>(PTHREAD_STACK_MIN)), 0);
  for (int i = 0; i < 2; ++i) {
    pthread_t thread{};
    ASSERT_EQ(::pthread_create(&thread, &smallest, &run_on_thread, nullptr), 0);
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
  }
  (void)::pthread_attr_destroy(&smallest);
}

TEST(MemorySmallStacks, OfAFiberAreEnough) {
  const SmallStack stack(8192);
  for (const Step step : {&allocate_and_free, &allocate_and_free, &map_private, &map_shared, &move_mapping, &copy_text})
    run_as_fiber(step, stack);
}

// What docs/memory.md says, and what the C library takes itself.
TEST(MemorySmallStacks, AreTakenTwoKiBOfAtTheMost) {
  constexpr std::size_t kOurs_bytes = 2048;
  constexpr std::size_t kOthers_bytes = 512;
  const std::size_t fiber_alone = deepest(&nothing);
  int number = 0;
  for (const Step step :
       {&copy_text, &allocate_and_free, &map_private, &map_shared, &move_mapping, &allocate_and_free, &map_shared}) {
    const std::size_t bytes = deepest(step) - fiber_alone;
    EXPECT_LE(bytes, kOurs_bytes + kOthers_bytes);
    ::testing::Test::RecordProperty("bytes_" + std::to_string(number++), std::to_string(bytes));
  }
}

}  // namespace
}  // namespace comity::memory
