// SPDX-License-Identifier: BSD-3-Clause
// Source: the System V ABI's calling conventions for x86-64 and 64-bit Arm; pthread_getattr_np(3).
#include "os/threads/aside_stack.hpp"

#include <pthread.h>

#include <cstdint>
#include <new>

#include "os/kernel.hpp"

// Sanitizers follow a thread's stack: it stays on it.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && (defined(__x86_64__) || defined(__aarch64__))
#define COMITY_HAS_ASIDE_STACK 1
#endif

#ifdef COMITY_HAS_ASIDE_STACK

// work(with) on the stack that ends at `top`. Whoever goes up the stack finds the way by the frame pointer.
extern "C" void comity_call_on_stack(void* with, void (*work)(void*), void* top);

#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .globl comity_call_on_stack
  .hidden comity_call_on_stack
  .type comity_call_on_stack, @function
comity_call_on_stack:
  .cfi_startproc
  endbr64
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdx, %rsp
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size comity_call_on_stack, . - comity_call_on_stack
  .popsection
)");
#else
asm(R"(
  .pushsection .text
  .globl comity_call_on_stack
  .hidden comity_call_on_stack
  .type comity_call_on_stack, %function
comity_call_on_stack:
  .cfi_startproc
  hint #34
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset x29, -16
  .cfi_offset x30, -8
  mov x29, sp
  .cfi_def_cfa_register x29
  mov sp, x2
  blr x1
  mov sp, x29
  .cfi_def_cfa_register sp
  ldp x29, x30, [sp], #16
  .cfi_def_cfa_offset 0
  ret
  .cfi_endproc
  .size comity_call_on_stack, . - comity_call_on_stack
  .popsection
)");
#endif
#endif

namespace comity::os {
namespace {

constexpr std::size_t kStack_bytes = 2 * AsideStack::kRoom_bytes;

#ifdef COMITY_HAS_ASIDE_STACK
// The stack that the system gave this thread; nothing where that was not asked yet, or nobody knows.
struct OwnBounds {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  bool is_known = false;
};
constinit thread_local OwnBounds own_bounds __attribute__((tls_model("initial-exec"))) = {};

void find_own_bounds(void* /*with*/) {
  own_bounds.is_known = true;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
  void* start = nullptr;
  std::size_t bytes = 0;
  if (::pthread_attr_getstack(&attributes, &start, &bytes) == 0) {
    own_bounds.start = reinterpret_cast<std::uintptr_t>(start);
    own_bounds.end = own_bounds.start + bytes;
  }
  (void)::pthread_attr_destroy(&attributes);
}

bool has_room(std::uintptr_t at) { return at >= own_bounds.start + AsideStack::kRoom_bytes && at < own_bounds.end; }
#endif

}  // namespace

// Without a guard, which would make what lies above it look like a thread's stack to whoever reads the process's map.
AsideStack::AsideStack()
    : memory_(static_cast<std::byte*>(::operator new (kStack_bytes, std::align_val_t{page_bytes()}))) {}

AsideStack::~AsideStack() { ::operator delete (memory_, std::align_val_t{page_bytes()}); }

#ifdef COMITY_HAS_ASIDE_STACK

// To ask for the bounds takes room itself.
void AsideStack::run_plain(void (*work)(void* with), void* with) noexcept {
  if (is_taken_.exchange(true, std::memory_order_acquire)) return work(with);
  if (!own_bounds.is_known) call_there(&find_own_bounds, nullptr);
  const bool stays = has_room(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
  if (!stays) call_there(work, with);
  is_taken_.store(false, std::memory_order_release);
  if (stays) work(with);
}

void AsideStack::call_there(void (*work)(void* with), void* with) noexcept {
  comity_call_on_stack(with, work, memory_ + kStack_bytes);
}

#else

void AsideStack::run_plain(void (*work)(void* with), void* with) noexcept { work(with); }

#endif

}  // namespace comity::os
