// SPDX-License-Identifier: BSD-3-Clause
// HartClaims: what one participant has of the hart table: the harts dealt to it, those it took or asks for where it runs
// now, and the one by which its waits judge whether they may spin. Not: when it moves (runtime). Invariants: of the
// harts dealt to it, those outside its binding are idle, so that others may have them; while it is awake it holds or asks
// for exactly the harts of its push that it does not own, or, where nothing is pushed and its binding has none of its
// own, for those of its binding, so that who shares a hart knows; while it sleeps, for none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/cpu_set.hpp"
#include "node/harts/hart_table.hpp"

namespace comity::node {

// Thread-safe.
class HartClaims {
 public:
  // deaths: how many participants were found dead, which grows after the table has forgotten who asked.
  HartClaims(HartTable& harts, std::atomic_ref<std::uint32_t> deaths, int me, const CpuSet& home);

  // `pushed`: where a push has put me, empty without one. `binding`: where I may run. Allocates nothing.
  void move_to(const CpuSet& pushed, const CpuSet& binding);
  void ask_anew();  // where somebody has died; each of the others does that too
  void leave();     // for good: all of them are to be had

  void fall_asleep();  // all of them are to be had meanwhile; counted over threads
  void awake();

  // Whether anybody else runs on the hart that I would spin on, or asks for it; or there is none.
  [[nodiscard]] bool wanted() const;

 private:
  // A push waits for these, and most machines fill few of a set's words.
  template <typename Visit>
  void for_each_word(Visit&& visit) const;
  void settle();
  void hear_of_deaths();
  void claim(std::size_t word, std::uint64_t wished);
  [[nodiscard]] std::size_t hart_to_spin_on() const;

  static constexpr std::size_t kNone = CpuSet::kCapacity;

  HartTable& harts_;
  const std::atomic_ref<std::uint32_t> deaths_;
  const int me_;
  const std::size_t words_;  // that the table's harts fill
  const CpuSet own_;         // dealt to me at the attach

  std::mutex moving_;
  CpuSet binding_;                         // where I may run
  CpuSet wished_;                          // what I hold or ask for while I am awake
  CpuSet running_;                         // of my own: where I run
  CpuSet taken_;                           // I hold them, somebody else or nobody owns them
  CpuSet asked_;                           // `wanted` counts me
  std::uint32_t deaths_known_;             // that asked_ has outlived
  int asleep_ = 0;                         // threads of mine that sleep
  std::atomic<std::size_t> mine_ = kNone;  // the hart that a wait would spin on
};

}  // namespace comity::node
