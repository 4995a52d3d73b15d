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
inline constexpr int kImplicitTask = 7;
// ompt_scope_endpoint_t, ompt_task_flag_t.
inline constexpr int kScopeBegin = 1;
inline constexpr int kInitialTask = 1;

using ParallelBegin = void (*)(Data* encountering_task, const void* frame, Data* parallel, unsigned requested,
                               int flags, const void* code);
using ParallelEnd = void (*)(Data* parallel, Data* encountering_task, int flags, const void* code);
using ImplicitTask = void (*)(int endpoint, Data* parallel, Data* task, unsigned threads, unsigned index, int flags);

}  // namespace comity::preload::ompt
