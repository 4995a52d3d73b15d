// SPDX-License-Identifier: BSD-3-Clause
#include "memory/hooks/next.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/short_way.hpp"

namespace comity::memory::hooks {
namespace {

constinit std::atomic<std::size_t> store_used{0};

constinit thread_local bool searching __attribute__((tls_model("initial-exec"))) = false;

template <typename Function>
Function* search(Function* /*type*/, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Who is asked for the first time how long a block is may ask for memory himself, as tcmalloc does by C++'s operators: that would be noted, and he asked
// again, without an end. So he is asked before anybody is noted.
void ask_once(const Next& found, std::size_t (*usable)(void*) noexcept) {
  void* const block = found.malloc(1);
  if (block == nullptr) return;
  (void)usable(block);
  found.free(block);
}

// Whether the word in front of a block tells its length: of glibc's own malloc, and what it says is what the function says. None of these is
// a mapping by itself: to free one would change from which size on there are such.
bool tells_length_in_front(const Next& found, std::size_t (*usable)(void*) noexcept) {
  constexpr std::array<std::size_t, 8> kSizes{1, 24, 25, 100, 1000, 1033, 5000, 40000};
  static_assert(sizeof(std::size_t) == 8, "the word in front is taken for one of 64 bits");
  if (component_at(reinterpret_cast<std::uintptr_t>(usable)) != Component::libc) return false;
  std::array<void*, kSizes.size()> blocks{};
  bool does = true;
  for (std::size_t i = 0; i < kSizes.size(); ++i) {
    blocks[i] = found.malloc(kSizes[i]);
    if (blocks[i] == nullptr) does = false;
    if (!does) continue;
    const std::size_t word = static_cast<const std::size_t*>(blocks[i])[-1];
    does = (word & 2U) == 0 && (word & ~std::size_t{7}) - sizeof word == usable(blocks[i]);
  }
  for (void* const block : blocks) found.free(block);
  return does;
}

}  // namespace

constinit Next next;
alignas(kStoreAlignment) constinit std::array<std::byte, kStore_bytes> store{};

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
  found.length_is_in_front = tells_length_in_front(found, usable);
  searching = false;
  found.usable = nullptr;
  next = found;
  std::atomic_thread_fence(std::memory_order_release);
  next.usable = usable;  // the last: who sees it sees all
  choose_way();
  return true;
}

void* from_store(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t most = bytes + alignment;
  if (alignment > kStoreAlignment || most < bytes || most > kStore_bytes) return nullptr;
  const std::size_t begin = store_used.fetch_add(most, std::memory_order_relaxed);
  if (begin > kStore_bytes - most) return nullptr;
  return &store[(begin + alignment - 1) / alignment * alignment];
}

std::size_t store_bytes_behind(const void* block) noexcept {
  return static_cast<std::size_t>(store.data() + kStore_bytes - static_cast<const std::byte*>(block));
}

}  // namespace comity::memory::hooks
