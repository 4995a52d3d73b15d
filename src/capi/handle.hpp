// SPDX-License-Identifier: BSD-3-Clause
// From a handle to its context or group: the table of the process finds it alive, or throws Status::handle.
#pragma once

#include <comity/quiesce.h>

#include "capi/guard.hpp"
#include "runtime/process.hpp"

namespace comity::capi {

inline std::uintptr_t handle(const comity_context* context) { return reinterpret_cast<std::uintptr_t>(context); }

inline context::Context& unwrap(const comity_context* context) {
  return runtime::Process::instance().contexts().at(handle(context));
}

inline std::uintptr_t handle(const comity_group* group) { return reinterpret_cast<std::uintptr_t>(group); }

inline runtime::OwnedGroup& unwrap(const comity_group* group) {
  return runtime::Process::instance().groups().at(handle(group));
}

// Throws Status::argument where it was split from another context; `act`: what was to be done.
inline node::Group& group_of(const comity_context* context, const comity_group* group, const char* act) {
  const runtime::OwnedGroup& some = unwrap(group);
  if (some.context != handle(context)) {
    throw Error(Status::argument,
                std::string(act) + ": the group was split from another context; use the one it came from");
  }
  return *some.group;
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
