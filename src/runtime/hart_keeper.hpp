// SPDX-License-Identifier: BSD-3-Clause
// HartKeeper: writes this process's pushed binding into each node segment that it is attached to: the hart table, and
// the mask that others see live. Invariant: it holds, or asks for, exactly the harts of the innermost push that it does
// not own, or of the mask that a refresh has found in its place; with nothing pushed, none. Source: DESIGN "The hart
// table". The stack's lock orders the calls.
#pragma once

#include <memory>
#include <vector>

#include "base/cpu_set.hpp"
#include "node/node.hpp"

namespace comity::runtime {

class HartKeeper {
 public:
  HartKeeper() = default;
  HartKeeper(const HartKeeper&) = delete;
  HartKeeper& operator=(const HartKeeper&) = delete;
  ~HartKeeper();

  // Follows one more segment; nothing if it does already.
  void follow(const std::shared_ptr<node::Node>& node, const CpuSet& pushed, const CpuSet& binding);
  // `pushed`: the innermost push, empty without one. `binding`: where the process may run.
  void binding_changed(const CpuSet& pushed, const CpuSet& binding) noexcept;
  // Leaves those segments that nobody else in this process has a part in.
  void release_unused();
  // Each segment that it follows, in the order in which they came. Allocates nothing.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Followed& followed : followed_) visit(followed.node);
  }

 private:
  struct Followed {
    std::shared_ptr<node::Node> node;
    CpuSet taken;  // we hold them, somebody else or nobody owns them
    CpuSet asked;  // `wanted` counts us
  };
  static void update(Followed& followed, const CpuSet& pushed);

  std::vector<Followed> followed_;
};

}  // namespace comity::runtime
