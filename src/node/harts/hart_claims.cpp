// SPDX-License-Identifier: BSD-3-Clause
#include "node/harts/hart_claims.hpp"

namespace comity::node {

HartClaims::HartClaims(HartTable& harts, std::atomic_ref<std::uint32_t> deaths, int me, const CpuSet& home)
    : harts_(harts),
      deaths_(deaths),
      me_(me),
      words_((harts.hart_count() + CpuSet::kWordBits - 1) / CpuSet::kWordBits),
      own_(harts.owned_by(me)),
      running_(own_),
      deaths_known_(deaths.load(std::memory_order_acquire)) {
  move_to(CpuSet(), home);
}

template <typename Visit>
void HartClaims::for_each_word(Visit&& visit) const {
  for (std::size_t word = 0; word < words_; ++word) visit(word);
}

void HartClaims::move_to(const CpuSet& pushed, const CpuSet& binding) {
  const std::lock_guard guard(moving_);
  std::uint64_t any_pushed = 0;
  std::uint64_t any_own = 0;
  for_each_word([&](std::size_t word) {
    any_pushed |= pushed.words()[word];
    any_own |= own_.words()[word] & binding.words()[word];
  });
  const bool shares = any_pushed == 0 && any_own == 0;
  for_each_word([&](std::size_t word) {
    binding_.words()[word] = binding.words()[word];
    wished_.words()[word] = (shares ? binding : pushed).words()[word] & ~own_.words()[word];
  });
  settle();
}

void HartClaims::leave() { move_to(CpuSet(), CpuSet()); }

void HartClaims::fall_asleep() {
  const std::lock_guard guard(moving_);
  if (asleep_++ == 0) settle();
}

void HartClaims::awake() {
  const std::lock_guard guard(moving_);
  if (--asleep_ == 0) settle();
}

void HartClaims::ask_anew() {
  const std::lock_guard guard(moving_);
  settle();
}

// The table has forgotten all who asked, so nothing of that is withdrawn any more: it may be another one's by now.
void HartClaims::hear_of_deaths() {
  const std::uint32_t deaths = deaths_.load(std::memory_order_acquire);
  if (deaths == deaths_known_) return;
  deaths_known_ = deaths;
  asked_.clear();
}

// Brings the table to what is wished for now.
void HartClaims::settle() {
  hear_of_deaths();
  const bool awake = asleep_ == 0;
  for_each_word([&](std::size_t word) {
    const std::uint64_t runs = awake ? own_.words()[word] & binding_.words()[word] : 0;
    std::uint64_t& running = running_.words()[word];
    for_each_bit(running & ~runs, word, [&](std::size_t hart) { harts_.mark_idle(me_, hart); });
    for_each_bit(runs & ~running, word, [&](std::size_t hart) { harts_.mark_held(me_, hart); });
    running = runs;
    claim(word, awake ? wished_.words()[word] : 0);
  });
  mine_.store(hart_to_spin_on(), std::memory_order_relaxed);
}

void HartClaims::claim(std::size_t word, std::uint64_t wished) {
  std::uint64_t& taken = taken_.words()[word];
  std::uint64_t& asked = asked_.words()[word];
  if ((wished | taken | asked) == 0) return;
  for_each_bit(taken & ~wished, word, [&](std::size_t hart) { harts_.give_back(hart, me_); });
  for_each_bit(asked & ~wished, word, [&](std::size_t hart) { harts_.withdraw(hart); });
  taken &= wished;
  asked &= wished;
  for_each_bit(wished & ~taken & ~asked, word, [&](std::size_t hart) {
    if (hart >= harts_.hart_count()) return;
    (harts_.hold(hart, me_) == HoldResult::taken ? taken_ : asked_).insert(hart);
  });
}

// My own first, then one that I hold, then one that I wait for.
std::size_t HartClaims::hart_to_spin_on() const {
  for (const CpuSet* claims : {&running_, &taken_, &asked_}) {
    for (std::size_t word = 0; word < words_; ++word) {
      const std::uint64_t usable = claims->words()[word] & binding_.words()[word];
      if (usable != 0) return word * CpuSet::kWordBits + static_cast<std::size_t>(std::countr_zero(usable));
    }
  }
  return kNone;
}

bool HartClaims::wanted() const {
  const std::size_t hart = mine_.load(std::memory_order_relaxed);
  if (hart == kNone) return true;
  const HartWord now = harts_.word(hart);
  if (now.holder() == me_) return harts_.wanted(hart);
  const bool somebody_runs = now.owner() == me_ || (now.state() != HartState::idle && now.state() != HartState::free);
  return somebody_runs || now.wanted() > 1;  // I am one of those who ask
}

}  // namespace comity::node
