// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/next.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace comity::memory::hooks {
namespace {

constexpr std::size_t kStore_bytes = std::size_t{32} << 10U;
constexpr std::size_t kStoreAlignment = 64;
alignas(kStoreAlignment) constinit std::array<std::byte, kStore_bytes> store{};
constinit std::atomic<std::size_t> store_used{0};

constinit thread_local bool searching __attribute__((tls_model("initial-exec"))) = false;

template <typename Function>
Function* search(Function* /*type*/, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Who is asked for the first time how long a block is may ask for memory himself, as tcmalloc does by C++'s operators: that would be noted, and he asked
// again, without an end. So he is asked before anybody is noted.
void ask_once(const Next& found, std::size_t (*usable)(void*)) {
  void* const block = found.malloc(1);
  if (block == nullptr) return;
  (void)usable(block);
  found.free(block);
}

}  // namespace

constinit Next next;

bool search_next() noexcept {
  if (searching) return false;
  searching = true;
  Next found;
  found.malloc = search(found.malloc, "malloc");
  found.calloc = search(found.calloc, "calloc");
  found.realloc = search(found.realloc, "realloc");
  found.free = search(found.free, "free");
  found.posix_memalign = search(found.posix_memalign, "posix_memalign");
  found.aligned_alloc = search(found.aligned_alloc, "aligned_alloc");
  found.memalign = search(found.memalign, "memalign");
  found.usable = search(found.usable, "malloc_usable_size");
  if (found.malloc == nullptr || found.free == nullptr || found.usable == nullptr) std::abort();  // no libc below us
  auto* const usable = found.usable;
  ask_once(found, usable);
  searching = false;
  found.usable = nullptr;
  next = found;
  std::atomic_thread_fence(std::memory_order_release);
  next.usable = usable;  // the last: who sees it sees all
  return true;
}

void* from_store(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t most = bytes + alignment;
  if (alignment > kStoreAlignment || most < bytes || most > kStore_bytes) return nullptr;
  const std::size_t begin = store_used.fetch_add(most, std::memory_order_relaxed);
  if (begin > kStore_bytes - most) return nullptr;
  return &store[(begin + alignment - 1) / alignment * alignment];
}

bool is_from_store(const void* block) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(store.data());
  return place < kStore_bytes;
}

std::size_t store_bytes_behind(const void* block) noexcept {
  return static_cast<std::size_t>(store.data() + kStore_bytes - static_cast<const std::byte*>(block));
}

}  // namespace comity::memory::hooks
