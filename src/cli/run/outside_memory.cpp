// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/outside_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/options.hpp"
#include "cli/common/screen.hpp"
#include "cli/memory/table.hpp"
#include "cli/topo/job.hpp"
#include "os/cpus/cpu_time.hpp"
#include "os/environment.hpp"

namespace comity::cli::launch {
namespace {

// A search goes through all processes of the host. Ranks come soon, or late and seldom: then it takes a 400th of a processor's time at the most.
constexpr int kSoon = 3;
constexpr std::int64_t kPartOfTime = 400;
constexpr std::int64_t kSeldom_ns = 1'000'000'000;
constexpr std::size_t kMostLines = 16;

memory::Components components() { return memory::components_of(Options(os::environment).text(OptionId::memory_rules)); }

}  // namespace

OutsideMemory::OutsideMemory(Whose whose, memory::Depth depth)
    : whose_(whose), components_(components()), views_({}, components_, depth) {}

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
  const std::int64_t begin_ns = os::thread_cpu_ns();
  const ProcessTable table;
  for (const pid_t process : descendants(table, started)) {
    if (table.rank(process)) add(process);
  }
  const std::int64_t cost_ns = os::thread_cpu_ns() - begin_ns;
  search_due_ns_ = ++searches_ < kSoon ? 0 : now + std::min(kSeldom_ns, kPartOfTime * cost_ns);
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

std::string OutsideMemory::last_text() const {
  if (!seen_) return {};
  std::vector<const ProcessView*> ranks;
  for (const ProcessView& process : seen_->processes) ranks.push_back(&process);
  std::stable_sort(ranks.begin(), ranks.end(),
                   [](const ProcessView* a, const ProcessView* b) { return a->seen.peak_bytes > b->seen.peak_bytes; });
  std::string text =
      "\ncomity: the run did not end well, so its ranks may not have told of their memory. Those of this host, looked "
      "at "
      "from outside ten times a second, up to the last look before each ended:\n"
      "  rank      pid    at the most  at the last look\n";
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostLines); ++i) {
    const ProcessView& rank = *ranks[i];
    std::array<char, 120> line{};
    std::snprintf(line.data(), line.size(), "%6s %8ld %14s %17s\n",
                  rank.rank ? std::to_string(*rank.rank).c_str() : "-", static_cast<long>(rank.process),
                  bytes_text(rank.seen.peak_bytes).c_str(), bytes_text(rank.seen.totals.resident).c_str());
    text += line.data();
  }
  if (ranks.size() > kMostLines)
    text += "  and " + std::to_string(ranks.size() - kMostLines) + " more, which had no more than these\n";
  return text + "  A record keeps whose it was as well: comity run --memory --record DIR\n";
}

}  // namespace comity::cli::launch
