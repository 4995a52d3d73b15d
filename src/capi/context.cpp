// SPDX-License-Identifier: BSD-3-Clause
// Each function: look the handle up, call the one member it names, write the result.
#include <comity/context.h>
#include <comity/quiesce.h>

#include "capi/bootstrap.hpp"
#include "capi/guard.hpp"
#include "capi/handle.hpp"
#include "runtime/coop_tool.hpp"

using namespace comity;
using capi::answer;
using capi::guard;
using capi::handle;
using capi::object_type;
using capi::required;
using capi::unwrap;

namespace {

comity_context* wrap_context(std::uintptr_t handle) { return reinterpret_cast<comity_context*>(handle); }

context::View view_of(comity_view view) {
  if (view == COMITY_VIEW_PUBLISHED) return context::View::published;
  if (view == COMITY_VIEW_LIVE) return context::View::live;
  throw Error(Status::argument, "there is no view " + std::to_string(static_cast<int>(view)) +
                                    "; use COMITY_VIEW_PUBLISHED or COMITY_VIEW_LIVE");
}

context::BindingOf binding_of(comity_binding_of whose) {
  if (whose == COMITY_BINDING_OF_MAIN_THREAD) return context::BindingOf::main_thread;
  if (whose == COMITY_BINDING_OF_THREADS) return context::BindingOf::threads;
  throw Error(Status::argument, "choose whose masks are the binding: there is no choice " +
                                    std::to_string(static_cast<int>(whose)) +
                                    "; use COMITY_BINDING_OF_MAIN_THREAD or COMITY_BINDING_OF_THREADS");
}

context::TeamPolicy policy_of(comity_teams teams) {
  if (teams == COMITY_TEAMS_PLACE) return context::TeamPolicy::place;
  if (teams == COMITY_TEAMS_KEEP) return context::TeamPolicy::keep;
  if (teams == COMITY_TEAMS_LEAVE) return context::TeamPolicy::leave;
  throw Error(Status::argument, "choose what pushes do about teams: there is no choice " +
                                    std::to_string(static_cast<int>(teams)) +
                                    "; use COMITY_TEAMS_PLACE, COMITY_TEAMS_KEEP or COMITY_TEAMS_LEAVE");
}

context::Timeout timeout_of(std::int64_t timeout_ns) {
  if (timeout_ns == COMITY_FOREVER) return std::nullopt;
  if (timeout_ns < 0) {
    throw Error(Status::range,
                "quiesce: the timeout is " + std::to_string(timeout_ns) + " ns; give COMITY_FOREVER, or 0 and above");
  }
  return std::chrono::nanoseconds(timeout_ns);
}

void require_known(std::uint32_t flags) {
  if ((flags & ~COMITY_QUIESCE_PROGRESS) == 0) return;
  throw Error(Status::argument, "quiesce: flags are " + std::to_string(flags) +
                                    "; this version knows 0 and COMITY_QUIESCE_PROGRESS, which is " +
                                    std::to_string(COMITY_QUIESCE_PROGRESS));
}

// Else a program would wait for messages that nobody takes.
void require_progress(const context::Context& context) {
  if (context.progress().make != nullptr || runtime::coop_is_at_work()) return;
  throw Error(
      Status::unsupported,
      "quiesce with COMITY_QUIESCE_PROGRESS: this context has nothing that makes messages go on; create it with "
      "comity_context_create, which brings MPI's, or give one by comity_context_set_progress");
}

}  // namespace

comity_status comity_context_create_local(comity_context** context) {
  return guard([&] {
    comity_context*& out = required(context, "context");
    out = wrap_context(runtime::Process::instance().create_local());
  });
}

comity_status comity_context_create_with(const comity_bootstrap* bootstrap, comity_context** context) {
  return guard([&] {
    capi::CallbackBootstrap callbacks(required(bootstrap, "bootstrap", "the three callbacks"));
    // Asked inside the collective call, so that a mistake of one rank fails all instead of leaving them waiting.
    const auto ready = [&] {
      callbacks.require_ranks();
      (void)required(context, "context");
    };
    const std::uintptr_t created = runtime::Process::instance().create(callbacks, ready);
    *context = wrap_context(created);
  });
}

comity_status comity_context_free(comity_context** context) {
  return guard([&] {
    comity_context*& target = required(context, "context", "the address of the handle");
    if (target == nullptr) return;
    const context::Restored restored = runtime::Process::instance().free_context(handle(target));
    target = nullptr;
    context::require_given_back("free a context", restored);
  });
}

comity_status comity_context_count(const comity_context* context, comity_type type, int32_t* count) {
  return answer(context, count, "count", [&](auto& c) { return c.machine().count(object_type(type)); });
}

comity_status comity_context_count_within(const comity_context* context, comity_type inner, comity_type outer,
                                          int32_t index, int32_t* count) {
  return answer(context, count, "count",
                [&](auto& c) { return c.machine().count_within(object_type(inner), object_type(outer), index); });
}

comity_status comity_context_cpuset(const comity_context* context, comity_type type, int32_t index,
                                    comity_cpuset* set) {
  return guard([&] {
    const CpuSet result = unwrap(context).machine().cpuset(object_type(type), index);
    required(set, "set") = capi::cpu_set(result);
  });
}

comity_status comity_context_node_id(const comity_context* context, uint64_t* id) {
  return guard([&] {
    const std::uint64_t found = unwrap(context).node()->id();
    required(id, "id") = found;
  });
}

comity_status comity_context_set_smt(comity_context* context, comity_smt smt) {
  return guard([&] { unwrap(context).show(static_cast<context::Smt>(smt)); });
}

comity_status comity_context_smt(const comity_context* context, comity_smt* smt) {
  return guard([&] {
    const context::Smt seen = unwrap(context).smt();
    required(smt, "smt") = static_cast<comity_smt>(seen);
  });
}

comity_status comity_context_set_binding_of(comity_context* context, comity_binding_of whose) {
  return guard([&] {
    context::Context& found = unwrap(context);
    found.take_binding_of(binding_of(whose));
  });
}

comity_status comity_context_node_count(const comity_context* context, int32_t* count) {
  return answer(context, count, "count", [](auto& c) { return c.node_count(); });
}

comity_status comity_context_rank(const comity_context* context, int32_t* rank) {
  return answer(context, rank, "rank", [](auto& c) { return c.rank(); });
}

comity_status comity_context_size(const comity_context* context, int32_t* size) {
  return answer(context, size, "size", [](auto& c) { return c.size(); });
}

comity_status comity_context_is_bound(const comity_context* context, int32_t* bound) {
  return answer(context, bound, "bound", [](auto& c) { return c.is_bound() ? 1 : 0; });
}

comity_status comity_context_width(const comity_context* context, int32_t* cores, int32_t* pus) {
  return guard([&] {
    const context::Width width = unwrap(context).width();
    if (cores != nullptr) *cores = width.cores;
    if (pus != nullptr) *pus = width.pus;
  });
}

comity_status comity_context_binding(const comity_context* context, comity_cpuset* set) {
  return guard([&] {
    const CpuSet binding = unwrap(context).binding();
    required(set, "set") = capi::cpu_set(binding);
  });
}

comity_status comity_context_binding_string(const comity_context* context, comity_cpuset_form form, char* text,
                                            size_t capacity_bytes, size_t* length_bytes) {
  comity_cpuset set;
  const comity_status status = comity_context_binding(context, &set);
  return status != COMITY_OK ? status : comity_cpuset_string(&set, form, text, capacity_bytes, length_bytes);
}

comity_status comity_context_encloses(const comity_context* context, comity_type type, int32_t index,
                                      int32_t* encloses) {
  return answer(context, encloses, "encloses", [&](auto& c) { return c.encloses(object_type(type), index) ? 1 : 0; });
}

comity_status comity_context_intersects(const comity_context* context, comity_type type, int32_t index,
                                        int32_t* intersects) {
  return answer(context, intersects, "intersects",
                [&](auto& c) { return c.intersects(object_type(type), index) ? 1 : 0; });
}

comity_status comity_context_touched(const comity_context* context, comity_type type, int32_t* indices,
                                     int32_t capacity, int32_t* count) {
  return guard([&] {
    const auto found = unwrap(context).touched(object_type(type));
    capi::write_list(found, indices, capacity, count, "indices");
  });
}

comity_status comity_context_peers_in(const comity_context* context, comity_type type, int32_t index, comity_view view,
                                      int32_t* ranks, int32_t capacity, int32_t* count) {
  return guard([&] {
    const auto found = unwrap(context).peers_in(object_type(type), index, view_of(view));
    capi::write_list(found, ranks, capacity, count, "ranks");
  });
}

comity_status comity_context_peer_binding(const comity_context* context, int32_t rank, comity_view view,
                                          comity_cpuset* set, comity_told_by* told_by) {
  return guard([&] {
    const context::PeerBinding found = unwrap(context).peer_binding(rank, view_of(view));
    if (set != nullptr) *set = capi::cpu_set(found.mask);
    if (told_by != nullptr) *told_by = static_cast<comity_told_by>(found.told_by);
  });
}

comity_status comity_context_set_teams(comity_context* context, comity_teams teams) {
  return guard([&] {
    context::Context& found = unwrap(context);
    found.take_teams(policy_of(teams));
  });
}

comity_status comity_context_push(comity_context* context, comity_type type, int32_t index) {
  return guard([&] { unwrap(context).push(object_type(type), index); });
}

comity_status comity_context_push_cpuset(comity_context* context, const comity_cpuset* set) {
  return guard([&] { unwrap(context).push(capi::cpu_set(required(set, "set", "the CPUs to bind to"))); });
}

comity_status comity_context_push_nearest(comity_context* context, comity_type type) {
  return guard([&] { unwrap(context).push_nearest(object_type(type)); });
}

comity_status comity_context_pop(comity_context* context) {
  return guard([&] { unwrap(context).pop(); });
}

comity_status comity_context_keep_binding(comity_context* context) {
  return guard([&] { unwrap(context).keep_binding(); });
}

comity_status comity_context_depth(const comity_context* context, int32_t* depth) {
  return answer(context, depth, "depth", [](auto& c) { return c.depth(); });
}

comity_status comity_context_spread(comity_context* context, comity_type type) {
  return guard([&] { unwrap(context).spread(object_type(type)); });
}

comity_status comity_group_split(comity_context* context, int32_t colour, comity_group** group) {
  return guard([&] {
    comity_group*& out = required(group, "group");
    out = reinterpret_cast<comity_group*>(runtime::Process::instance().split(handle(context), colour));
  });
}

comity_status comity_group_free(comity_group** group) {
  return guard([&] {
    comity_group*& target = required(group, "group", "the address of the handle");
    if (target == nullptr) return;
    (void)runtime::Process::instance().groups().take(handle(target));
    target = nullptr;
  });
}

comity_status comity_group_rank(const comity_group* group, int32_t* rank, int32_t* size) {
  return guard([&] {
    const runtime::OwnedGroup& target = unwrap(group);
    if (rank != nullptr) *rank = target.group->rank();
    if (size != nullptr) *size = target.group->size();
  });
}

comity_status comity_context_quiesce(comity_context* context, comity_group* group, uint32_t flags, int64_t timeout_ns) {
  return guard([&] {
    context::Context& target = unwrap(context);
    require_known(flags);
    const context::Timeout timeout = timeout_of(timeout_ns);
    runtime::ProgressMeanwhile progress(target.progress());
    node::Meanwhile* const meanwhile = (flags & COMITY_QUIESCE_PROGRESS) == 0 ? nullptr : &progress;
    if (meanwhile != nullptr) require_progress(target);
    if (group == nullptr) {
      target.quiesce(timeout, meanwhile);
    } else {
      target.quiesce(capi::group_of(context, group, "quiesce"), timeout, meanwhile);
    }
    runtime::ring_coop();
  });
}

comity_status comity_context_set_progress(comity_context* context, comity_progress progress, void* data) {
  return guard([&] { unwrap(context).set_progress({progress, data}); });
}

comity_status comity_context_refresh(comity_context* context) {
  return guard([&] { unwrap(context).refresh(); });
}
