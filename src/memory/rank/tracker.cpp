// SPDX-License-Identifier: BSD-3-Clause
#include "memory/rank/tracker.hpp"

#include <algorithm>
#include <array>

#include "base/clock.hpp"
#include "os/cpus/cpu_time.hpp"

namespace comity::memory {
namespace {

using interpose::Kind;

bool is_about_memory(std::string_view name) { return name == "MPI_Alloc_mem" || name == "MPI_Free_mem"; }

// What such calls grow by is told from what the program did before them. Of messages only the end is looked at.
bool is_rare(const interpose::Facts& facts) { return facts.kind == Kind::maker || is_about_memory(facts.name); }
bool is_framed(const interpose::Facts& facts) {
  constexpr std::array kFramed{Kind::collective, Kind::epoch, Kind::file};
  return is_rare(facts) || std::find(kFramed.begin(), kFramed.end(), facts.kind) != kFramed.end();
}

// Calls that concern nobody else, and may take less time than a look at a clock: whether memory has come or gone since is known without one.
bool is_quiet(const interpose::Facts& facts) { return facts.keeps_memory; }
constinit thread_local std::uint32_t changes_then __attribute__((tls_model("initial-exec"))) = 0;

constinit thread_local bool was_looked_before __attribute__((tls_model("initial-exec"))) = false;

// Receives may come one after the other with next to nothing between them, where a look at a clock is felt. One of four has it once
// this many came while the clock stood still; a receive that takes as long as a tick of it has all looked at again.
constexpr unsigned kFast = 8;
constexpr unsigned kOneOf = 4;
struct Receives {
  std::int64_t last_ns = 0;  // when one was looked at
  unsigned fast = 0;         // that came since the clock last moved, one of four once they are many
  unsigned passed = 0;
};
constinit thread_local Receives receives __attribute__((tls_model("initial-exec"))) = {};

bool passes_by(const interpose::Event& event) {
  if (event.facts->kind != Kind::receive || event.end_ns != 0 || receives.fast < kFast) return false;
  return ++receives.passed % kOneOf != 0;
}

void note_receive(std::int64_t end_ns) {
  receives.fast = end_ns == receives.last_ns ? receives.fast + 1 : 0;
  receives.last_ns = end_ns;
}

}  // namespace

interpose::Depth Tracker::depth(const interpose::Facts& facts) const noexcept {
  constexpr std::array kLookedAt{Kind::completion, Kind::collective, Kind::maker, Kind::epoch, Kind::file};
  const bool is_looked_at = std::find(kLookedAt.begin(), kLookedAt.end(), facts.kind) != kLookedAt.end() ||
                            (facts.blocking && (facts.kind == Kind::receive || facts.kind == Kind::exchange)) ||
                            is_about_memory(facts.name) || is_quiet(facts);
  return is_looked_at ? interpose::Depth::calls : interpose::Depth::none;
}

bool Tracker::announces(const interpose::Facts& facts) const noexcept { return is_framed(facts) || is_quiet(facts); }

void Tracker::before(const interpose::Call& call) noexcept {
  if (is_quiet(*call.facts)) return before_quiet(call);
  std::int64_t begin_ns = call.begin_ns;
  if (begin_ns == 0) begin_ns = is_rare(*call.facts) ? now_ns() : os::coarse_now_ns();
  was_looked_before = book_.stop_before(begin_ns);
}

// The clock that costs least is as good as the milliseconds that this is about.
void Tracker::after(const interpose::Event& event) noexcept {
  if (is_quiet(*event.facts)) return after_quiet(event);
  if (passes_by(event)) return;
  const std::int64_t end_ns = event.end_ns != 0 ? event.end_ns : os::coarse_now_ns();
  if (event.facts->kind == Kind::receive) note_receive(end_ns);
  if (is_framed(*event.facts) && was_looked_before) return book_.look_behind(end_ns, event.facts->name);
  book_.glance(end_ns, event.facts->name);
}

// What has come since the last such call is told of what the program did meanwhile.
void Tracker::before_quiet(const interpose::Call& call) noexcept {
  was_looked_before = book_.changes_here() != changes_then &&
                      book_.stop_before(call.begin_ns != 0 ? call.begin_ns : os::coarse_now_ns());
  changes_then = book_.changes_here();  // a look may ask for memory itself
}

void Tracker::after_quiet(const interpose::Event& event) noexcept {
  if (book_.changes_here() == changes_then) return;
  const std::int64_t end_ns = event.end_ns != 0 ? event.end_ns : os::coarse_now_ns();
  if (was_looked_before) {
    book_.look_behind(end_ns, event.facts->name);
  } else {
    book_.glance(end_ns, event.facts->name);
  }
  changes_then = book_.changes_here();
}

}  // namespace comity::memory
