// SPDX-License-Identifier: BSD-3-Clause
#include "cli/place/equal_nodes.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "cli/common/screen.hpp"

namespace comity::cli {
namespace {

struct EqualNodes {
  std::vector<std::size_t> nodes;  // of the plan
  std::size_t each, last;          // ranks
};

// With as many ranks on each, but for the last one; none where they have no room so.
std::optional<EqualNodes> so_many_nodes(const place::Plan& plan, std::size_t count, LastNode last_node) {
  const std::size_t each = (plan.ranks() + count - 1) / count;
  if (each * (count - 1) >= plan.ranks()) return std::nullopt;
  const std::size_t last = plan.ranks() - each * (count - 1);
  if (last != each && last_node == LastNode::as_the_others) return std::nullopt;
  EqualNodes found{{}, each, last};
  for (std::uint32_t node = 0; node < plan.nodes() && found.nodes.size() < count; ++node) {
    const std::size_t wanted = found.nodes.size() + 1 == count ? last : each;
    if (plan.shape(node).cores / plan.most_threads() >= wanted) found.nodes.push_back(node);
  }
  return found.nodes.size() == count ? std::optional(std::move(found)) : std::nullopt;
}

std::optional<EqualNodes> fewest_equal_nodes(const place::Plan& plan, LastNode last) {
  if (plan.threads() != plan.ranks() * plan.most_threads()) return std::nullopt;  // slots are cores then
  for (std::size_t count = 1; count <= std::min(plan.nodes(), plan.ranks()); ++count) {
    if (auto found = so_many_nodes(plan, count, last)) return found;
  }
  return std::nullopt;
}

// As --hosts takes them.
std::string slots_of(const EqualNodes& equal, const std::vector<std::string>& hosts) {
  const std::size_t count = equal.nodes.size();
  const auto slots = [&](std::size_t i) { return ':' + std::to_string(i + 1 == count ? equal.last : equal.each); };
  std::string text;
  for (std::size_t i = 0; i < count && !hosts.empty(); ++i)
    text += (i == 0 ? "" : ",") + hosts[equal.nodes[i]] + slots(i);
  if (!hosts.empty()) return text;
  const std::size_t alike = equal.last == equal.each ? count : count - 1;
  text = (alike == 1 ? "n1" : "n[1-" + std::to_string(alike) + ']') + slots(0);
  return alike == count ? text : text + ",n" + std::to_string(count) + slots(count - 1);
}

std::string names_of(const EqualNodes& equal, const std::vector<std::string>& hosts) {
  std::string names;
  for (const std::size_t node : equal.nodes)
    names += (names.empty() ? "" : ",") + (hosts.empty() ? std::to_string(node) : hosts[node]);
  return names;
}

// Those that the plan uses, if they have equally many ranks.
std::optional<EqualNodes> used_nodes(const place::Plan& plan, LastNode last_node) {
  EqualNodes used{{}, 0, 0};
  for (std::size_t node = 0; node < plan.nodes(); ++node) {
    const std::size_t ranks = plan.ranks_of_nodes()[node].size();
    if (ranks == 0) continue;
    if (!used.nodes.empty() && used.last != used.each) return std::nullopt;  // only the last one may
    if (used.nodes.empty()) used.each = ranks;
    used.nodes.push_back(node);
    used.last = ranks;
  }
  const bool fits = used.last == used.each || (used.last < used.each && last_node == LastNode::may_have_fewer);
  return fits ? std::optional(std::move(used)) : std::nullopt;
}

}  // namespace

std::string advice_of_equal_nodes(const place::Plan& plan, const std::vector<std::string>& hosts, LastNode last) {
  const std::optional<EqualNodes> equal = fewest_equal_nodes(plan, last);
  if (!equal)
    return "no number of these nodes takes as many ranks on each; --output slurm, mpich and openmpi4 need not";
  return "allocate " + (hosts.empty() ? count_text(equal->nodes.size(), "node") : names_of(*equal, hosts)) +
         " alone, and plan for those, each as full as in --hosts '" + slots_of(*equal, hosts) + "'";
}

std::string advice_of_used_nodes(const place::Plan& plan, const std::vector<std::string>& hosts, LastNode last) {
  const std::optional<EqualNodes> used = used_nodes(plan, last);
  if (!used) return advice_of_equal_nodes(plan, hosts, last);
  return "allocate " + names_of(*used, hosts) + " alone, and plan for those, each as full as in --hosts '" +
         slots_of(*used, hosts) + "'";
}

}  // namespace comity::cli
