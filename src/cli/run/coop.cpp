// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run/coop.hpp"

#include <algorithm>

#include "cli/run/setting_name.hpp"
#include "coop/decision/crowd.hpp"
#include "coop/decision/idle_threads.hpp"

namespace comity::cli::launch {
namespace {

// At least so many, where a number is not known.
coop::Crowd least_crowd(const JobShape& shape, int cores) {
  coop::Crowd crowd{.cores = static_cast<std::uint32_t>(cores)};
  for (const PartShape& part : shape.parts) {
    const auto ranks = static_cast<std::uint32_t>(part.ranks.value_or(1));
    const auto threads = static_cast<std::uint32_t>(part.threads);
    crowd.least_threads = crowd.ranks == 0 ? threads : std::min(crowd.least_threads, threads);
    crowd.most_threads = std::max(crowd.most_threads, threads);
    crowd.ranks += ranks;
    crowd.threads += ranks * threads;
  }
  return crowd;
}

bool knows_all(const JobShape& shape) {
  return std::all_of(shape.parts.begin(), shape.parts.end(),
                     [](const PartShape& part) { return part.ranks.has_value() && part.threads_known; });
}

bool knows_ranks(const JobShape& shape) {
  return std::all_of(shape.parts.begin(), shape.parts.end(),
                     [](const PartShape& part) { return part.ranks.has_value(); });
}

bool may_have_teams(const JobShape& shape) {
  return std::any_of(shape.parts.begin(), shape.parts.end(),
                     [](const PartShape& part) { return part.threads > 1 || !part.threads_known; });
}

// Where ranks may be bound, a team may have fewer cores than the node.
bool may_be_narrow(const JobShape& shape) {
  return shape.binds_by_wish || (shape.binds_by_default && may_have_teams(shape));
}

// Sets setting, why and crowded, by the first reason that there is.
void decide(CoopPlan& plan, const JobShape& shape, int cores) {
  const coop::Crowd crowd = least_crowd(shape, cores);
  const auto say = [&](const char* setting, const std::string& why) {
    plan.setting = setting;
    plan.why = why;
  };
  if (!shape.is_one_program) return say("off", "not all of its programs tell by their files that they use MPI");
  if (!shape.on_this_node) return say("auto", "how many ranks share a node is known to them alone");
  if (knows_ranks(shape) && crowd.ranks == 1) return say("off", "one rank has nobody to wait for");
  plan.crowded = coop::is_crowded(crowd);
  if (plan.crowded) return say("auto", coop::to_text(crowd) + (knows_all(shape) ? "" : ", or more"));
  if (knows_all(shape) && !may_be_narrow(shape)) return say("off", coop::to_text(crowd));
  say("auto", "how many threads and cores a rank has is known to it alone");
}

}  // namespace

CoopPlan plan_coop(const std::string& wish, const JobShape& shape, int cores, const Environment& given) {
  CoopPlan plan;
  plan.is_by_itself = wish == "auto";
  if (wish == "off") return {.setting = wish, .why = "asked for", .is_by_itself = false, .variables = {}};
  decide(plan, shape, cores);
  if (wish == "on") {
    plan.setting = wish;
    plan.why = "asked for";
  }
  if (plan.setting == "off" || !may_have_teams(shape)) return plan;
  if (shape.may_spread && !given(name_of(OptionId::coop_spread))) {
    plan.variables.push_back({std::string(name_of(OptionId::coop_spread)), "on"});
  }
  if (!plan.crowded) return plan;
  for (const coop::IdleSetting& setting : coop::settings_of_idle_threads(given)) {
    plan.variables.push_back({std::string(setting.name), std::string(setting.value)});
  }
  return plan;
}

}  // namespace comity::cli::launch
