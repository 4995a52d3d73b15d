// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include "memory/cases.hpp"

namespace bench::memory {
namespace {

constexpr int kManyBatches = 101;

// [bytes] Blocks of `least` up to `most`, of which `live` are there at once; `pairs`: a batch.
struct Sizes {
  std::size_t least;
  std::size_t most;
  std::size_t live;
  int pairs;
};
constexpr Sizes kSmall{16, 1015, 10'000, 20'000};
// Whoever counts them has each in a table, where smaller ones have a word at their end.
constexpr Sizes kLarge{std::size_t{64} << 10U, std::size_t{1} << 20U, 100, 2'000};

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

// In an order that nobody can foresee.
template <Sizes kSizes>
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
    void*& block = blocks_[(next() >> 16U) % kSizes.live];
    functions_.give_back(block);
    block = functions_.take(size());
  }

 private:
  std::uint32_t next() { return state_ = state_ * 1'664'525U + 1'013'904'223U; }
  std::size_t size() { return kSizes.least + (next() >> 11U) % (kSizes.most - kSizes.least + 1); }

  Functions functions_;
  std::uint32_t state_ = 1;
  std::array<void*, kSizes.live> blocks_{};
};

template <Sizes kSizes>
Outcome pairs_of(const char* name) {
  Outcome outcome{name, "ns", "glibc's malloc", {}, {}};
  Live<kSizes> ours({&std::malloc, &std::free});
  Live<kSizes> theirs(glibcs());
  for (int batch = 0; batch < kManyBatches; ++batch) {
    outcome.values.push_back(time_loop(kSizes.pairs, [&] { ours.exchange_one(); }));
    outcome.references.push_back(time_loop(kSizes.pairs, [&] { theirs.exchange_one(); }));
  }
  return outcome;
}

}  // namespace

std::vector<Outcome> malloc_free() { return {pairs_of<kSmall>("malloc_free"), pairs_of<kLarge>("malloc_free_large")}; }

}  // namespace bench::memory
