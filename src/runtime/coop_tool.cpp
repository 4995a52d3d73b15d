// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/coop_tool.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>

#include "base/clock.hpp"
#include "base/naps.hpp"
#include "os/code/symbol.hpp"
#include "runtime/process.hpp"

namespace comity::runtime {
namespace {

using Over = int (*)(void*);
using RestBegins = void* (*)();
using RestEnds = void (*)(void*);

template <typename Function>
Function* found(const char* name) {
  return reinterpret_cast<Function*>(os::find_symbol(name));
}

// The names by which a preloaded library is found (src/preload/coop_tool).
struct Tool {
  int (*at_work)() = found<int()>("comity_tool_coop_at_work");
  int (*wait)(Over, void*, std::int64_t) = found<int(Over, void*, std::int64_t)>("comity_tool_coop_wait");
  void (*ring)() = found<void()>("comity_tool_coop_ring");
  void (*tell_rests)(RestBegins, RestEnds) = found<void(RestBegins, RestEnds)>("comity_tool_coop_tell_rests");

  static const Tool& here() {
    static const Tool one;
    return one;
  }
};

int is_over(void* question) { return (*static_cast<const std::function<bool()>*>(question))() ? 1 : 0; }

// The segments in which a rest that has begun made harts idle: the same ones end it.
using Nodes = std::array<std::shared_ptr<node::Node>, 8>;

void* rest_begins() noexcept {
  auto* const nodes = new (std::nothrow) Nodes;
  if (nodes == nullptr) return nullptr;
  Process::instance().list_nodes(*nodes);
  for (const auto& node : *nodes) {
    if (node) node->fall_asleep();
  }
  return nodes;
}

void rest_ends(void* rest) noexcept {
  const std::unique_ptr<Nodes> nodes(static_cast<Nodes*>(rest));
  if (!nodes) return;
  for (const auto& node : *nodes) {
    if (node) node->awake();
  }
}

}  // namespace

void ProgressMeanwhile::until(const std::function<bool()>& over, const std::function<void(std::int64_t)>& nap,
                              std::int64_t deadline_ns) {
  // The question is asked there as a C function.
  auto* const question = const_cast<std::function<bool()>*>(&over);
  if (Tool::here().wait != nullptr && Tool::here().wait(&is_over, question, deadline_ns) != 0) return;
  const std::int64_t began_ns = now_ns();
  for (std::int64_t now = began_ns; now < deadline_ns && !over(); now = now_ns()) {
    if (progress_.make != nullptr) progress_.make(progress_.data);
    nap(std::min(deadline_ns, deadline_after(nap_after(Nanoseconds(now - began_ns)), now)));
  }
}

bool coop_is_at_work() { return Tool::here().at_work != nullptr && Tool::here().at_work() != 0; }

void ring_coop() {
  if (Tool::here().ring != nullptr) Tool::here().ring();
}

void hear_of_coop_rests() {
  if (Tool::here().tell_rests != nullptr) Tool::here().tell_rests(&rest_begins, &rest_ends);
}

void hear_of_coop_rests_no_more() {
  if (Tool::here().tell_rests != nullptr) Tool::here().tell_rests(nullptr, nullptr);
}

}  // namespace comity::runtime
