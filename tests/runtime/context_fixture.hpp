// SPDX-License-Identifier: BSD-3-Clause
// Contexts of forked ranks on a simulated machine of four cores, rank i on core i, with what lies behind the interface:
// the hart table of their node.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "node/fork_bootstrap.hpp"
#include "runtime/process.hpp"

namespace comity::testing {

// A context through the process's wiring, as the C interface makes it.
class WiredContext {
 public:
  explicit WiredContext(node::Bootstrap& job) : handle_(process().create(job, [] {})) {}
  WiredContext(const WiredContext&) = delete;
  WiredContext& operator=(const WiredContext&) = delete;
  ~WiredContext() { (void)process().free_context(handle_); }

  [[nodiscard]] context::Context& operator*() const { return process().contexts().at(handle_); }
  [[nodiscard]] context::Context* operator->() const { return &**this; }
  [[nodiscard]] node::Node& node() const { return *(**this).node(); }
  [[nodiscard]] std::uintptr_t handle() const { return handle_; }

 private:
  static runtime::Process& process() { return runtime::Process::instance(); }
  std::uintptr_t handle_;
};

// Not through the context, where a wait makes a rank's harts idle.
inline void meet(ForkBootstrap& job) { (void)job.job_sum(0); }

inline std::vector<RankEnd> run_on_four_cores(int ranks, const RankBody& body, const RunOptions& options = {}) {
  setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
  const RankBody bound = [&](ForkBootstrap& job) {
    setenv("COMITY_MACHINE_BINDING", std::to_string(job.job_rank()).c_str(), 1);
    body(job);
  };
  return run_ranks(ranks, bound, options);
}

}  // namespace comity::testing
