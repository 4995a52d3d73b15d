// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory/view.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cli/topo/processes.hpp"
#include "os/kernel.hpp"

namespace comity::cli {
namespace {

CpuSet cpus_of(pid_t process) {
  CpuSet cpus;
  const auto binding = ProcessTable().binding(process);
  if (!binding) return cpus;
  for (const ThreadBinding& thread : binding->threads) cpus |= thread.cpus;
  return cpus;
}

os::NodeBytes nodes_of(const memory::Attribution& told) {
  os::NodeBytes sum;
  for (const memory::ComponentUse& use : told.components) {
    for (const auto& [node, bytes] : use.nodes) sum[node] += bytes;
  }
  return sum;
}

}  // namespace

Views::Views(const std::vector<pid_t>& processes, const memory::Components& components, memory::Depth depth)
    : components_(components), depth_(depth), nodes_(memory::node_cpus()), begin_ns_(now_ns()) {
  for (const pid_t process : processes) add(process);
}

void Views::add(pid_t process) {
  const auto node_pages = nodes_.size() > 1 ? memory::NodePages::read : memory::NodePages::left_out;
  const ProcessTable table;
  memory::Watcher watcher(process, components_, depth_, node_pages);
  ProcessView view;
  view.process = process;
  view.rank = table.rank(process);
  view.command = table.command(process, "?");
  watched_.push_back({std::move(view), std::move(watcher)});
}

bool Views::has(pid_t process) const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [&](const Watched& each) { return each.view.process == process; });
}

void Views::glance() {
  for (Watched& each : watched_) each.watcher.glance();
}

void Views::look_at(Watched& watched) const {
  try {
    watched.watcher.look();
  } catch (const Error& error) {
    if (error.status() != Status::system) throw;
    throw Error(Status::system, error.what() + std::string("; --totals shows what everybody may see"));
  }
  ProcessView& view = watched.view;
  view.seen = watched.watcher.seen();
  if (!view.told()) return;
  view.mappings_age_s = seconds_of(now_ns() - view.seen.told_at_ns);
  if (nodes_.size() < 2 || view.seen.ended) return;
  const CpuSet cpus = cpus_of(view.process);
  view.cpus = cpus.to_list();
  view.nearness = memory::nearness(nodes_of(view.attribution()), cpus, nodes_);
}

MemoryView Views::look() {
  MemoryView view;
  for (Watched& each : watched_) {
    look_at(each);
    view.processes.push_back(each.view);
  }
  view.host = os::host_name();
  view.time_s = seconds_of(now_ns() - begin_ns_);
  view.node = os::node_totals();
  view.components = &components_;
  return view;
}

bool Views::all_have_ended() const {
  return std::all_of(watched_.begin(), watched_.end(), [](const Watched& each) { return each.watcher.seen().ended; });
}

}  // namespace comity::cli
