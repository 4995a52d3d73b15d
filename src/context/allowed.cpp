// SPDX-License-Identifier: BSD-3-Clause
// What the cgroup of rank 0 allows by now, CPUs and memory nodes: who looks, and when. Not: how the ranks agree on it (collective).
#include <cstdint>
#include <new>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "context/context.hpp"

namespace comity::context {
namespace {

// Between two looks at the cgroup, each of which costs twice as much as a meeting of ranks that come together. No longer than
// it takes to change a cpuset (3.6 us at the least on an AMD EPYC, 7.5 with the opening of its file): one that begins after
// a call is seen by the next.
constexpr std::int64_t kLookEvery_ns = 3'500;
// The same of its memory nodes, a second file: barriers in a loop pay nothing for it, and a longer rest half a microsecond.
constexpr std::int64_t kLookAtNodesEvery_ns = 100'000;

// Whether that long has passed since the last look; then another one is due now.
bool is_time_to_look(std::int64_t& looked_ns, std::int64_t every_ns, std::int64_t now) {
  if (now - looked_ns < every_ns) return false;
  looked_ns = now;
  return true;
}

}  // namespace

// What the cgroup allows, if that is not what this context's ranks have agreed on.
std::optional<CpuSet> Context::news_of_cpuset(std::optional<CpuSet> allowed) const {
  if (!allowed) return std::nullopt;
  *allowed &= views_.complete().cpuset(ObjectType::machine, 0);
  if (allowed->empty() || *allowed == agreed_) return std::nullopt;
  return allowed;
}

// The same of the NUMA nodes whose memory it allows. One without memory the kernel lists nowhere: it stays as it was.
std::optional<CpuSet> Context::news_of_nodes() const {
  const std::optional<CpuSet> listed = cpuset_->look_at_nodes();
  const machine::Machine& complete = views_.complete();
  CpuSet allowed = listed.value_or(CpuSet()) & nodes_of(complete);
  if (allowed.empty()) return std::nullopt;
  for (int node = 0; node < complete.count(ObjectType::numa); ++node) {
    const auto os_index = static_cast<std::size_t>(complete.os_index(ObjectType::numa, node));
    if (complete.memory_bytes(node) == 0 && agreed_nodes_.contains(os_index)) allowed.insert(os_index);
  }
  if (allowed == agreed_nodes_) return std::nullopt;
  return allowed;
}

bool Context::has_news(Look look) {
  if (look == Look::agree || has_strayed_) return true;
  if (look == Look::never || cpuset_ == nullptr || rank() != 0) return false;
  if (look == Look::anew) return news_of_cpuset(cpuset_->look_anew()).has_value() || news_of_nodes().has_value();
  const std::int64_t now = now_ns();
  const bool at_cpus = is_time_to_look(looked_ns_, kLookEvery_ns, now) || look == Look::now;
  const bool at_nodes = is_time_to_look(looked_at_nodes_ns_, kLookAtNodesEvery_ns, now) || look == Look::now;
  const bool has_changed =
      (at_cpus && news_of_cpuset(cpuset_->look()).has_value()) || (at_nodes && news_of_nodes().has_value());
  if (has_changed)
    looked_ns_ = looked_at_nodes_ns_ = 0;  // a meeting that times out tells nobody: the next one looks again
  return has_changed;
}

std::optional<CpuSet> Context::news_of_mine() {
  if (may_look_ && is_time_to_look(looked_ns_, kLookEvery_ns, now_ns())) return news_of_cpuset(cpuset_->look());
  return has_strayed_ ? std::optional(views_.whole().allowed()) : std::nullopt;
}

void Context::learn_whose_cgroup_is_mine() {
  if (cpuset_ == nullptr) return;
  const std::uint64_t mine = cpuset_->identity();
  everybody_->exchange(mine, column_);
  may_look_ = rank() == 0 || (mine != 0 && mine == column_[0]);
  if (!may_look_) tell_of_another_cpuset();
}

// Of a rank whose own cgroup, which no call looks at, allows something else. What cannot be said for lack of memory is left
// out: the ranks have met.
void Context::tell_of_another_cpuset() const noexcept {
  try {
    const std::optional<CpuSet> mine = news_of_cpuset(cpuset_->look());
    if (!mine) return;
    const std::string sentence = "this rank's cgroup allows CPUs " + mine->to_list() +
                                 ", that of rank 0 of the node CPUs " + agreed_.to_list() +
                                 ": counts and objects of all ranks are by rank 0's, and a push to CPUs of which this "
                                 "rank's allows none is refused; "
                                 "start the ranks of a node in one cpuset, or set COMITY_NODE_HANDOVER=none, by which "
                                 "each rank is a node of its own";
    if (first_to_tell_ && first_to_tell_(Notice::another_cpuset)) log::warning_once("context", sentence);
  } catch (const std::bad_alloc&) {
    return;
  }
}

}  // namespace comity::context
