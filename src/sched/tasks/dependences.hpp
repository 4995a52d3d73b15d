// SPDX-License-Identifier: BSD-3-Clause
// Dependences: tasks of a group that begin when those that were made before them and touch the same data have ended: who reads
// waits for who wrote last, who writes for all who read or wrote. So the result is that of one after another.
// Invariant: a task that may not begin yet has one before it that has not ended, which is counted by the group.
#pragma once

#include <atomic>
#include <initializer_list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/tasks/group.hpp"
#include "sched/waiting/wait_list.hpp"

namespace comity::sched {

struct Access {
  const void* address;  // stands for the data; not looked at
  bool writes;
};

template <typename T>
[[nodiscard]] Access reads(const T& data) {
  return {&data, false};
}
template <typename T>
[[nodiscard]] Access writes(const T& data) {  // also what it reads there
  return {&data, true};
}

// By one fiber or task at a time, and gone before the group.
class Dependences {
 public:
  explicit Dependences(Group& group) : group_(group) {}

  template <typename Work>
  void run(std::initializer_list<Access> accesses, Work&& work) {
    add(std::make_shared<NodeOf<std::decay_t<Work>>>(std::forward<Work>(work)), {accesses.begin(), accesses.end()});
  }
  template <typename Work>
  void run(const std::vector<Access>& accesses, Work&& work) {
    add(std::make_shared<NodeOf<std::decay_t<Work>>>(std::forward<Work>(work)), accesses);
  }

  // As Group::wait(); what comes afterwards depends on nothing before.
  void wait() {
    forget();
    group_.wait();
  }
  // For who waits for the group itself.
  void forget() { last_.clear(); }

 private:
  struct Node : std::enable_shared_from_this<Node> {
    virtual ~Node() = default;
    virtual void work(Group& group) = 0;
    void begin(Group& group);
    void end(Group& group) noexcept;

    std::atomic<std::size_t> unmet{1};  // tasks that must end first; one more while it is being made
    SpinLock lock;                      // what follows
    bool ended = false;
    std::vector<std::shared_ptr<Node>> next;
  };
  template <typename Work>
  struct NodeOf final : Node {
    explicit NodeOf(Work&& given) : what(std::move(given)) {}
    explicit NodeOf(const Work& given) : what(given) {}
    void work(Group& group) override { call(what, group); }
    Work what;
  };
  struct Last {
    std::shared_ptr<Node> writer;
    std::vector<std::shared_ptr<Node>> readers;  // since then
  };

  void add(const std::shared_ptr<Node>& node, const std::vector<Access>& accesses);
  static void let_wait(const std::shared_ptr<Node>& node, const std::shared_ptr<Node>& before);

  Group& group_;
  std::unordered_map<const void*, Last> last_;
};

}  // namespace comity::sched
