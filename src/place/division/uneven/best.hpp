// SPDX-License-Identifier: BSD-3-Clause
// UnevenBest: the best mapping so far of ranks with unequal numbers of threads. Between nodes the objective decides, then ranks that
// lie across borders inside them, then the objective inside; but the whole objective alone where it weighs inner levels against
// what nodes exchange, or limits them. On a torus no more links than in the sequential order come first, or, by the aim `hops`, the fewest.
#pragma once

#include <string>
#include <utility>

#include "place/division/uneven/job.hpp"
#include "place/mapper.hpp"

namespace comity::place {

class UnevenBest {
 public:
  explicit UnevenBest(const UnevenJob& job) : job_(job) {}

  void offer(const std::string& name, Mapping mapping) {
    Cut cut = cut_of(job_.graph, job_.cores, mapping);
    offer(name, std::move(mapping), std::move(cut));
  }
  void offer(const std::string& name, Mapping mapping, Cut cut);
  // Links of an order that no mapping may exceed on a torus.
  void allow_links_of(const Mapping& order);

  [[nodiscard]] bool none() const { return answer.mapping.empty(); }

  Answer answer;

 private:
  [[nodiscard]] Key key_of_mapping(const Cut& cut, const Mapping& mapping) const;
  [[nodiscard]] Key key_with_straddles(const Cut& cut, const Mapping& mapping) const;
  [[nodiscard]] std::size_t straddles(const Mapping& mapping) const;

  const UnevenJob& job_;
  Weight most_links_ = kNoLimit;
  Key key_;
};

}  // namespace comity::place
