// SPDX-License-Identifier: BSD-3-Clause
// PlacedGroup: a group of tasks in the memory of a caller of C, who may call what of it. Not: tasks and loops themselves (tasks).
#pragma once

#include <comity/sched_tasks.h>

#include <cstdint>
#include <memory>
#include <string>

#include "capi/sched/library.hpp"
#include "capi/sched/place.hpp"
#include "sched/tasks/dependences.hpp"
#include "sched/tasks/group.hpp"

namespace comity::capi::sched {

// A group that knows where in the caller's memory it is, and who made it.
class PlacedGroup : public comity::sched::Group {
 public:
  PlacedGroup(comity::sched::Scheduler& scheduler, comity_sched_group* place, const comity::sched::Fiber& maker)
      : comity::sched::Group(scheduler), place_(place), maker_(&maker) {}

  [[nodiscard]] comity_sched_group* place() const noexcept { return place_; }
  void require_maker(const char* what) const {
    if (&Library::fiber_hart().fiber() != maker_) [[unlikely]]
      refuse(what, "another fiber or task made that group; let that one do it");
  }
  void require_member(const char* what) const {
    if (&Library::fiber_hart().scheduler() != &scheduler()) [[unlikely]]
      refuse(what, "the caller is no fiber of the scheduler that the group is of");
  }
  // Also where the scheduler leaves the node out: that a program names one that is not here shows everywhere.
  void require_node(std::int32_t node) const {
    comity::sched::Substrate& substrate = Library::running().substrate();
    for (std::size_t i = 0; i < substrate.harts(); ++i) {
      if (substrate.hart(i).node() == node) return;
    }
    throw Error(Status::range, "add a task for NUMA node " + std::to_string(node) +
                                   ": no hart is of that node; comity_sched_node_of tells of which each is");
  }
  [[nodiscard]] comity::sched::Dependences& dependences() {
    if (!dependences_) dependences_ = std::make_unique<comity::sched::Dependences>(*this);
    return *dependences_;
  }
  void wait_for_tasks() {
    if (dependences_) dependences_->forget();
    wait();
  }
  // Whether a wait would find nothing, and say nothing.
  [[nodiscard]] bool is_as_new() const { return !dependences_ && has_nothing(); }

 private:
  [[noreturn, gnu::cold, gnu::noinline]] static void refuse(const char* what, const char* why) {
    throw Error(Status::order, std::string(what) + ": " + why);
  }

  comity_sched_group* const place_;
  const comity::sched::Fiber* const maker_;
  std::unique_ptr<comity::sched::Dependences> dependences_;  // made when first wanted
};

using Place = Begun<PlacedGroup, 0x4c'f0'86'2d'9b'e1'57'1a>;

}  // namespace comity::capi::sched
