// SPDX-License-Identifier: BSD-3-Clause
#include "sched/tasks/dependences.hpp"

#include <mutex>

namespace comity::sched {

void Dependences::Node::begin(Group& group) {
  // Ends the node when it is destroyed: the task may throw, or be dropped.
  struct Running {
    Running(Group& of, std::shared_ptr<Node> what) : group(&of), node(std::move(what)) {}
    Running(Running&&) noexcept = default;
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    Running& operator=(Running&&) = delete;
    ~Running() {
      if (node != nullptr) node->end(*group);
    }
    void operator()() const {
      try {
        node->work(*group);
      } catch (...) {
        group->cancel();  // before the end of this one begins those that wait for it
        throw;
      }
    }

    Group* group;
    std::shared_ptr<Node> node;
  };
  group.run(Running(group, shared_from_this()));
}

void Dependences::Node::end(Group& group) noexcept {
  std::vector<std::shared_ptr<Node>> waiting;
  {
    const std::lock_guard held(lock);
    ended = true;
    waiting.swap(next);
  }
  for (const auto& node : waiting) {
    if (node->unmet.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
    try {
      node->begin(group);
    } catch (...) {
      group.fail(std::current_exception());  // no memory for the task: it has ended as one that was dropped
    }
  }
}

void Dependences::let_wait(const std::shared_ptr<Node>& node, const std::shared_ptr<Node>& before) {
  if (before == nullptr || before == node) return;
  const std::lock_guard held(before->lock);
  if (before->ended) return;
  before->next.push_back(node);
  node->unmet.fetch_add(1, std::memory_order_relaxed);
}

void Dependences::add(const std::shared_ptr<Node>& node, const std::vector<Access>& accesses) {
  for (const Access& access : accesses) {
    Last& last = last_[access.address];
    let_wait(node, last.writer);
    if (access.writes) {
      for (const auto& reader : last.readers) let_wait(node, reader);
      last.readers.clear();
      last.writer = node;
    } else {
      last.readers.push_back(node);
    }
  }
  if (node->unmet.fetch_sub(1, std::memory_order_acq_rel) == 1) node->begin(group_);
}

}  // namespace comity::sched
