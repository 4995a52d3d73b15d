// SPDX-License-Identifier: BSD-3-Clause
// From a context's handle to the context: the table of the process finds it alive, or throws Status::handle.
#pragma once

#include <comity/context.h>

#include "capi/guard.hpp"
#include "runtime/process.hpp"

namespace comity::capi {

inline std::uintptr_t handle(const comity_context* context) { return reinterpret_cast<std::uintptr_t>(context); }

inline context::Context& unwrap(const comity_context* context) {
  return runtime::Process::instance().contexts().at(handle(context));
}

// Most queries: one number out of a context.
template <typename Question>
comity_status answer(const comity_context* context, std::int32_t* result, const char* name, Question&& question) {
  return guard([&] {
    context::Context& target = unwrap(context);
    std::int32_t& out = required(result, name);
    out = static_cast<std::int32_t>(question(target));
  });
}

}  // namespace comity::capi
