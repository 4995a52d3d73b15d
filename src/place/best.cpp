// SPDX-License-Identifier: BSD-3-Clause
#include "place/best.hpp"

#include <utility>

#include "place/division/launchers.hpp"

namespace comity::place {

void Best::offer(const std::string& name, Mapping mapping) {
  Cut cut = cut_of(graph_, site_, mapping);
  keep_better(name, std::move(mapping), std::move(cut));
}

void Best::offer_launchers() {
  for (const Launcher& launcher : kLaunchers) {
    Mapping mapping = launcher.map(site_, graph_.ranks());
    Cut cut = cut_of(graph_, site_, mapping);
    answer.launchers.push_back({launcher.name, cut});
    keep_better(std::string(launcher.name), std::move(mapping), std::move(cut));
  }
}

void Best::keep_better(const std::string& name, Mapping mapping, Cut cut) {
  if (!answer.mapping.empty() && key_of(objective_, cut) >= key_of(objective_, answer.cut)) return;
  answer.made_by = name;
  answer.mapping = std::move(mapping);
  answer.cut = std::move(cut);
}

}  // namespace comity::place
