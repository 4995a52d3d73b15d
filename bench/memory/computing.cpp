// SPDX-License-Identifier: BSD-3-Clause
// A rank that makes no call of MPI: whoever looks at its memory meanwhile does so from beside, or from outside.
#include <sys/mman.h>

#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "memory/cases.hpp"
#include "memory/small_blocks.hpp"

namespace bench::memory {
namespace {

constexpr std::size_t kLive = 500'000;                        // 40 MB of small blocks
constexpr std::size_t kField_bytes = std::size_t{64} << 20U;  // and pages of a block of their own
constexpr std::size_t kMapped_bytes = std::size_t{64} << 10U;
constexpr std::size_t kPage_bytes = 4096;
constexpr int kSteps = 5'000;  // half a second

// It waits where somebody holds the process's map.
void map_and_unmap() {
  void* const start = ::mmap(nullptr, kMapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::runtime_error("the kernel maps no 64 KiB more");
  for (std::size_t at = 0; at < kMapped_bytes; at += kPage_bytes) static_cast<volatile char*>(start)[at] = 1;
  (void)::munmap(start, kMapped_bytes);
}

class Computing {
 public:
  Computing() : live_(kLive), field_(kField_bytes / sizeof(double), 1.0) {}

  // A part of the field, a block that comes where another one goes, and a mapping that comes and goes.
  void step() {
    constexpr std::size_t kPart = 100'000;
    const std::size_t begin = number_++ % (field_.size() / kPart) * kPart;
    for (std::size_t i = begin; i < begin + kPart; ++i) field_[i] = 0.5 * field_[i] + 1;
    std::free(block_);
    block_ = std::malloc(100 + number_ % 100);
    map_and_unmap();
  }

 private:
  SmallBlocks live_;
  std::vector<double> field_;
  void* block_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace

// The mean: looks are rare, and no median has them in it.
std::vector<Outcome> computing() {
  Computing rank;
  const double begin_cpu_ns = process_cpu_ns();
  const double step_ns = time_loop(kSteps, [&] { rank.step(); });
  const double cpu_ns = (process_cpu_ns() - begin_cpu_ns) / kSteps;
  return {{"computing", "us", "bare MPI", {1e-3 * step_ns}, {}},
          {"computing_cpu", "us", "bare MPI", {1e-3 * cpu_ns}, {}}};
}

}  // namespace bench::memory
