// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>

#include "memory/cases.hpp"

namespace bench::memory {
namespace {

constexpr std::size_t kLive = 10'000;
constexpr int kPairs = 20'000;  // a batch
constexpr int kManyBatches = 101;

struct Functions {
  void* (*take)(std::size_t);
  void (*give_back)(void*);
};

Functions glibcs() {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  const Functions found{reinterpret_cast<void* (*)(std::size_t)>(dlsym(libc, "malloc")),
                        reinterpret_cast<void (*)(void*)>(dlsym(libc, "free"))};
  if (found.take == nullptr || found.give_back == nullptr) throw std::runtime_error("this C library is not glibc");
  return found;
}

// Blocks of 16 to 1,015 bytes, in an order that nobody can foresee.
class Live {
 public:
  explicit Live(Functions functions) : functions_(functions) {
    for (void*& block : blocks_) block = functions_.take(size());
  }
  ~Live() {
    for (void* const block : blocks_) functions_.give_back(block);
  }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  void exchange_one() {
    void*& block = blocks_[(next() >> 16U) % kLive];
    functions_.give_back(block);
    block = functions_.take(size());
  }

 private:
  std::uint32_t next() { return state_ = state_ * 1'664'525U + 1'013'904'223U; }
  std::size_t size() { return 16 + (next() >> 20U) % 1000; }

  Functions functions_;
  std::uint32_t state_ = 1;
  std::array<void*, kLive> blocks_{};
};

}  // namespace

Outcome malloc_free() {
  Outcome outcome{"malloc_free", "ns", "glibc's malloc", {}, {}};
  Live ours({&std::malloc, &std::free});
  Live theirs(glibcs());
  for (int batch = 0; batch < kManyBatches; ++batch) {
    outcome.values.push_back(time_loop(kPairs, [&] { ours.exchange_one(); }));
    outcome.references.push_back(time_loop(kPairs, [&] { theirs.exchange_one(); }));
  }
  return outcome;
}

}  // namespace bench::memory
