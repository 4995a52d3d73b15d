// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/outside_memory.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/options.hpp"
#include "cli/common/screen.hpp"
#include "cli/memory/table.hpp"
#include "cli/topo/job.hpp"
#include "os/environment.hpp"

namespace comity::cli::launch {
namespace {

// A search goes through all processes of the host. Ranks come soon, or late and seldom.
constexpr int kSoon = 20;
constexpr std::int64_t kSeldom_ns = 1'000'000'000;

memory::Components components() { return memory::components_of(Options(os::environment).text(OptionId::memory_rules)); }

}  // namespace

OutsideMemory::OutsideMemory(Whose whose)
    : whose_(whose), components_(components()), views_({}, components_, memory::Depth::mappings) {}

void OutsideMemory::find_new_ones(pid_t started) {
  const auto add = [&](pid_t process) {
    try {
      if (!views_.has(process)) views_.add(process);
    } catch (const Error&) {
      return;  // it has ended
    }
  };
  if (whose_ == Whose::its_own) return add(started);
  const std::int64_t now = now_ns();
  if (now < search_due_ns_) return;
  search_due_ns_ = ++searches_ < kSoon ? 0 : now + kSeldom_ns;
  const ProcessTable table;
  for (const pid_t process : descendants(table, started)) {
    if (table.rank(process)) add(process);
  }
}

void OutsideMemory::look(pid_t started) noexcept {
  try {
    find_new_ones(started);
    MemoryView view = views_.look();
    if (!view.processes.empty()) seen_ = std::move(view);
  } catch (const std::exception&) {
    return;  // another time
  }
}

std::string OutsideMemory::text() const {
  if (!seen_) return "  No rank lived long enough here for its memory to be looked at.\n";
  double age_s = 0;
  for (const ProcessView& process : seen_->processes) age_s = std::max(age_s, process.mappings_age_s);
  return "\ncomity: their memory, looked at from outside ten times a second; maps are as of " + duration_text(age_s) +
         " before the last look\n" + memory_text(Screen(), *seen_, kColumns);
}

}  // namespace comity::cli::launch
