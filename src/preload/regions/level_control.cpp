// SPDX-License-Identifier: BSD-3-Clause
#include "preload/regions/level_control.hpp"

#include "metrics/rank/nesting.hpp"

namespace comity::preload {
namespace {

bool sets_the_level(const interpose::Facts& facts) { return facts.name == "MPI_Pcontrol"; }

}  // namespace

interpose::Depth LevelControl::depth(const interpose::Facts& facts) const noexcept {
  return sets_the_level(facts) ? interpose::Depth::calls : interpose::Depth::none;
}

bool LevelControl::announces(const interpose::Facts& facts) const noexcept { return sets_the_level(facts); }

// The call itself is the first one at the new level.
void LevelControl::before(const interpose::Call& call) noexcept {
  if (run_.is_of_parent()) return;
  run_.note_memory_at_border();
  run_.level_ends();
  if (call.level == metrics::kPaused) run_.turn_memory(false);
  collector_.set_level(call.level);
  if (call.level != metrics::kPaused) run_.turn_memory(true);
  run_.level_begins();
  if (call.level == metrics::kFlush) run_.flush();
}

}  // namespace comity::preload
