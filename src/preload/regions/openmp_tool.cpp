// SPDX-License-Identifier: BSD-3-Clause
// The tool that an OpenMP runtime with OMPT finds here: it tells the collector of parallel regions that MPI's main thread
// meets. A runtime has one tool; where nobody wants metrics that is the next one in the process.
#include <dlfcn.h>

#include "preload/parts.hpp"
#include "preload/regions/ompt.hpp"

namespace comity::preload {
namespace {

using ompt::Data;

// How many parallel regions this thread has met and not left.
constinit thread_local unsigned open_regions __attribute__((tls_model("initial-exec"))) = 0;

void parallel_begin(Data* /*task*/, const void* /*frame*/, Data* /*parallel*/, unsigned /*requested*/, int /*flags*/,
                    const void* /*code*/) {
  if (open_regions++ == 0) collector()->team_begin();
}

void parallel_end(Data* /*parallel*/, Data* /*task*/, int /*flags*/, const void* /*code*/) {
  if (open_regions > 0 && --open_regions == 0) collector()->team_end();
}

// Each thread of a team begins one. That of the thread which met the region knows what the team has become.
void implicit_task(int endpoint, Data* /*parallel*/, Data* /*task*/, unsigned threads, unsigned index, int flags) {
  if (endpoint != ompt::kScopeBegin || index != 0 || (flags & ompt::kInitialTask) != 0) return;
  if (open_regions == 1) collector()->team_has(threads);
}

int initialize(ompt::Lookup lookup, int /*initial_device*/, Data* /*tool_data*/) {
  const auto set_callback = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  if (set_callback == nullptr) return 0;
  set_callback(ompt::kParallelBegin,
               reinterpret_cast<ompt::Function>(static_cast<ompt::ParallelBegin>(&parallel_begin)));
  set_callback(ompt::kParallelEnd, reinterpret_cast<ompt::Function>(static_cast<ompt::ParallelEnd>(&parallel_end)));
  set_callback(ompt::kImplicitTask, reinterpret_cast<ompt::Function>(static_cast<ompt::ImplicitTask>(&implicit_task)));
  collector()->openmp_tells();
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
