// SPDX-License-Identifier: BSD-3-Clause
// C++'s operators new and delete. Where all of them are those of the runtime or of an allocator they are passed by, and
// it is their caller who asked for memory. Where a program has one of its own each goes on to the next one of its name,
// as if we were not there.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

#include "memory/hooks/code/caller.hpp"
#include "memory/hooks/next.hpp"
#include "memory/hooks/program.hpp"
#include "memory/hooks/short_way.hpp"

namespace comity::memory::hooks {
namespace {

using std::align_val_t;
using std::nothrow_t;
using std::size_t;

enum class Op : std::uint8_t {
  one,
  many,
  one_or_null,
  many_or_null,
  end_one,
  end_many,
  end_one_sized,
  end_many_sized,
  end_one_or_null,
  end_many_or_null,
  one_aligned,
  many_aligned,
  one_aligned_or_null,
  many_aligned_or_null,
  end_one_aligned,
  end_many_aligned,
  end_one_sized_aligned,
  end_many_sized_aligned,
  end_one_aligned_or_null,
  end_many_aligned_or_null,
};

// As the ABI of C++ writes them.
constexpr std::array kNames{"_Znwm",
                            "_Znam",
                            "_ZnwmRKSt9nothrow_t",
                            "_ZnamRKSt9nothrow_t",
                            "_ZdlPv",
                            "_ZdaPv",
                            "_ZdlPvm",
                            "_ZdaPvm",
                            "_ZdlPvRKSt9nothrow_t",
                            "_ZdaPvRKSt9nothrow_t",
                            "_ZnwmSt11align_val_t",
                            "_ZnamSt11align_val_t",
                            "_ZnwmSt11align_val_tRKSt9nothrow_t",
                            "_ZnamSt11align_val_tRKSt9nothrow_t",
                            "_ZdlPvSt11align_val_t",
                            "_ZdaPvSt11align_val_t",
                            "_ZdlPvmSt11align_val_t",
                            "_ZdaPvmSt11align_val_t",
                            "_ZdlPvSt11align_val_tRKSt9nothrow_t",
                            "_ZdaPvSt11align_val_tRKSt9nothrow_t"};
static_assert(static_cast<size_t>(Op::end_many_aligned_or_null) + 1 == kNames.size());

enum class Way : std::uint8_t { unknown, pass_by, go_on };
constinit std::array<void*, kNames.size()> next_operators{};
constinit std::atomic<Way> way{Way::unknown};

Component owner_of_function(const void* function) { return component_at(reinterpret_cast<std::uintptr_t>(function)); }

// The first of that name is ours, and the next one does nothing but call malloc.
bool is_the_runtimes(const char* name, void* following) {
  void* const first = ::dlsym(RTLD_DEFAULT, name);
  if (owner_of_function(first) != Component::comity) return false;
  const Component component = owner_of_function(following);
  return component == Component::libc || component == Component::allocator;
}

Way search_way() {
  Way found = Way::pass_by;
  for (size_t i = 0; i < kNames.size(); ++i) {
    next_operators[i] = ::dlsym(RTLD_NEXT, kNames[i]);
    if (!is_the_runtimes(kNames[i], next_operators[i])) found = Way::go_on;
  }
  way.store(found, std::memory_order_release);
  return found;
}

[[gnu::cold, gnu::noinline]] bool passes_by_at_first() {
  Way known = way.load(std::memory_order_acquire);
  if (known == Way::unknown) known = search_way();
  return known == Way::pass_by && next_is_known();
}

inline bool passes_by() {
  const Way known = way.load(std::memory_order_acquire);
  if (known == Way::go_on) return false;
  return (known == Way::pass_by && next.usable != nullptr) || passes_by_at_first();
}

template <typename Result, Op kOp, typename... Words>
Result go_on(Words... words) {
  return reinterpret_cast<Result (*)(Words...)>(next_operators[static_cast<size_t>(kOp)])(words...);
}

// Without memory the program's handler is called, and then it is tried again.
template <typename Allocate>
void* obtained(Allocate&& allocate) {
  while (true) {
    void* const block = allocate();
    if (block != nullptr) return block;
    std::new_handler const handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

template <typename Allocate>
void* obtained_or_null(Allocate&& allocate) noexcept {
  try {
    return obtained(allocate);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

template <Op kOp>
[[gnu::always_inline]] inline void* make(size_t bytes, CallSite site) {
  if (!passes_by()) return go_on<void*, kOp>(bytes);
  return obtained([=] { return allocate(bytes, site); });
}

template <Op kOp>
[[gnu::always_inline]] inline void* make(size_t bytes, const nothrow_t& nothrow, CallSite site) noexcept {
  if (!passes_by()) return go_on<void*, kOp, size_t, const nothrow_t&>(bytes, nothrow);
  return obtained_or_null([=] { return allocate(bytes, site); });
}

size_t at_least_a_pointers(align_val_t alignment) { return std::max(static_cast<size_t>(alignment), sizeof(void*)); }

template <Op kOp>
[[gnu::always_inline]] inline void* make(size_t bytes, align_val_t alignment, CallSite site) {
  if (!passes_by()) return go_on<void*, kOp>(bytes, alignment);
  return obtained([=] { return allocate_aligned(at_least_a_pointers(alignment), bytes, owner_of(site)); });
}

template <Op kOp>
[[gnu::always_inline]] inline void* make(size_t bytes, align_val_t alignment, const nothrow_t& nothrow,
                                         CallSite site) noexcept {
  if (!passes_by()) return go_on<void*, kOp, size_t, align_val_t, const nothrow_t&>(bytes, alignment, nothrow);
  return obtained_or_null([=] { return allocate_aligned(at_least_a_pointers(alignment), bytes, owner_of(site)); });
}

template <Op kOp, typename... Words>
void end(void* block, Words... words) noexcept {
  if (!passes_by()) return go_on<void, kOp>(block, words...);
  release(block);
}

template <Op kOp, typename... Words>
void end_or_null(void* block, const nothrow_t& nothrow) noexcept {
  if (!passes_by()) return go_on<void, kOp, void*, const nothrow_t&>(block, nothrow);
  release(block);
}

template <Op kOp, typename... Words>
void end_or_null(void* block, align_val_t alignment, const nothrow_t& nothrow) noexcept {
  if (!passes_by()) return go_on<void, kOp, void*, align_val_t, const nothrow_t&>(block, alignment, nothrow);
  release(block);
}

}  // namespace
}  // namespace comity::memory::hooks

using namespace comity::memory::hooks;

COMITY_SEEN_BY_PROGRAMS void* operator new(size_t bytes) { return make<Op::one>(bytes, call_site()); }
COMITY_SEEN_BY_PROGRAMS void* operator new[](size_t bytes) { return make<Op::many>(bytes, call_site()); }
COMITY_SEEN_BY_PROGRAMS void* operator new(size_t bytes, const nothrow_t& nothrow) noexcept {
  return make<Op::one_or_null>(bytes, nothrow, call_site());
}
COMITY_SEEN_BY_PROGRAMS void* operator new[](size_t bytes, const nothrow_t& nothrow) noexcept {
  return make<Op::many_or_null>(bytes, nothrow, call_site());
}
COMITY_SEEN_BY_PROGRAMS void operator delete(void* block) noexcept { end<Op::end_one>(block); }
COMITY_SEEN_BY_PROGRAMS void operator delete[](void* block) noexcept { end<Op::end_many>(block); }
COMITY_SEEN_BY_PROGRAMS void operator delete(void* block, size_t bytes) noexcept {
  end<Op::end_one_sized>(block, bytes);
}
COMITY_SEEN_BY_PROGRAMS void operator delete[](void* block, size_t bytes) noexcept {
  end<Op::end_many_sized>(block, bytes);
}
COMITY_SEEN_BY_PROGRAMS void operator delete(void* block, const nothrow_t& nothrow) noexcept {
  end_or_null<Op::end_one_or_null>(block, nothrow);
}
COMITY_SEEN_BY_PROGRAMS void operator delete[](void* block, const nothrow_t& nothrow) noexcept {
  end_or_null<Op::end_many_or_null>(block, nothrow);
}
COMITY_SEEN_BY_PROGRAMS void* operator new(size_t bytes, align_val_t alignment) {
  return make<Op::one_aligned>(bytes, alignment, call_site());
}
COMITY_SEEN_BY_PROGRAMS void* operator new[](size_t bytes, align_val_t alignment) {
  return make<Op::many_aligned>(bytes, alignment, call_site());
}
COMITY_SEEN_BY_PROGRAMS void* operator new(size_t bytes, align_val_t alignment, const nothrow_t& nothrow) noexcept {
  return make<Op::one_aligned_or_null>(bytes, alignment, nothrow, call_site());
}
COMITY_SEEN_BY_PROGRAMS void* operator new[](size_t bytes, align_val_t alignment, const nothrow_t& nothrow) noexcept {
  return make<Op::many_aligned_or_null>(bytes, alignment, nothrow, call_site());
}
COMITY_SEEN_BY_PROGRAMS void operator delete(void* block, align_val_t alignment) noexcept {
  end<Op::end_one_aligned>(block, alignment);
}
COMITY_SEEN_BY_PROGRAMS void operator delete[](void* block, align_val_t alignment) noexcept {
  end<Op::end_many_aligned>(block, alignment);
}
COMITY_SEEN_BY_PROGRAMS void operator delete(void* block, size_t bytes, align_val_t alignment) noexcept {
  end<Op::end_one_sized_aligned>(block, bytes, alignment);
}
COMITY_SEEN_BY_PROGRAMS void operator delete[](void* block, size_t bytes, align_val_t alignment) noexcept {
  end<Op::end_many_sized_aligned>(block, bytes, alignment);
}
COMITY_SEEN_BY_PROGRAMS void operator delete(void* block, align_val_t alignment, const nothrow_t& nothrow) noexcept {
  end_or_null<Op::end_one_aligned_or_null>(block, alignment, nothrow);
}
COMITY_SEEN_BY_PROGRAMS void operator delete[](void* block, align_val_t alignment, const nothrow_t& nothrow) noexcept {
  end_or_null<Op::end_many_aligned_or_null>(block, alignment, nothrow);
}
