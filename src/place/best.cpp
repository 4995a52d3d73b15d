// SPDX-License-Identifier: BSD-3-Clause
#include "place/best.hpp"

#include <utility>

#include "place/division/launchers.hpp"

namespace comity::place {

void Best::offer(const std::string& name, Mapping mapping) {
  Cut cut = cut_of(graph_, site_, mapping);
  offer(name, std::move(mapping), std::move(cut));
}

void Best::offer_launchers() {
  for (const Launcher& launcher : kLaunchers) {
    Mapping mapping = launcher.map(site_, graph_.ranks());
    Cut cut = cut_of(graph_, site_, mapping);
    answer.launchers.push_back({launcher.name, cut});
    offer(std::string(launcher.name), std::move(mapping), std::move(cut));
  }
}

void Best::offer_launchers_unseen() {
  for (const Launcher& launcher : kLaunchers) {
    Mapping mapping = launcher.map(site_, graph_.ranks());
    if (!is_worse_between_nodes(mapping)) offer(std::string(launcher.name), std::move(mapping));
  }
}

// What cannot be made up for inside need not be looked at there.
bool Best::is_worse_between_nodes(const Mapping& mapping) const {
  const bool may_tell = objective_.aim == Aim::time || first_level_decides(objective_, site_.levels().size());
  return may_tell && is_worse(node_cut(graph_, site_.nodes(), domains_of(site_, 0, mapping)));
}

bool Best::is_worse(const Crossing& nodes) const {
  const auto is_worse_than = [&](const Cut& known) {
    return is_worse_whatever_inside(objective_, site_.levels().size(), nodes, known);
  };
  return (!answer.mapping.empty() && is_worse_than(answer.cut)) || (to_beat != nullptr && is_worse_than(*to_beat));
}

void Best::offer(const std::string& name, Mapping mapping, Cut cut) {
  if (!answer.mapping.empty() && key_of(objective_, cut) >= key_of(objective_, answer.cut)) return;
  answer.made_by = name;
  answer.mapping = std::move(mapping);
  answer.cut = std::move(cut);
}

}  // namespace comity::place
