// SPDX-License-Identifier: BSD-3-Clause
// A process with two OpenMP runtimes: GNU's, with which this program is linked, and LLVM's, which a library brings late. Each
// team has the size that its own runtime has been told, and its own place for each member; by the kernel's masks.
#include <comity/comity.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "context/one_cpu.hpp"
#include "context/regions.hpp"
#include "node/process_state.hpp"

namespace {

using namespace comity::testing;
using comity::Context;
using comity::Resource;

constexpr int kRegions = 200;

// A runtime as the code that is compiled for it sees it: by its own symbols, whoever else has the same.
class Runtime {
 public:
  explicit Runtime(const char* library) : library_(dlopen(library, RTLD_NOW)) {
    EXPECT_NE(library_, nullptr) << dlerror();
  }

  [[nodiscard]] int max_threads() const { return symbol<int()>("omp_get_max_threads")(); }
  void set_threads(int count) const { symbol<void(int)>("omp_set_num_threads")(count); }
  void set_block_time(int milliseconds) const { symbol<void(int)>("kmp_set_blocktime")(milliseconds); }

  // `body(member)` on each of a team.
  template <typename Body>
  void region(int members, Body body) const {
    const auto number = symbol<int()>("omp_get_thread_num");
    auto call = [&] { body(number()); };
    symbol<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel")(
        [](void* data) { (*static_cast<decltype(call)*>(data))(); }, &call, static_cast<unsigned>(members), 0);
  }

  [[nodiscard]] bool is_even_in_a_region(const std::vector<Cpus>& cores, int members) const {
    std::vector<int> core_of_member(static_cast<std::size_t>(members), -1);
    region(members,
           [&](int member) { core_of_member[static_cast<std::size_t>(member)] = core_around(cores, cpus_of(0)); });
    return is_even(core_of_member, cores);
  }

 private:
  template <typename Function>
  [[nodiscard]] Function* symbol(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_;
};

// One that waits for work asleep; others run, whatever they wait for.
bool sleeps_soon(pid_t thread) {
  for (int look = 0; look < 5000; ++look) {
    if (state_of(thread) == 'S') return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// Both under the mask of one CPU: LLVM's counts it when it starts.
class TwoRuntimes : public OnOneCpu {
 protected:
  ~TwoRuntimes() override {
    gnu_.set_threads(cores_);
    if (llvm_) llvm_->set_threads(cores_);
  }

  const Runtime& load_llvm() {
    if (!llvm_) llvm_.emplace(COMITY_TEST_LIBOMP);
    return *llvm_;
  }

  // In how many of the regions, by turns of the runtimes, one's members were not even on the pushed cores.
  [[nodiscard]] int regions_uneven(const Context& context, int gnus, int llvms) {
    const std::vector<Cpus> cores = pushed_cores(context);
    int uneven = 0;
    for (int region = 0; region < kRegions; ++region) {
      uneven += gnu_.is_even_in_a_region(cores, gnus) ? 0 : 1;
      uneven += load_llvm().is_even_in_a_region(cores, llvms) ? 0 : 1;
    }
    return uneven;
  }

  const Runtime gnu_{"libgomp.so.1"};
  std::optional<Runtime> llvm_;
};

// The first test: LLVM's is not there yet, but in a second run of this process.
TEST_F(TwoRuntimes, TheLateOneHasItsTeamPlacedFromTheNextPushOn) {
  Context context = Context::local();
  context.push(Resource::machine, 0);
  const Runtime& llvm = load_llvm();
  context.push(Resource::machine, 0);
  EXPECT_EQ(regions_uneven(context, cores_, cores_), 0);
  EXPECT_EQ(llvm.max_threads(), 1) << "what it has counted stays, for regions outside a phase";
  const Threads all = threads_of_this_process();
  context.pop();
  context.pop();
  EXPECT_EQ(threads_elsewhere(all, {before_.front()}), 0);
}

TEST_F(TwoRuntimes, EachTeamIsAsLargeAsItsOwnRuntimeWasTold) {
  Context context = Context::local();
  const Runtime& llvm = load_llvm();
  const std::vector<std::pair<int, int>> sizes{
      {2 * cores_, cores_}, {cores_, 2 * cores_}, {3 * cores_ + 1, 1}, {1, 3 * cores_ + 1}};
  for (const auto& [gnus, llvms] : sizes) {
    gnu_.set_threads(gnus);
    llvm.set_threads(llvms);
    context.push(Resource::machine, 0);
    EXPECT_EQ(regions_uneven(context, gnus, llvms), 0) << gnus << " and " << llvms << " members";
    EXPECT_EQ(gnu_.max_threads(), gnus);
    EXPECT_EQ(llvm.max_threads(), llvms);
    context.pop();
  }
}

TEST_F(TwoRuntimes, APhaseSizesBothAndGivesEachItsOwnSizeBack) {
  Context context = Context::local();
  const Runtime& llvm = load_llvm();
  gnu_.set_threads(cores_ + 3);
  llvm.set_threads(cores_ + 5);
  for (int phase = 0; phase < 3; ++phase) {
    context.phase(Resource::machine, 1, [&] {
      EXPECT_EQ(gnu_.max_threads(), cores_);
      EXPECT_EQ(llvm.max_threads(), cores_);
      EXPECT_EQ(regions_uneven(context, cores_, cores_), 0);
    });
    EXPECT_EQ(gnu_.max_threads(), cores_ + 3);
    EXPECT_EQ(llvm.max_threads(), cores_ + 5);
  }
}

// Without that its idle members would spin on the cores of GNU's, here for ever.
TEST_F(TwoRuntimes, TheTeamThatTheProgramDoesNotUseSleeps) {
  if (cores_ < 2) GTEST_SKIP() << "NOT TESTED: there is one core only";
  Context context = Context::local();
  const Runtime& llvm = load_llvm();
  llvm.set_block_time(INT_MAX);
  context.push(Resource::machine, 0);
  for (const pid_t thread : threads_of_this_process()) {
    EXPECT_TRUE(thread == gettid() || sleeps_soon(thread)) << "a member spins";
  }
  context.pop();
  llvm.set_block_time(0);
  llvm.region(cores_, [](int) {});
}

TEST_F(TwoRuntimes, InsideARegionOfOneTheOtherIsLeftAlone) {
  if (cores_ < 2) GTEST_SKIP() << "NOT TESTED: there is one core only";
  Context context = Context::local();
  const Runtime& llvm = load_llvm();
  llvm.set_threads(3 * cores_);
  gnu_.region(2, [&](int member) {
    if (member != 0) return;
    const Threads before = threads_of_this_process();
    context.push(Resource::machine, 0);
    EXPECT_EQ(threads_of_this_process(), before) << "no team was started";
    EXPECT_EQ(threads_elsewhere(before, before_), 0) << "all are on the whole machine";
    context.pop();
  });
}

}  // namespace
