// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/watch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "base/error.hpp"
#include "base/options.hpp"
#include "cli/common/arguments.hpp"
#include "cli/common/json_text.hpp"
#include "cli/common/live_screen.hpp"
#include "cli/common/screen.hpp"
#include "cli/memory/json.hpp"
#include "cli/memory/table.hpp"
#include "cli/memory/view.hpp"
#include "memory/component.hpp"
#include "os/environment.hpp"
#include "os/terminal.hpp"

namespace comity::cli {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kGlance(100);  // between two looks at totals, for peaks and for the end

// Looks anew at a constant rate, whatever a look costs.
class Rhythm {
 public:
  explicit Rhythm(double interval_s) : interval_(std::llround(interval_s * 1000)), due_(Clock::now() + interval_) {}

  [[nodiscard]] bool is_due() const { return Clock::now() >= due_; }
  [[nodiscard]] Clock::time_point next_glance() const { return std::min(due_, Clock::now() + kGlance); }
  void begin_next() { due_ = std::max(due_ + interval_, Clock::now()); }

 private:
  milliseconds interval_;
  Clock::time_point due_;
};

void require_all_seen(const MemoryView& view) {
  for (const ProcessView& process : view.processes) {
    if (process.seen.peak_bytes != 0) continue;
    throw Error(Status::not_found, "look at the memory of process " + std::to_string(process.process) +
                                       ": it has none of its own, for it has ended, or is a thread of the kernel");
  }
}

void print(const MemoryView& view, const MemoryWatch& request, bool is_first) {
  if (request.json) {
    std::fputs(json_line(memory_json(view)).c_str(), stdout);
  } else {
    const Screen screen = Screen::of_standard_output(os::environment);
    std::fputs(((is_first ? "" : "\n") + memory_text(screen, view, kColumns)).c_str(), stdout);
  }
  std::fflush(stdout);
}

// Not where all have ended.
void wait_for_next(Views& views, Rhythm& rhythm) {
  while (!rhythm.is_due()) {
    std::this_thread::sleep_until(rhythm.next_glance());
    views.glance();
    if (views.all_have_ended()) return;
  }
  rhythm.begin_next();
}

int print_samples(const MemoryWatch& request, Views& views) {
  const auto samples = request.samples ? request.samples
                       : request.json  ? std::nullopt
                                       : std::optional<std::uint64_t>(1);
  Rhythm rhythm(request.interval_s);
  for (std::uint64_t sample = 0; !samples || sample < *samples; ++sample) {
    if (sample > 0) wait_for_next(views, rhythm);
    const MemoryView view = views.look();
    if (sample == 0) require_all_seen(view);
    print(view, request, sample == 0);
    if (views.all_have_ended()) break;
  }
  return kGood;
}

std::string head_line(const MemoryView& view, const MemoryWatch& request) {
  std::array<char, 32> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%g", request.interval_s);
  return "comity memory  " + view.host + "  " + duration_text(view.time_s) + "  every " + seconds.data() + " s; q ends";
}

void show(const os::LiveTerminal& terminal, const Screen& screen, const MemoryView& view, const MemoryWatch& request) {
  const os::TerminalSize size = terminal.size();
  const std::string text =
      screen.paint(Colour::strong, head_line(view, request)) + "\n\n" + memory_text(screen, view, size.columns);
  terminal.show(fitted(text, size.lines, "--samples 1 >file"));
}

int watch_live(const MemoryWatch& request, Views& views) {
  const Screen screen = Screen::of_standard_output(os::environment);
  MemoryView view = views.look();
  require_all_seen(view);
  {
    os::LiveTerminal terminal;
    Rhythm rhythm(request.interval_s);
    const auto redraw = [&] { show(terminal, screen, view, request); };
    for (std::uint64_t sample = 1; !views.all_have_ended(); ++sample) {
      redraw();
      if (request.samples && sample >= *request.samples) break;
      while (!rhythm.is_due() && !views.all_have_ended()) {
        if (!wait_until(terminal, rhythm.next_glance(), redraw)) return kGood;
        views.glance();
      }
      rhythm.begin_next();
      view = views.look();
    }
  }
  print(view, request, true);
  return kGood;
}

}  // namespace

int watch_memory(const MemoryWatch& request) {
  const Options options(os::environment);
  const memory::Components components = memory::components_of(options.text(OptionId::memory_rules));
  Views views(request.processes, components, request.totals_alone ? memory::Depth::totals : memory::Depth::mappings);
  const bool is_live = !request.json && Screen::moves_a_cursor(os::environment);
  return is_live ? watch_live(request, views) : print_samples(request, views);
}

}  // namespace comity::cli
