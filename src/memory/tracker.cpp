// SPDX-License-Identifier: BSD-3-Clause
#include "memory/tracker.hpp"

#include <algorithm>
#include <array>

#include "os/cpu_time.hpp"

namespace comity::memory {
namespace {

using interpose::Kind;

bool is_about_memory(std::string_view name) { return name == "MPI_Alloc_mem" || name == "MPI_Free_mem"; }

// Receives come one after the other with next to nothing between them, where a look at a clock is felt: one of four has it.
bool passes_by(const interpose::Facts& facts) {
  constexpr unsigned kOneOf = 4;
  constinit thread_local unsigned receives __attribute__((tls_model("initial-exec"))) = 0;
  return facts.kind == Kind::receive && receives++ % kOneOf != 0;
}

}  // namespace

interpose::Depth Tracker::depth(const interpose::Facts& facts) const noexcept {
  constexpr std::array kLookedAt{Kind::completion, Kind::collective, Kind::maker, Kind::epoch, Kind::file};
  const bool is_looked_at = std::find(kLookedAt.begin(), kLookedAt.end(), facts.kind) != kLookedAt.end() ||
                            (facts.blocking && (facts.kind == Kind::receive || facts.kind == Kind::exchange)) ||
                            is_about_memory(facts.name);
  return is_looked_at ? interpose::Depth::calls : interpose::Depth::none;
}

// The clock that costs least is as good as the milliseconds that this is about.
void Tracker::after(const interpose::Event& event) noexcept {
  if (passes_by(*event.facts)) return;
  book_.glance(event.end_ns != 0 ? event.end_ns : os::coarse_now_ns(), event.facts->name);
}

}  // namespace comity::memory
