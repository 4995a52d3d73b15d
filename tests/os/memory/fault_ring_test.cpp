// SPDX-License-Identifier: BSD-3-Clause
#include "os/memory/fault_ring.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "os/code/loaded_object.hpp"
#include "os/cpus/affinity.hpp"
#include "os/kernel.hpp"
#include "os/threads/threads.hpp"

namespace comity::os {
namespace {

// Small pages that nobody has touched.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * page_bytes()) {
    start_ = static_cast<char*>(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ::madvise(start_, bytes_, MADV_NOHUGEPAGE);
  }
  ~Pages() { ::munmap(start_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  void touch() const {
    for (std::size_t i = 0; i < bytes_; i += page_bytes()) static_cast<volatile char*>(start_)[i] = 1;
  }
  [[nodiscard]] std::size_t in(const std::vector<FaultRing::Fault>& faults) const {
    return static_cast<std::size_t>(std::count_if(faults.begin(), faults.end(),
                                                  [&](const FaultRing::Fault& fault) { return holds(fault.address); }));
  }
  [[nodiscard]] char* start() const { return start_; }
  [[nodiscard]] bool holds(std::uint64_t address) const {
    const auto start = reinterpret_cast<std::uintptr_t>(start_);
    return address >= start && address < start + bytes_;
  }

 private:
  char* start_;
  std::size_t bytes_;
};

class FaultRings : public testing::Test {
 protected:
  // Of this thread, and those that it starts.
  FaultRing& ring(unsigned every) { return ring_.emplace(affinity(0), every); }
  // Each CPU has a ring of its own, so all stay on one.
  void SetUp() override {
    before_ = affinity(0);
    ASSERT_EQ(set_affinity(0, {static_cast<std::size_t>(current_cpu())}), 0);
    try {
      (void)FaultRing(affinity(0), 1);
    } catch (const Error& error) {
      GTEST_SKIP() << "NOT TESTED: " << error.what();
    }
  }

  void TearDown() override { (void)set_affinity(0, before_); }

 private:
  CpuSet before_;
  std::optional<FaultRing> ring_;
};

TEST_F(FaultRings, TellEachFaultWithItsAddressItsCodeAndItsThread) {
  const Pages pages(100);
  FaultRing& all = ring(1);
  pages.touch();
  EXPECT_TRUE(all.has_news());
  std::vector<FaultRing::Fault> faults;
  EXPECT_EQ(all.read(faults), 0U);
  EXPECT_EQ(pages.in(faults), 100U);
  const std::uintptr_t here = loaded_object_at(reinterpret_cast<std::uintptr_t>(&this_thread))->start;
  for (const FaultRing::Fault& fault : faults) {
    EXPECT_EQ(fault.thread, this_thread());
    if (pages.holds(fault.address)) {
      EXPECT_EQ(loaded_object_at(fault.code)->start, here);
    }
  }
  faults.clear();
  pages.touch();
  (void)all.read(faults);
  EXPECT_EQ(pages.in(faults), 0U) << "they are there";
}

TEST_F(FaultRings, TellOneOfMany) {
  const Pages pages(16 * 100);
  FaultRing& some = ring(16);
  pages.touch();
  std::vector<FaultRing::Fault> faults;
  EXPECT_EQ(some.read(faults), 0U);
  EXPECT_NEAR(static_cast<double>(pages.in(faults)), 100, 8);  // each CPU counts for itself
}

TEST_F(FaultRings, TellThoseOfThreadsThatStartLater) {
  const Pages pages(50);
  FaultRing& all = ring(1);
  pid_t other = 0;
  std::thread([&] {
    other = this_thread();
    pages.touch();
  }).join();
  std::vector<FaultRing::Fault> faults;
  (void)all.read(faults);
  EXPECT_EQ(pages.in(faults), 50U);
  for (const FaultRing::Fault& fault : faults) {
    if (pages.holds(fault.address)) {
      EXPECT_EQ(fault.thread, other);
    }
  }
}

TEST_F(FaultRings, TellThoseInsideSystemCallsWhereThatIsAllowed) {
  FaultRing& all = ring(1);
  if (!all.sees_system_calls()) GTEST_SKIP() << "NOT TESTED: this user may not see faults inside system calls";
  const Pages buffer(64);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  ASSERT_EQ(::read(ends[0], buffer.start(), 1), 1);
  std::vector<FaultRing::Fault> faults;
  (void)all.read(faults);
  ASSERT_EQ(buffer.in(faults), 1U);
  for (const FaultRing::Fault& fault : faults) {
    if (buffer.holds(fault.address)) {
      EXPECT_TRUE(FaultRing::is_of_kernel(fault.code));
    }
  }
  for (const int end : ends) ::close(end);
}

// A program may touch much between two calls of MPI.
TEST_F(FaultRings, SayHowManyFoundNoRoom) {
  const Pages pages(60'000);
  FaultRing& all = ring(1);
  pages.touch();
  std::vector<FaultRing::Fault> faults;
  std::uint64_t lost = all.read(faults);
  const std::size_t told = pages.in(faults);
  EXPECT_LT(told, 60'000U);
  const Pages more(100);
  more.touch();  // the kernel says so with the next one that it tells
  faults.clear();
  lost += all.read(faults);
  EXPECT_EQ(more.in(faults), 100U);
  EXPECT_GE(lost + told, 60'000U - 100);
  EXPECT_LE(lost + told, 80'000U);  // a sanitizer has pages of its own
}

TEST_F(FaultRings, TellNothingOfForkChildren) {
  const Pages pages(100);
  FaultRing& all = ring(1);
  const pid_t child = ::fork();
  if (child == 0) {
    pages.touch();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  std::vector<FaultRing::Fault> faults;
  (void)all.read(faults);
  EXPECT_EQ(pages.in(faults), 0U);
}

}  // namespace
}  // namespace comity::os
