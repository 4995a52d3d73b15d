// SPDX-License-Identifier: BSD-3-Clause
// The switch itself: the registers of who leaves go onto his stack, those of who comes are taken from his. On x86-64 and on
// 64-bit Arm it is inlined: a function that is called here and left there makes the processor guess the next two returns wrong,
// which costs more than the switch. Elsewhere Boost.Context's; and where sanitizers look, so that both are tested on one machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/fibers/sanitizers.hpp"

#if defined(COMITY_SCHED_ASAN) || defined(COMITY_SCHED_TSAN)
#include <boost/context/detail/fcontext.hpp>
#elif defined(__x86_64__)
#define COMITY_SCHED_SWITCH_X86_64 1
#elif defined(__aarch64__)
#define COMITY_SCHED_SWITCH_AARCH64 1
#else
#include <boost/context/detail/fcontext.hpp>
#endif

namespace comity::sched {

using Start = void (*)();  // never returns

#if defined(COMITY_SCHED_SWITCH_X86_64)

// How floating-point numbers are rounded and which of their exceptions are told: of each execution, as the ABI of calls has it.
struct FloatControl {
  std::uint32_t sse = 0;
  std::uint16_t x87 = 0;

  // Each word is read again as it is written here: to read both at once waits until the processor has written both, as copying does.
  void take() noexcept { asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(sse), "=m"(x87)); }
  void apply() const noexcept { asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(sse), "m"(x87)); }
  friend bool operator==(const FloatControl&, const FloatControl&) = default;
};

struct RestingStack {
  void* point = nullptr;  // the stack's end; there stands where to go on
  FloatControl floats;

  // Begins in `start` when it is switched to.
  void prepare(void* top, std::size_t /*bytes*/, Start start, const FloatControl& control) noexcept {
    floats = control;
    auto* const aligned = reinterpret_cast<Start*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
    aligned[-1] = start;  // in the place of a return address, so that the function finds its stack as after a call
    point = &aligned[-1];
  }
};

inline __attribute__((always_inline)) void switch_stacks(RestingStack& from, const RestingStack& to) noexcept {
  from.floats.take();
  if (from.floats != to.floats) [[unlikely]]
    to.floats.apply();
  void** leaving = &from.point;
  void* coming = to.point;
  // Below the red zone. The frame pointer may not stand among what is lost, so it is kept by hand.
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%[leaving])\n\t"
      "movq %[coming], %%rsp\n\t"
      "jmpq *(%%rsp)\n"
      "1:\n\t"
      "leaq 8(%%rsp), %%rsp\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : [leaving] "+D"(leaving), [coming] "+S"(coming)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
#ifdef __AVX512F__
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27",
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7",
#endif
        "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)", "cc", "memory");
}

#elif defined(COMITY_SCHED_SWITCH_AARCH64)

// The same: the register that says so.
struct FloatControl {
  std::uint64_t fpcr = 0;

  void take() noexcept { asm volatile("mrs %0, fpcr" : "=r"(fpcr)); }
  void apply() const noexcept { asm volatile("msr fpcr, %0" : : "r"(fpcr)); }
  friend bool operator==(const FloatControl&, const FloatControl&) = default;
};

struct RestingStack {
  void* point = nullptr;  // the stack's end; there stand the frame pointer and where to go on
  FloatControl floats;

  void prepare(void* top, std::size_t /*bytes*/, Start start, const FloatControl& control) noexcept {
    floats = control;
    auto* const aligned = reinterpret_cast<Start*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15});
    aligned[-2] = nullptr;
    aligned[-1] = start;
    point = &aligned[-2];
  }
};

inline __attribute__((always_inline)) void switch_stacks(RestingStack& from, const RestingStack& to) noexcept {
  from.floats.take();
  if (from.floats != to.floats) [[unlikely]]
    to.floats.apply();
  register void** leaving asm("x0") = &from.point;
  register void* coming asm("x1") = to.point;
  // By x16, from which a jump to the start of a function is allowed where jumps are checked (hint 36 is where one may end).
  asm volatile(
      "adr x16, 1f\n\t"
      "stp x29, x16, [sp, #-16]!\n\t"
      "mov x17, sp\n\t"
      "str x17, [x0]\n\t"
      "mov sp, x1\n\t"
      "ldp x29, x16, [sp], #16\n\t"
      "br x16\n"
      "1:\n\t"
      "hint #36"
      : "+r"(leaving), "+r"(coming)
      :
      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18",
        "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0", "v1", "v2", "v3", "v4", "v5",
        "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21",
        "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}

#else

// Kept by Boost.Context.
struct FloatControl {
  void take() noexcept {}
};

struct RestingStack {
  boost::context::detail::fcontext_t point = nullptr;  // written by who comes after it
  Start start = nullptr;

  void prepare(void* top, std::size_t bytes, Start begin, const FloatControl&) noexcept {
    start = begin;
    point = boost::context::detail::make_fcontext(top, bytes, &begin_here);
  }

  // The first words of who comes.
  static const RestingStack& arrive(const boost::context::detail::transfer_t& arrived) noexcept {
    auto& left = *static_cast<RestingStack*>(arrived.data);
    left.point = arrived.fctx;
    return left;
  }

  const RestingStack* goes_to = nullptr;  // here and not on the stack, which a sanitizer may have forgotten by then

 private:
  static void begin_here(boost::context::detail::transfer_t arrived) { arrive(arrived).goes_to->start(); }
};

// Inlined: the thread sanitizer, which has been told of the switch by then, would count a call as one of who comes.
inline __attribute__((always_inline)) void switch_stacks(RestingStack& from, const RestingStack& to) noexcept {
  from.goes_to = &to;
  (void)RestingStack::arrive(boost::context::detail::jump_fcontext(to.point, &from));
}

#endif

[[nodiscard]] inline FloatControl floats_now() noexcept {
  FloatControl control;
  control.take();
  return control;
}

}  // namespace comity::sched
