// SPDX-License-Identifier: BSD-3-Clause
#include "place/division/uneven/best.hpp"

#include <algorithm>
#include <utility>

#include "place/torus.hpp"

namespace comity::place {

void UnevenBest::offer(const std::string& name, Mapping mapping, Cut cut) {
  Key key = key_of_mapping(cut, mapping);
  if (!none() && key >= key_) return;
  key_ = std::move(key);
  answer.made_by = name;
  answer.mapping = std::move(mapping);
  answer.cut = std::move(cut);
}

void UnevenBest::allow_links_of(const Mapping& order) {
  if (job_.torus != nullptr) most_links_ = links_of(job_.graph, job_.cores, *job_.torus, order);
}

Key UnevenBest::key_of_mapping(const Cut& cut, const Mapping& mapping) const {
  Key key = key_with_straddles(cut, mapping);
  if (job_.torus == nullptr) return key;
  const Weight links = links_of(job_.graph, job_.cores, *job_.torus, mapping);
  const bool first = job_.objective.aim == Aim::hops;
  key.insert(key.begin() + 1, static_cast<double>(first ? links : std::max<Weight>(0, links - most_links_)));
  key.push_back(static_cast<double>(links));
  return key;
}

Key UnevenBest::key_with_straddles(const Cut& cut, const Mapping& mapping) const {
  const auto across = static_cast<double>(straddles(mapping));
  Key whole = key_of(job_.objective, cut);
  if (!job_.nodes_decide()) {
    whole.push_back(across);
    return whole;
  }
  const auto outer = static_cast<std::ptrdiff_t>(job_.outer_levels());
  Key key = key_of(job_.objective, Cut(cut.begin(), cut.begin() + outer));
  key.push_back(across);
  key.insert(key.end(), whole.begin(), whole.end());
  return key;
}

// How often a rank lies across a border inside its node. The cut does not see that: a rank counts where its first core is.
std::size_t UnevenBest::straddles(const Mapping& mapping) const {
  std::size_t count = 0;
  for (std::size_t level = job_.outer_levels(); level < job_.cores.levels().size(); ++level) {
    const std::vector<Domain>& domain_of = job_.cores.domain_of(level);
    for (Rank rank = 0; rank < mapping.size(); ++rank) {
      count += domain_of[mapping[rank]] != domain_of[mapping[rank] + job_.threads[rank] - 1] ? 1 : 0;
    }
  }
  return count;
}

}  // namespace comity::place
