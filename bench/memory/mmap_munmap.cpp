// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <stdexcept>

#include "memory/cases.hpp"

namespace bench::memory {
namespace {

constexpr std::size_t kLive = 10'000;
constexpr std::size_t kEach_bytes = 16'384;
constexpr int kPairs = 1000;  // a batch
constexpr int kManyBatches = 41;

struct Functions {
  void* (*map)(void*, std::size_t, int, int, int, off_t);
  int (*unmap)(void*, std::size_t);
};

// By their addresses, so that no table of calls is asked.
Functions glibcs() {
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  const Functions found{reinterpret_cast<decltype(Functions::map)>(dlsym(libc, "mmap")),
                        reinterpret_cast<decltype(Functions::unmap)>(dlsym(libc, "munmap"))};
  if (found.map == nullptr || found.unmap == nullptr) throw std::runtime_error("this C library is not glibc");
  return found;
}

void* map_one(Functions functions) {
  void* const start = functions.map(nullptr, kEach_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) throw std::runtime_error("the kernel maps no 16 KiB more");
  *static_cast<volatile char*>(start) = 1;
  return start;
}

}  // namespace

// All that are live are the hooks' too: the reference is what the kernel takes beside them.
Outcome mmap_munmap() {
  Outcome outcome{"mmap_munmap", "ns", "glibc's mmap and munmap", {}, {}};
  const Functions ours{&::mmap, &::munmap};
  const Functions theirs = glibcs();
  std::array<void*, kLive> live{};
  for (void*& one : live) one = map_one(ours);
  const auto pair = [](Functions functions) { (void)functions.unmap(map_one(functions), kEach_bytes); };
  for (int batch = 0; batch < kManyBatches; ++batch) {
    outcome.values.push_back(time_loop(kPairs, [&] { pair(ours); }));
    outcome.references.push_back(time_loop(kPairs, [&] { pair(theirs); }));
  }
  for (void* const one : live) (void)ours.unmap(one, kEach_bytes);
  return outcome;
}

}  // namespace bench::memory
