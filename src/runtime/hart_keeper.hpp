// SPDX-License-Identifier: BSD-3-Clause
// HartKeeper: tells each node segment that this process is attached to where it runs now: the hart table, and the mask
// that others see live. Not: what of the table it claims there (node). Source: DESIGN "The hart table". The stack's lock
// orders the calls.
#pragma once

#include <memory>
#include <vector>

#include "context/binding_stack.hpp"
#include "node/node.hpp"

namespace comity::runtime {

class HartKeeper {
 public:
  HartKeeper() = default;
  HartKeeper(const HartKeeper&) = delete;
  HartKeeper& operator=(const HartKeeper&) = delete;
  ~HartKeeper();

  // Follows one more segment; nothing if it does already.
  void follow(const std::shared_ptr<node::Node>& node, const context::BindingStack::State& now);
  void binding_changed(const context::BindingStack::State& now) noexcept;
  // Leaves those segments that nobody else in this process has a part in.
  void release_unused();
  // Each segment that it follows, in the order in which they came. Allocates nothing.
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const auto& node : followed_) visit(node);
  }

 private:
  std::vector<std::shared_ptr<node::Node>> followed_;
};

}  // namespace comity::runtime
