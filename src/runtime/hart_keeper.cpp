// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hart_keeper.hpp"

#include <algorithm>

namespace comity::runtime {
namespace {

void tell(node::Node& node, const context::BindingStack::State& now) {
  node.publish({now.binding, now.main_thread, !now.pushed.empty()});
  node.claim_harts(now.pushed, now.binding);
}

}  // namespace

HartKeeper::~HartKeeper() {
  for (const auto& node : followed_) node->claim_harts(CpuSet(), node->home_mask(node->participant()));
}

void HartKeeper::follow(const std::shared_ptr<node::Node>& node, const context::BindingStack::State& now) {
  if (std::ranges::find(followed_, node) != followed_.end()) return;
  followed_.push_back(node);
  tell(*node, now);
}

void HartKeeper::binding_changed(const context::BindingStack::State& now) noexcept {
  for (const auto& node : followed_) tell(*node, now);
}

void HartKeeper::release_unused() {
  std::erase_if(followed_, [](const auto& node) { return node.use_count() == 1; });
}

}  // namespace comity::runtime
