// SPDX-License-Identifier: BSD-3-Clause
// A rank's context on a described machine whose cgroup is a folder of files: nothing of it is shared with other ranks but the
// segment and those files.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "context/context.hpp"
#include "machine/restrict.hpp"
#include "node/fork_bootstrap.hpp"
#include "os/fake_cgroup.hpp"

namespace comity::testing {

class RankOnCgroup {
 public:
  // `load`: what the ranks of a node share (machine::load_for_node), the same on all.
  RankOnCgroup(ForkBootstrap& job, const FakeCgroup& cgroup, const std::function<machine::Image()>& load)
      : node_(node::Node::attach(
            job, {}, load,
            [](std::span<const std::byte> payload) {
              const machine::Machine machine(payload);
              return node::LocalFacts{machine.allowed(), machine.complete().highest().value_or(0) + 1};
            })),
        watch_(cgroup.root()),
        context_(node_, node_->make_group(job), 1, stack_, team_sizes_, 1, {context::AfterPhase::spin, {}}, &watch_,
                 [this](context::Notice notice) { return node_->first_to_tell(static_cast<unsigned>(notice)); }) {
    watch_.prepare();
    context_.begin();
  }

  [[nodiscard]] context::Context& context() { return context_; }

 private:
  std::shared_ptr<node::Node> node_;
  context::SimulatedBinder binder_{machine::Machine(node_->payload()).allowed()};
  context::BindingStack stack_{binder_};
  context::TeamSizes team_sizes_;
  os::CpusetWatch watch_;
  context::Context context_;
};

}  // namespace comity::testing
