// SPDX-License-Identifier: BSD-3-Clause
// The tool that an OpenMP runtime with OMPT finds here: it tells the collector of parallel regions that MPI's main thread
// meets, and when the threads of their teams are at work. A runtime has one tool; where nobody wants metrics that is the next one in
// the process.
#include <dlfcn.h>

#include "interpose/tick_clock.hpp"
#include "preload/parts.hpp"
#include "preload/regions/ompt.hpp"

namespace comity::preload {
namespace {

using interpose::TickClock;
using metrics::Teams;
using ompt::Data;

// How many parallel regions this thread has met and not left.
constinit thread_local unsigned open_regions __attribute__((tls_model("initial-exec"))) = 0;
// As many as that when it began as a thread of a team that is told: in others it is somewhere inside its work.
constinit thread_local unsigned regions_around_work __attribute__((tls_model("initial-exec"))) = 0;

// What the data of a parallel region that is told points to.
constinit char told = 0;

void parallel_begin(Data* /*task*/, const void* /*frame*/, Data* parallel, unsigned /*requested*/, int /*flags*/,
                    const void* code) {
  const bool is_told = open_regions++ == 0 && collector()->team_begin(code, TickClock::now_ns());
  if (parallel != nullptr) parallel->pointer = is_told ? &told : nullptr;
}

void parallel_end(Data* /*parallel*/, Data* /*task*/, int /*flags*/, const void* /*code*/) {
  if (open_regions > 0 && --open_regions == 0) collector()->team_end(TickClock::now_ns());
}

bool is_in_its_own_work() { return open_regions == regions_around_work; }

// Each thread of a team begins one. That of the thread which met the region knows what the team has become.
void implicit_task(int endpoint, Data* parallel, Data* /*task*/, unsigned threads, unsigned index, int flags) {
  if ((flags & ompt::kInitialTask) != 0) return;
  if (endpoint == ompt::kScopeEnd) {
    if (is_in_its_own_work()) Teams::member_ends(TickClock::now_ns());
    return;
  }
  if (endpoint != ompt::kScopeBegin) return;
  if (index == 0 && open_regions == 1) collector()->team_has(threads);
  if (parallel == nullptr || parallel->pointer != &told) return;
  regions_around_work = open_regions;
  collector()->team_member_begins(index, TickClock::now_ns());
}

// In barriers, and where a task waits for those that it has made.
void wait_in_region(int /*kind*/, int endpoint, Data* /*parallel*/, Data* /*task*/, const void* /*code*/) {
  if (!is_in_its_own_work()) return;
  if (endpoint == ompt::kScopeBegin) Teams::member_waits(TickClock::now_ns());
  if (endpoint == ompt::kScopeEnd) Teams::member_goes_on(TickClock::now_ns());
}

// A thread that waits turns to tasks, and back when they are done.
void schedule_task(Data* /*prior*/, int status, Data* /*next*/) {
  if (!is_in_its_own_work()) return;
  if (ompt::leaves_for_good(status)) {
    Teams::member_turns_back(TickClock::now_ns());
  } else if (ompt::leaves_for_now(status)) {
    Teams::member_turns_to_task(TickClock::now_ns());
  }
}

template <typename Callback>
bool asks_for(ompt::SetCallback set_callback, int event, Callback callback) {
  return set_callback(event, reinterpret_cast<ompt::Function>(callback)) >= ompt::kSetSometimes;
}

int initialize(ompt::Lookup lookup, int /*initial_device*/, Data* /*tool_data*/) {
  const auto set_callback = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  if (set_callback == nullptr) return 0;
  static_cast<void>(asks_for<ompt::ParallelBegin>(set_callback, ompt::kParallelBegin, &parallel_begin));
  static_cast<void>(asks_for<ompt::ParallelEnd>(set_callback, ompt::kParallelEnd, &parallel_end));
  static_cast<void>(asks_for<ompt::ImplicitTask>(set_callback, ompt::kImplicitTask, &implicit_task));
  const bool waits = asks_for<ompt::SyncRegion>(set_callback, ompt::kSyncRegionWait, &wait_in_region);
  const bool tasks = asks_for<ompt::TaskSchedule>(set_callback, ompt::kTaskSchedule, &schedule_task);
  using Waits = metrics::Collector::Waits;
  collector()->openmp_tells(waits && tasks ? Waits::told : Waits::untold);
  return 1;
}

void finalize(Data* /*tool_data*/) {}

ompt::StartToolResult* next_tool(unsigned version, const char* runtime) {
  const auto next = reinterpret_cast<ompt::StartTool>(::dlsym(RTLD_NEXT, "ompt_start_tool"));
  return next == nullptr ? nullptr : next(version, runtime);
}

}  // namespace
}  // namespace comity::preload

extern "C" __attribute__((visibility("default"))) comity::preload::ompt::StartToolResult* ompt_start_tool(
    unsigned version, const char* runtime) {
  using namespace comity::preload;
  if (collector() == nullptr) return next_tool(version, runtime);
  static ompt::StartToolResult result{&initialize, &finalize, {0}};
  return &result;
}
