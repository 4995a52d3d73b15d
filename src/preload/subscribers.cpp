// SPDX-License-Identifier: BSD-3-Clause
// Who watches the calls of this process: decided once, by the settings, at its first call of MPI.
#include "interpose/subscriber.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/options.hpp"
#include "coop/cooperator.hpp"
#include "interpose/function.hpp"
#include "interpose/loaded_mpi.hpp"
#include "memory/rank/delta.hpp"
#include "memory/rank/mpi_object_tracker.hpp"
#include "memory/rank/mpi_variables.hpp"
#include "memory/rank/touches.hpp"
#include "memory/rank/tracker.hpp"
#include "os/environment.hpp"
#include "preload/mpi_variables.hpp"
#include "preload/parts.hpp"
#include "preload/regions/level_control.hpp"
#include "preload/regions/phases.hpp"
#include "preload/unfinished_requests.hpp"
#include "preload/waits_of_sessions.hpp"
#include "preload/watched_run.hpp"
#include "reorder/reorderer.hpp"

namespace comity::preload {
namespace {

constexpr const char* kWaitsOfSessions =
    "waits of the program's sessions keep their cores: they have no MPI_COMM_WORLD over which ranks could come "
    "together, and MPI_Init was never called";

using Chosen = std::vector<interpose::Subscriber*>;

constinit std::atomic<WatchedRun*> made_run{nullptr};

// None: a setting is refused. The program did not ask for us, so it goes on, and one line a job says why nobody watches.
std::optional<Options> settings() {
  try {
    return Options(os::environment);
  } catch (const Error& error) {
    if (interpose::may_speak_for_the_job()) {
      log::error("preload", std::string(error.what()) + ". The program runs on, unwatched");
    }
    return std::nullopt;
  }
}

// The settings, read once; the level of the log is that of libcomity.
const std::optional<Options>& options() {
  static const std::optional<Options>* const read = [] {
    auto* const found = new std::optional<Options>(settings());
    if (*found) log::set_level(log::level_named((*found)->text(OptionId::log)));
    return found;
  }();
  return *read;
}

bool prints() { return options()->text(OptionId::metrics) != "off"; }
const std::string& record_folder() { return options()->text(OptionId::record_directory); }

// Calls are counted or timed.
bool measures() { return options() && (prints() || !record_folder().empty()); }
bool remembers() { return options() && options()->text(OptionId::memory) != "off"; }

// None: their rule is not asked for.
std::optional<memory::Measure> measure_of_older_tools() {
  const std::string& method = options()->text(OptionId::memory);
  if (method == memory::kDeltaMethod) return memory::Measure::resident;
  return method == memory::kDeltaPssMethod ? std::optional(memory::Measure::shares) : std::nullopt;
}

bool anything_is_wanted() { return measures() || remembers(); }

// Those of the hooks, by the same rules.
const memory::Components& components() {
  static const auto* const all = [] {
    try {
      return new memory::Components(memory::components_of(options()->text(OptionId::memory_rules)));
    } catch (const Error& error) {
      if (interpose::may_speak_for_the_job()) {
        log::error("memory", std::string(error.what()) + ". The rules that are built in count");
      }
      return new memory::Components();
    }
  }();
  return *all;
}

memory::RegionSource regions() {
  metrics::Collector* const all = collector();
  if (all == nullptr) return {};
  return {[]() noexcept -> memory::RegionNumber { return WatchedRun::region_here(); },
          [all](memory::RegionNumber region) { return all->regions().path(region); },
          []() noexcept -> memory::PhaseNumber { return phases().current(); },
          [](memory::PhaseNumber phase) { return phases().text(phase); }};
}

memory::CallSource calls() {
  return {[]() noexcept -> std::string_view { return WatchedRun::call_here(); }};
}

memory::SwitchSource switches() {
  return {[]() noexcept -> std::optional<bool> {
            const live::Recording wish = live_page() != nullptr ? live_page()->take_wish() : live::Recording::none;
            return wish == live::Recording::none ? std::nullopt : std::optional(wish == live::Recording::on);
          },
          [](bool on) noexcept {
            if (live_page() != nullptr) live_page()->show(on ? live::Recording::on : live::Recording::off);
          }};
}

memory::NewsSink news() {
  return {[]() noexcept {
    if (WatchedRun* const run = run_that_is_made()) run->flush_peaks();
  }};
}

// The first that is told of memory: before MPI_Init.
memory::Book* make_book() {
  if (!remembers()) return nullptr;
  try {
    auto* const made = new memory::Book(components(), regions(), calls(), switches(), news());
    if (memory_at_load()) made->begin_with(*memory_at_load());
    return made;
  } catch (const std::exception& error) {
    log::error("memory", std::string(error.what()) + ". This rank does not tell whose its memory is");
    return nullptr;
  }
}

// Those that the program makes, a part of the book.
memory::MpiObjects* mpi_objects() {
  static memory::MpiObjects* const one = [] {
    using enum memory::MpiObjects::Requests;
    auto* const made = book() == nullptr ? nullptr : new memory::MpiObjects(measures() ? followed : passed_by);
    if (made != nullptr) book()->join(*made);
    return made;
  }();
  return one;
}

// Null: nobody asked, or the kernel refuses, which costs the program nothing but a line a job.
memory::Touches* make_touches() {
  if (book() == nullptr || options()->text(OptionId::memory_touches) != "on") return nullptr;
  try {
    return new memory::Touches(components(), memory::find_ledger(), []() noexcept { return book()->is_on(); });
  } catch (const std::exception& error) {
    if (interpose::may_speak_for_the_job()) {
      log::warning("memory", std::string("who has touched memory is not told: ") + error.what());
    }
    return nullptr;
  }
}

live::PageWriter* make_live_page() {
  if (!anything_is_wanted()) return nullptr;
  std::array<std::string_view, interpose::kFunctions> names{};
  for (const interpose::Facts& facts : interpose::kFacts) names[facts.number] = facts.name;
  try {
    return new live::PageWriter(names);
  } catch (const std::exception& error) {
    log::info("preload", std::string("`comity top` does not see this rank: ") + error.what());
    return nullptr;
  }
}

// The page is there before anything is told, a region too: a thread looks for it once.
metrics::Collector* make_collector() {
  if (!anything_is_wanted()) return nullptr;
  (void)live_page();
  const bool counts = options()->text(OptionId::metrics) == "counts";
  return new metrics::Collector(counts ? metrics::Detail::counts : metrics::Detail::times, interpose::kFunctions);
}

WatchedRun* make_watched_run() {
  if (collector() == nullptr) return nullptr;
  RecordPlan plan;
  plan.folder = record_folder();
  plan.budget_bytes = static_cast<std::uint64_t>(options()->number(OptionId::record_budget_kb)) << 10U;
  auto* const run =
      new WatchedRun(*roll_call(), *collector(), live_page(), book(), prints(), std::move(plan), *options());
  made_run.store(run, std::memory_order_release);
  return run;
}

bool waits() { return options() && options()->text(OptionId::coop) != "off"; }
bool always_waits() { return waits() && options()->text(OptionId::coop) == "on"; }

bool reorders() {
  static const bool yes = options() && options()->text(OptionId::reorder) == "on" && reorder::is_possible();
  return yes;
}

RollCall* make_roll_call() {
  if (!anything_is_wanted() && !waits() && !reorders()) return nullptr;
  Plans plans;
  if (anything_is_wanted()) plans.add(Plan::measures);
  if (!record_folder().empty()) plans.add(Plan::records);
  if (prints()) plans.add(Plan::prints);
  if (book() != nullptr) plans.add(Plan::remembers);
  if (waits()) plans.add(Plan::waits);
  if (always_waits()) plans.add(Plan::always_waits);
  if (reorders()) plans.add(Plan::reorders);
  return new RollCall(plans);
}

// From the end of MPI_Init on.
coop::Party party() {
  const RollCall& roll = *roll_call();
  const Plans all = roll.of_all();
  if (all.has(Plan::waits)) {
    return {.has_me = true, .always = all.has(Plan::always_waits), .is_whole = true, .ranks = {}};
  }
  RollCall::Some some = roll.those_with(Plan::waits);
  return {.has_me = !some.ranks.empty(),
          .always = some.plans.has(Plan::always_waits),
          .is_whole = false,
          .ranks = std::move(some.ranks)};
}

coop::Settings coop_settings() {
  return {.party = party,
          .may_share = options()->text(OptionId::coop_spread) != "off",
          .may_spread = options()->text(OptionId::coop_spread) == "on",
          .node = node::attach_options(*options()),
          .far = {.late = std::chrono::microseconds(options()->number(OptionId::coop_far_late_us)),
                  .burn_percent = options()->number(OptionId::coop_far_burn_percent),
                  .watches = options()->text(OptionId::coop_far_watch) == "on"}};
}

// In the order in which they are asked. Each lives as long as the process.
Chosen chosen() {
  Chosen all;
  if (measures()) all.push_back(collector());
  if (mpi_objects() != nullptr) all.push_back(new UnfinishedRequests(*mpi_objects()));  // before the run ends
  if (watched_run() != nullptr) {
    all.push_back(watched_run());
    all.push_back(new LevelControl(*collector(), *watched_run()));
  }
  if (book() != nullptr) {
    all.push_back(new memory::Tracker(*book()));
    all.push_back(new memory::MpiObjectTracker(*mpi_objects()));
    // The innermost of those who look: nothing else is between it and the MPI.
    if (const auto measure = measure_of_older_tools()) {
      auto* const delta = new memory::Delta(interpose::kFunctions, *measure);
      book()->join(*delta);
      all.push_back(delta);
    }
    if (options()->text(OptionId::memory_variables) == "on")
      book()->join(*new memory::MpiVariables(&read_mpi_variables, &leave_mpi_variables));
    if (memory::Touches* const touches = make_touches()) {
      book()->join(*touches);
      all.push_back(touches);
    }
  }
  if (reorders()) {  // before the cooperator, who lets calls that make communicators pass
    all.push_back(new reorder::Reorderer([] { return roll_call()->of_all().has(Plan::reorders); }));
  }
  if (waits()) all.push_back(new coop::Cooperator(coop_settings()));
  if (always_waits()) all.push_back(new WaitsOfSessions(kWaitsOfSessions));
  if (roll_call() != nullptr) all.push_back(roll_call());  // the last, who hears first that MPI_Init is over
  return all;
}

}  // namespace

live::PageWriter* live_page() {
  static live::PageWriter* const one = make_live_page();
  return one;
}

RollCall* roll_call() {
  static RollCall* const one = make_roll_call();
  return one;
}

metrics::Collector* collector() {
  static metrics::Collector* const one = make_collector();
  return one;
}

memory::Book* book() {
  static memory::Book* const one = make_book();
  return one;
}

WatchedRun* watched_run() {
  static WatchedRun* const one = make_watched_run();
  return one;
}

WatchedRun* run_that_is_made() noexcept { return made_run.load(std::memory_order_acquire); }

}  // namespace comity::preload

comity::interpose::Subscribers comity::interpose::subscribers() {
  // Never destroyed: programs call MPI also while they end.
  static const auto* const all = new preload::Chosen(preload::chosen());
  return *all;
}
