// SPDX-License-Identifier: BSD-3-Clause
#include "os/threads/aside_stack.hpp"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "os/code/call_path.hpp"
#include "sanitizer.hpp"

namespace comity::os {
namespace {

constexpr std::size_t kSmall_bytes = 8192;
constexpr std::size_t kMuch_bytes = 48 * std::size_t{1024};
constexpr std::byte kPaint{0x5a};

std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

// More than a small stack has, all of it written.
__attribute__((noinline)) std::size_t take_much() {
  volatile std::byte much[kMuch_bytes];
  for (volatile std::byte& one : much) one = std::byte{1};
  return static_cast<std::size_t>(std::to_integer<int>(much[0])) * kMuch_bytes;
}

// Runs a step as a fiber; what is left of its paint tells how much it took.
class SmallFiber {
 public:
  template <typename Step>
  std::size_t bytes_of(Step step) {
    std::fill(memory_.begin(), memory_.end(), kPaint);
    const auto begin = [](unsigned low, unsigned high) {
      (*reinterpret_cast<Step*>(std::uintptr_t{high} << 32U | low))();  // NOLINT(performance-no-int-to-ptr)
    };
    ucontext_t fiber;
    (void)::getcontext(&fiber);
    fiber.uc_stack = {.ss_sp = stack(), .ss_flags = 0, .ss_size = kSmall_bytes};
    fiber.uc_link = &back_;
    const auto with = reinterpret_cast<std::uintptr_t>(&step);
    void (*const start)(unsigned, unsigned) = begin;
    ::makecontext(&fiber, reinterpret_cast<void (*)()>(start), 2, static_cast<unsigned>(with),
                  static_cast<unsigned>(with >> 32U));
    (void)::swapcontext(&back_, &fiber);
    const auto untouched = std::find_if(memory_.begin(), memory_.end(), [](std::byte one) { return one != kPaint; });
    return static_cast<std::size_t>(memory_.end() - untouched);
  }
  [[nodiscard]] bool holds(std::uintptr_t address) const {
    const auto start = reinterpret_cast<std::uintptr_t>(memory_.data());
    return address >= start && address < start + memory_.size();
  }

 private:
  [[nodiscard]] std::byte* stack() { return memory_.data() + (memory_.size() - kSmall_bytes); }

  std::vector<std::byte> memory_ = std::vector<std::byte>(16 * kSmall_bytes);  // below it is room to run over into
  ucontext_t back_{};
};

class OsAsideStack : public ::testing::Test {
 protected:
  void SetUp() override {
    if (comity::testing::kHasSanitizer)
      GTEST_SKIP() << "NOT TESTED: sanitizers follow a thread's stack, so it is never left";
  }
  AsideStack aside_;
  SmallFiber fiber_;
};

TEST_F(OsAsideStack, HasRoomForWhatASmallStackHasNot) {
  std::size_t taken = 0;
  const std::size_t alone = fiber_.bytes_of([] {});
  const std::size_t with = fiber_.bytes_of([&] { aside_.run([&] { taken = take_much(); }); });
  EXPECT_EQ(taken, kMuch_bytes);
  EXPECT_LE(with - alone, 512U);
}

TEST_F(OsAsideStack, IsLeftAloneWhereTheThreadsOwnHasRoom) {
  const std::uintptr_t caller = here();
  std::uintptr_t worker = 0;
  for (int i = 0; i < 2; ++i) {
    aside_.run([&] { worker = here(); });
    EXPECT_LT(std::max(caller, worker) - std::min(caller, worker), 4096U);
  }
}

TEST_F(OsAsideStack, IsTakenByAThreadWhoseOwnIsSmall) {
  pthread_attr_t small;
  ASSERT_EQ(::pthread_attr_init(&small), 0);
  ASSERT_EQ(
      ::pthread_attr_setstacksize(&small, std::max<std::size_t>(32768, static_cast<std::size_t>(PTHREAD_STACK_MIN))),
      0);
  pthread_t thread{};
  const auto run = [](void* aside) -> void* {
    static_cast<AsideStack*>(aside)->run([] { (void)take_much(); });
    return nullptr;
  };
  ASSERT_EQ(::pthread_create(&thread, &small, run, &aside_), 0);
  EXPECT_EQ(::pthread_join(thread, nullptr), 0);
  (void)::pthread_attr_destroy(&small);
}

// Whoever comes while another is at work stays where he is.
TEST_F(OsAsideStack, HoldsOneWorkAtATime) {
  std::uintptr_t outer = 0;
  std::uintptr_t inner = 0;
  std::uintptr_t other = 0;
  (void)fiber_.bytes_of([&] {
    aside_.run([&] {
      outer = here();
      aside_.run([&] { inner = here(); });
      std::thread([&] { aside_.run([&] { other = here(); }); }).join();
    });
  });
  EXPECT_FALSE(fiber_.holds(outer));
  EXPECT_LT(outer - inner, 4096U) << "on the same stack";
  EXPECT_GT(std::max(outer, other) - std::min(outer, other), 2 * AsideStack::kRoom_bytes);
}

TEST_F(OsAsideStack, LetsExceptionsBeCaughtAndCallersBeFound) {
  bool is_caught = false;
  bool is_found = false;
  (void)fiber_.bytes_of([&] {
    aside_.run([&] {
      try {
        throw std::runtime_error("inside");
      } catch (const std::exception&) {
        is_caught = true;
      }
      climb_callers([&](const Caller& caller) {
        is_found = is_found || fiber_.holds(caller.place);
        return Climb::on;
      });
    });
  });
  EXPECT_TRUE(is_caught);
  EXPECT_TRUE(is_found) << "the way up ends before the fiber";
}

}  // namespace
}  // namespace comity::os
