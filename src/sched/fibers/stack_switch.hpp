// SPDX-License-Identifier: BSD-3-Clause
// The switch itself: the registers of who leaves go onto his stack, those of who comes are taken from his. On x86-64 it is
// inlined: a function that is called here and left there makes the processor guess the next two returns wrong, which costs
// more than the switch. Elsewhere Boost.Context's; and where sanitizers look, so that both are tested on one machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sched/fibers/sanitizers.hpp"

#if defined(__x86_64__) && !defined(COMITY_SCHED_ASAN) && !defined(COMITY_SCHED_TSAN)
#define COMITY_SCHED_OWN_SWITCH 1
#else
#include <boost/context/detail/fcontext.hpp>
#endif

namespace comity::sched {

using Start = void (*)();  // never returns

#ifdef COMITY_SCHED_OWN_SWITCH

// How floating-point numbers are rounded and which of their exceptions are told: of each execution, as the ABI of calls has it.
struct FloatControl {
  std::uint32_t sse = 0;
  std::uint16_t x87 = 0;

  static FloatControl now() noexcept {
    FloatControl control;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control.sse), "=m"(control.x87));
    return control;
  }
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
  from.floats = FloatControl::now();
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

#else

// Kept by Boost.Context.
struct FloatControl {
  static FloatControl now() noexcept { return {}; }
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

}  // namespace comity::sched
