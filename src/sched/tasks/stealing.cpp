// SPDX-License-Identifier: BSD-3-Clause
#include "sched/tasks/stealing.hpp"

#include <new>
#include <string>

#include "base/error.hpp"
#include "sched/substrate.hpp"
#include "sched/tasks/group.hpp"

namespace comity::sched {
namespace {

std::uint32_t next_random(std::uint32_t& state) noexcept {  // xorshift
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return state;
}

// By the number of the hart.
std::vector<int> nodes_of(Substrate& substrate) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < substrate.harts(); ++i) nodes.push_back(substrate.hart(i).node());
  return nodes;
}
std::vector<int> speeds_of(Substrate& substrate) {
  std::vector<int> speeds;
  for (std::size_t i = 0; i < substrate.harts(); ++i) speeds.push_back(substrate.hart(i).speed());
  return speeds;
}

}  // namespace

Stealing::Stealing(Scheduler& parent)
    : Scheduler(parent, this),
      tasks_(std::make_unique<Tasks[]>(substrate().harts())),
      of_nodes_(nodes_of(substrate())) {
  const std::vector<int> nodes = nodes_of(substrate());
  const std::vector<int> speeds = speeds_of(substrate());
  for (std::size_t i = 0; i < substrate().harts(); ++i) {
    tasks_[i].scheduler = this;
    tasks_[i].node = *of_nodes_.index_of(nodes[i]);
    tasks_[i].victims = victims_of(i, nodes, speeds);
    tasks_[i].random = static_cast<std::uint32_t>(i + 1);
  }
}

// Workers that rest between two tasks have nothing on their stacks.
Stealing::~Stealing() {
  for (std::size_t i = 0; i < substrate().harts(); ++i) {
    while (tasks_[i].idle_workers != nullptr) {
      Fiber& worker = *tasks_[i].idle_workers;
      tasks_[i].idle_workers = worker.next;
      Hart::current()->recycle(worker);
    }
  }
}

void Stealing::run(Tasks& mine, Task& task) noexcept {
  Group& group = *task.group;
  Hart::current()->tell_new_runtimes();
  Group::run_task(task);
  // The task may have waited: but on this hart alone, whose shelf is the same.
  mine.shelf.give(task);
  group.one_has_ended(*Hart::current());
}

bool Stealing::steal(Tasks& mine) { return steal_from(mine.victims.near, mine) || steal_from(mine.victims.far, mine); }

bool Stealing::steal_from(const std::vector<Victim>& victims, Tasks& mine) {
  if (victims.empty()) return false;
  const std::size_t first = next_random(mine.random) % victims.size();
  for (std::size_t i = 0; i < victims.size(); ++i) {
    const Victim& victim = victims[(first + i) % victims.size()];
    Tasks& theirs = mine.scheduler->tasks_[victim.hart];
    while (theirs.deque.may_have_public()) {
      if (theirs.deque.steal_into(mine.deque, victim.share) > 0) return true;
    }
  }
  return false;
}

void Stealing::call_for_help(Tasks& mine, std::size_t node) noexcept {
  mine.deque.offer();
  // Also with all harts here: one that has looked in vain is about to leave, and sees nothing that comes now.
  if (harts_wanted() > 0) return;
  substrate().wake_first_on(of_nodes_.node(node));
  request(1);
}

void Stealing::spawn_prior(Tasks& mine, Task& task, int priority) {
  try {
    prior_.push(task, priority);
  } catch (const std::bad_alloc&) {
    run(mine, task);
    return;
  }
  if (harts_idle()) call_for_help(mine, mine.node);
}

std::size_t Stealing::index_of_node(int node) const {
  if (const auto index = of_nodes_.index_of(node)) return *index;
  throw Error(Status::range, "add a task for NUMA node " + std::to_string(node) +
                                 ": no hart is of that node; name one that a hart is of, or none");
}

void Stealing::spawn_on(Tasks& mine, Task& task, std::size_t index) noexcept {
  of_nodes_.push(task, index);
  if (harts_idle()) call_for_help(mine, index);
}

bool Stealing::find_task(Tasks& mine, Hart& hart) noexcept {
  if (prior_.has_urgent() || !mine.deque.empty_for_owner() || of_nodes_.has(mine.node) || steal(mine)) return true;
  hart.tell_idle();
  return prior_.has_urgent() || of_nodes_.has(mine.node) || steal(mine) || of_nodes_.has_any() || prior_.has_late();
}

// Urgent ones, own ones, those of the own node, others' ones, those of other nodes, and those that may wait.
Task* Stealing::take(Tasks& mine) noexcept {
  if (prior_.has_urgent()) [[unlikely]] {
    if (Task* const urgent = prior_.take_urgent()) return urgent;
  }
  if (Task* const own = mine.deque.pop()) return own;
  return take_of_others(mine);
}

Task* Stealing::take_of_others(Tasks& mine) noexcept {
  if (Task* const of_node = of_nodes_.take(mine.node)) return of_node;
  if (!of_nodes_.has_any() && !prior_.has_late()) [[likely]]
    return nullptr;
  if (steal(mine)) return mine.deque.pop();
  Task* const of_others = of_nodes_.take_any(mine.node);
  return of_others != nullptr ? of_others : prior_.take_late();
}

Next Stealing::hart_granted(Lane& lane) {
  const Next next = Scheduler::hart_granted(lane);
  if (next.what != Next::What::give_back) return next;
  Tasks& mine = tasks_of(*lane.hart);
  if (!find_task(mine, *lane.hart)) return next;
  return Next::run(worker(mine, *lane.hart));
}

Fiber* Stealing::next_fiber(Lane& lane) noexcept {
  constexpr std::uint8_t kReadyInARow = 8;  // fibers that only yield would keep those back which have not begun
  const bool turn_of_new = ++lane.in_a_row % kReadyInARow == 0;
  if (!turn_of_new) {
    if (Fiber* const here = lane.ready.pop()) return here;
  }
  if (Fiber* const shared = take_shared()) return shared;
  Tasks& mine = tasks_of(*lane.hart);
  const bool turn_of_late = turn_of_new && (prior_.has_late() || of_nodes_.has_any());
  if (!mine.deque.empty_for_owner() || prior_.has_urgent() || of_nodes_.has(mine.node) || turn_of_late) {
    return &worker(mine, *lane.hart);
  }
  return lane.ready.pop();
}

void Stealing::fiber_made(Lane& lane, Fiber& fiber) noexcept {
  if (!harts_idle()) {
    keep(lane, fiber);
    return;
  }
  offer(fiber);
}

// A hart that was called away leaves tasks that it alone may take.
bool Stealing::has_bound(const Lane& lane) const noexcept {
  return Scheduler::has_bound(lane) || !tasks_[lane.hart->number()].deque.empty_for_owner() || prior_.has_any() ||
         of_nodes_.has_any();
}

Fiber& Stealing::worker(Tasks& mine, Hart& hart) {
  Fiber* const idle = mine.idle_workers;
  if (idle == nullptr) return hart.make_worker(*this, &Stealing::work, &mine);
  mine.idle_workers = idle->next;
  return *idle;
}

void Stealing::work(void* argument) {
  Tasks& mine = *static_cast<Tasks*>(argument);
  Hart& hart = *Hart::current();
  while (true) {
    Task* const task = mine.scheduler->take(mine);
    if (task != nullptr) {
      mine.scheduler->show_rest(mine);
      run(mine, *task);
      if (!hart.should_switch()) continue;
    }
    Fiber& self = hart.fiber();
    self.next = mine.idle_workers;
    mine.idle_workers = &self;
    hart.rest();
  }
}

}  // namespace comity::sched
