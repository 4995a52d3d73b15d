// SPDX-License-Identifier: BSD-3-Clause
// Verdict: what the threads of a job have told of themselves, against the plan. Pure. Masks are judged first: where a thread may run.
// That it ran on one of these CPUs at one moment proves nothing; that it ran outside of the plan's proves that it is not as planned.
#pragma once

#include <string>
#include <vector>

#include "cli/place/in_place/probe.hpp"
#include "place/plan.hpp"

namespace comity::cli {

struct Verdict {
  std::size_t ranks = 0;  // that have told something
  std::size_t threads = 0;
  std::size_t hosts = 0;
  std::vector<std::string> findings;  // a sentence each; none: all is as planned
};

// `hosts`: of each node of the plan; empty: any, but one for each node. `here`: the name of the host that "localhost" among them is.
[[nodiscard]] Verdict verdict_on(const place::Plan& plan, const std::vector<std::string>& hosts,
                                 const std::string& here, const std::vector<ProbedThread>& threads);

}  // namespace comity::cli
