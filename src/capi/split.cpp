// SPDX-License-Identifier: BSD-3-Clause
// Pieces of this node's CPUs for ranks and threads.
#include <comity/split.h>

#include <vector>

#include "capi/guard.hpp"
#include "capi/handle.hpp"

using namespace comity;
using capi::guard;
using capi::handle;
using capi::object_type;
using capi::required;
using capi::unwrap;

namespace {

context::Assign assignment(comity_assignment how) {
  if (how == COMITY_ASSIGN_PACKED) return context::Assign::packed;
  if (how == COMITY_ASSIGN_SPREAD) return context::Assign::spread;
  if (how == COMITY_ASSIGN_CLOSE) return context::Assign::close;
  throw Error(Status::argument, "there is no assignment " + std::to_string(static_cast<int>(how)) +
                                    "; use COMITY_ASSIGN_PACKED .. COMITY_ASSIGN_CLOSE");
}

std::size_t member_count(std::int32_t members) {
  if (members > 0) return static_cast<std::size_t>(members);
  throw Error(Status::range,
              "assign pieces: members are " + std::to_string(members) + "; at least one is needed to get any");
}

std::vector<CpuSet> places_of(const comity_cpuset* places, std::size_t members, context::Assign how) {
  std::vector<CpuSet> sets;
  if (how != context::Assign::close) return sets;
  const comity_cpuset* const first = &required(places, "places", "where each member is, one set each");
  sets.reserve(members);
  for (std::size_t member = 0; member < members; ++member) sets.push_back(capi::cpu_set(first[member]));
  return sets;
}

context::ThreadScope scope_of(const comity_thread_scope& scope) {
  return {static_cast<pid_t>(scope.thread), scope.under, capi::cpu_set(scope.before)};
}

}  // namespace

comity_status comity_context_assign(const comity_context* context, comity_type type, int32_t pieces,
                                    comity_assignment how, int32_t members, const comity_cpuset* whole,
                                    const comity_cpuset* places, comity_cpuset* shares) {
  return guard([&] {
    const context::Context& target = unwrap(context);
    const context::Assign by = assignment(how);
    const std::size_t count = member_count(members);
    CpuSet set;
    if (whole != nullptr) set = capi::cpu_set(*whole);
    comity_cpuset* const out = &required(shares, "shares");
    const std::vector<CpuSet> found = target.assign(object_type(type), pieces, by, count,
                                                    whole == nullptr ? nullptr : &set, places_of(places, count, by));
    for (std::size_t member = 0; member < count; ++member) out[member] = capi::cpu_set(found[member]);
  });
}

comity_status comity_context_split(comity_context* context, comity_type type, int32_t pieces, comity_assignment how,
                                   comity_group* among, comity_group** group) {
  return guard([&] {
    comity_group*& out = required(group, "group");
    node::Group* const ranks = among == nullptr ? nullptr : &capi::group_of(context, among, "split CPUs");
    const context::Splitting asked{static_cast<int>(type), pieces, static_cast<int>(how)};
    out = reinterpret_cast<comity_group*>(runtime::Process::instance().split(handle(context), asked, ranks));
  });
}

comity_status comity_context_bind_thread(comity_context* context, const comity_cpuset* set,
                                         comity_thread_scope* scope) {
  return guard([&] {
    context::Context& target = unwrap(context);
    const CpuSet cpus = capi::cpu_set(required(set, "set", "the CPUs to bind to"));
    comity_thread_scope& out = required(scope, "scope");
    const context::ThreadScope bound = target.bind_thread(cpus);
    out = {capi::cpu_set(bound.before), bound.under, bound.thread};
  });
}

comity_status comity_context_release_thread(comity_context* context, comity_thread_scope* scope) {
  return guard([&] {
    context::Context& target = unwrap(context);
    comity_thread_scope& ended = required(scope, "scope", "what comity_context_bind_thread wrote");
    target.release_thread(scope_of(ended));
    ended.thread = 0;
  });
}
