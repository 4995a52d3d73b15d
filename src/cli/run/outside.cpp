// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/outside.hpp"

#include <cstdio>
#include <optional>

#include "cli/common/screen.hpp"
#include "cli/run/outside_memory.hpp"
#include "os/cpus/affinity.hpp"

namespace comity::cli::launch {
namespace {

std::string with_decimals(double value, int decimals) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

Whose whose_of(const Plan& plan) { return plan.launcher.empty() ? Whose::its_own : Whose::of_ranks_below; }

}  // namespace

std::string text_of(const os::Used& used, std::size_t processors) {
  const double all = used.seconds * static_cast<double>(processors);
  return "\ncomity: seen from outside: " + with_decimals(used.seconds, 3) + " s, " + std::to_string(processors) +
         (processors == 1 ? " processor" : " processors") + " of this host\n  " + with_decimals(used.cpu_seconds, 3) +
         " s of processors' time, " + with_decimals(all > 0 ? 100.0 * used.cpu_seconds / all : 0.0, 0) +
         " % of all; a wait in MPI that spins counts as use; the launcher is counted, other hosts are not\n  " +
         bytes_text(used.largest_bytes) +
         " of memory in the largest process\n"
         "  More can be told of a program that is linked with its MPI dynamically.\n";
}

void run_seen_from_outside(const Plan& plan, TellMemory tell_memory) {
  const std::size_t processors = os::affinity(0).count();
  std::optional<OutsideMemory> memory;
  os::Meanwhile meanwhile;
  if (tell_memory == TellMemory::yes) {
    memory.emplace(whose_of(plan), memory::Depth::mappings);
    meanwhile.look = [&](pid_t started) { memory->look(started); };
  }
  const os::Used used = os::run_beside(plan.words, plan.variables, meanwhile);
  std::string text = text_of(used, processors);
  if (memory) text += memory->text();
  std::fputs(text.c_str(), stderr);
  os::end_as(used.status);
}

// Ranks that end well have told all that is known from outside, and more.
void run_and_tell_how_ranks_were_lost(const Plan& plan) {
  OutsideMemory memory(whose_of(plan), memory::Depth::totals);
  os::Meanwhile meanwhile;
  meanwhile.look = [&](pid_t started) { memory.look(started); };
  const os::Used used =
      os::run_beside(plan.words, plan.launcher.empty() ? plan.variables : std::vector<Variable>{}, meanwhile);
  if (used.status != 0) std::fputs(memory.last_text().c_str(), stderr);
  os::end_as(used.status);
}

}  // namespace comity::cli::launch
