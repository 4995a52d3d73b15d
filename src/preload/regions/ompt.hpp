// SPDX-License-Identifier: BSD-3-Clause
// What of OMPT, the tools' interface of OpenMP 5.0 (chapter 4), is used here: its types and numbers, which are the same
// with every runtime. So nothing is needed of one to build.
#pragma once

#include <cstdint>

namespace comity::preload::ompt {

union Data {
  std::uint64_t value;
  void* pointer;
};

using Function = void (*)();
using Lookup = Function (*)(const char* name);
using SetCallback = int (*)(int event, Function callback);
using Initialize = int (*)(Lookup lookup, int initial_device,
                           Data* tool_data);  // 0: the tool does not want to be active
using Finalize = void (*)(Data* tool_data);

struct StartToolResult {
  Initialize initialize;
  Finalize finalize;
  Data tool_data;
};
using StartTool = StartToolResult* (*)(unsigned version, const char* runtime);

// Events.
inline constexpr int kParallelBegin = 3;
inline constexpr int kParallelEnd = 4;
inline constexpr int kTaskSchedule = 6;
inline constexpr int kImplicitTask = 7;
inline constexpr int kSyncRegionWait = 16;
// ompt_set_result_t: what is less is never called.
inline constexpr int kSetSometimes = 3;
// ompt_scope_endpoint_t, ompt_task_flag_t.
inline constexpr int kScopeBegin = 1;
inline constexpr int kScopeEnd = 2;
inline constexpr int kInitialTask = 1;
// ompt_task_status_t: complete, cancel, detach; yield, switch. All others are no turn of the thread.
constexpr bool leaves_for_good(int status) { return status == 1 || status == 3 || status == 4; }
constexpr bool leaves_for_now(int status) { return status == 2 || status == 7; }

using ParallelBegin = void (*)(Data* encountering_task, const void* frame, Data* parallel, unsigned requested,
                               int flags, const void* code);
using ParallelEnd = void (*)(Data* parallel, Data* encountering_task, int flags, const void* code);
using SyncRegion = void (*)(int kind, int endpoint, Data* parallel, Data* task, const void* code);
using TaskSchedule = void (*)(Data* prior, int status, Data* next);
using ImplicitTask = void (*)(int endpoint, Data* parallel, Data* task, unsigned threads, unsigned index, int flags);

}  // namespace comity::preload::ompt
